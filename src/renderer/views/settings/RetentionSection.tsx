import { useMemo, useState } from 'react'
import type { RetentionSettings } from '../../../shared/contract/retention.ts'
import { Button, NoticeLine, Skeleton } from '../../components/primitives/index.ts'
import { ReceiptList } from '../../components/retention/receipt-list.tsx'
import { RetentionFields } from '../../components/retention/retention-fields.tsx'
import {
  formOf,
  isSame,
  parseForm,
  type RetentionForm,
} from '../../components/retention/retention-form.ts'
import { SweepPreview } from '../../components/retention/sweep-preview.tsx'
import { ProblemNotice } from '../app/ProblemNotice.tsx'
import { useActions } from '../app/use-actions.ts'
import { type RetentionView, usePreview, useRetention } from './use-retention.ts'

/** How long transcripts are kept, what that would remove now, and what it has removed. */
export function RetentionSection() {
  const retention = useRetention()
  const { settings, problem, reload } = retention
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">
        What agents said and did, turn by turn, goes to the trash when it gets old; reports and
        patches stay. What is running, interrupted, pinned or needed to go on with something is
        never touched.
      </p>
      {problem ? (
        <ProblemNotice problem={problem} action={{ label: 'Try again', onClick: reload }} />
      ) : null}
      {settings ? (
        <Form key={JSON.stringify(settings)} settings={settings} onSaved={reload} />
      ) : problem ? null : (
        <Skeleton lines={4} />
      )}
      <Receipts retention={retention} />
    </div>
  )
}

function Form(props: { settings: RetentionSettings; onSaved(): void }) {
  const { settings, onSaved } = props
  const { saveRetention, cleanUp } = useActions()
  const [form, setForm] = useState<RetentionForm>(() => formOf(settings))
  const [busy, setBusy] = useState<'saving' | 'cleaning' | null>(null)
  const { settings: wanted, errors } = useMemo(() => parseForm(form), [form])
  const { preview, problem } = usePreview(wanted)
  const changed = wanted === null || !isSame(wanted, settings)
  const doing = async (what: 'saving' | 'cleaning', work: () => Promise<unknown>) => {
    setBusy(what)
    await work()
    setBusy(null)
    onSaved()
  }
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (wanted && changed) void doing('saving', () => saveRetention(wanted))
      }}
    >
      <RetentionFields form={form} errors={errors} onChange={setForm} />
      <div className="min-h-5">
        {problem ? (
          <ProblemNotice problem={problem} />
        ) : preview && wanted ? (
          <SweepPreview sweep={preview} />
        ) : (
          <p className="text-muted">
            {wanted ? 'Checking what would be removed…' : 'Fix the errors above to save.'}
          </p>
        )}
      </div>
      <div className="flex items-center gap-2">
        <Button
          type="submit"
          variant={changed ? 'primary' : 'quiet'}
          disabled={!changed || !wanted}
          busy={busy === 'saving'}
        >
          Save
        </Button>
        <Button
          disabled={changed || preview?.removed.length === 0}
          title={changed ? 'Save or discard your changes first' : undefined}
          busy={busy === 'cleaning'}
          onClick={() => void doing('cleaning', cleanUp)}
        >
          Clean up now
        </Button>
        {changed ? (
          <Button onClick={() => setForm(formOf(settings))}>Discard changes</Button>
        ) : null}
      </div>
    </form>
  )
}

function Receipts({ retention }: { retention: RetentionView }) {
  const { receipts, unreadable, items, loadItems, reload } = retention
  const { undoSweep } = useActions()
  const [busy, setBusy] = useState<string | null>(null)
  return (
    <div className="flex flex-col gap-1">
      <h3 className="font-semibold">Removed so far</h3>
      {unreadable.length > 0 ? (
        <NoticeLine
          tone="warning"
          text={`${unreadable.length === 1 ? 'One receipt' : `${unreadable.length} receipts`} can’t be read. Restore those transcripts from the archive.`}
          details={unreadable}
        />
      ) : null}
      {receipts ? (
        <ReceiptList
          receipts={receipts}
          itemsOf={({ id }) => items.get(id) ?? null}
          onOpen={({ id }) => loadItems(id)}
          busy={busy}
          onUndo={async ({ id }) => {
            setBusy(id)
            await undoSweep(id)
            setBusy(null)
            reload()
            if (items.has(id)) loadItems(id)
          }}
        />
      ) : (
        <Skeleton lines={2} />
      )}
    </div>
  )
}
