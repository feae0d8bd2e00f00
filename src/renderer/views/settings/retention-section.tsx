import { useEffect, useMemo, useRef, useState } from 'react'
import type { ClockAhead, RetentionSettings } from '../../../shared/contract/retention.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { clockAheadText } from '../../../shared/text/clock-ahead-text.ts'
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
import { useLedger } from '../../store/hooks.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { useActions } from '../app/use-actions.ts'
import { useUnsaved } from './unsaved.ts'
import { type RetentionView, usePreview, useRetention } from './use-retention.ts'

/** How long transcripts are kept, what a clean-up would remove now, and what earlier ones removed. */
export function RetentionSection() {
  const retention = useRetention()
  const { settings, problem, reload } = retention
  // The receipt of a running clean-up lists items that it has not moved yet, so the earlier list is shown.
  const [cleaning, setCleaning] = useState(false)
  const before = useRef(retention.receipts)
  useEffect(() => {
    if (!cleaning) before.current = retention.receipts
  })
  const shown = cleaning ? { ...retention, receipts: before.current } : retention
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">
        Old transcripts move to the trash; reports and patches are kept. Running, interrupted,
        imported, pinned and still-needed ones are never removed.
      </p>
      {problem ? (
        <ProblemNotice problem={problem} action={{ label: 'Try again', onClick: reload }} />
      ) : null}
      {settings ? (
        <Form
          key={JSON.stringify(settings)}
          settings={settings}
          onSaved={reload}
          onCleaning={setCleaning}
        />
      ) : problem ? null : (
        <Skeleton lines={4} />
      )}
      <Receipts retention={shown} />
    </div>
  )
}

function Form(props: {
  settings: RetentionSettings
  onSaved(): void
  onCleaning(cleaning: boolean): void
}) {
  const { settings, onSaved, onCleaning } = props
  const { saveRetention, cleanUp } = useActions()
  const [form, setForm] = useState<RetentionForm>(() => formOf(settings))
  const [busy, setBusy] = useState<'saving' | 'cleaning' | null>(null)
  const { settings: wanted, errors } = useMemo(() => parseForm(form), [form])
  const { preview, problem } = usePreview(wanted)
  const changed = wanted === null || !isSame(wanted, settings)
  useUnsaved('retention', changed)
  const formElement = useRef<HTMLFormElement>(null)
  const runBusy = async (what: 'saving' | 'cleaning', work: () => Promise<unknown>) => {
    setBusy(what)
    await work()
    setBusy(null)
    onSaved()
    // The button may have nothing more to do and can't keep the focus.
    formElement.current?.focus()
  }
  const expired = useLedger(({ ledger }) => countExpired(ledger.tasks.values()))
  const [sweeping, setSweeping] = useState<{ from: number; all: number } | null>(null)
  const [asking, setAsking] = useState(false)
  const clockAhead = preview?.clockAhead ?? null
  const deletes = preview?.removed.some((item) => item.kind !== 'transcript') ?? false
  const clean = async (clockIsRight: boolean) => {
    setAsking(false)
    const all = preview?.removed.filter((item) => item.kind === 'transcript').length ?? 0
    setSweeping({ from: expired, all })
    onCleaning(true)
    await runBusy('cleaning', () => cleanUp(clockIsRight))
    onCleaning(false)
    setSweeping(null)
  }
  return (
    <form
      ref={formElement}
      tabIndex={-1}
      className="flex flex-col gap-3 outline-none"
      onSubmit={(event) => {
        event.preventDefault()
        if (wanted && changed) void runBusy('saving', () => saveRetention(wanted))
      }}
    >
      <RetentionFields form={form} errors={errors} onChange={setForm} />
      <div className="min-h-5">
        {sweeping ? (
          <p role="status">
            {sweeping.all === 0
              ? 'Cleaning up…'
              : `Moved ${Math.min(sweeping.all, Math.max(0, expired - sweeping.from))} of ${sweeping.all} transcripts to the trash…`}
          </p>
        ) : problem ? (
          <ProblemNotice problem={problem} />
        ) : preview && wanted ? (
          <SweepPreview sweep={preview} />
        ) : (
          <p className="text-muted">
            {wanted ? 'Checking what would be removed…' : 'Fix the errors above to save.'}
          </p>
        )}
      </div>
      {clockAhead && !sweeping ? <NoticeLine tone="warning" text={clockText(clockAhead)} /> : null}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          type="submit"
          variant={changed ? 'primary' : 'quiet'}
          disabled={!changed || !wanted}
          busy={busy === 'saving'}
        >
          Save
        </Button>
        {asking && clockAhead ? (
          <>
            <span>Clean up by today’s date?</span>
            <Button onClick={() => setAsking(false)}>Cancel</Button>
            <Button variant="danger" onClick={() => void clean(true)}>
              {deletes ? 'Delete permanently' : 'Clean up'}
            </Button>
          </>
        ) : (
          <Button
            // A clock that leapt ahead can be confirmed even if there is nothing to remove, or the next start would ask again.
            disabled={changed || (preview?.removed.length === 0 && clockAhead === null)}
            title={changed ? 'Save or discard your changes first' : undefined}
            busy={busy === 'cleaning'}
            onClick={() => (clockAhead ? setAsking(true) : void clean(false))}
          >
            {clockAhead ? 'Clean up…' : 'Clean up now'}
          </Button>
        )}
        {changed ? (
          <Button onClick={() => setForm(formOf(settings))}>Discard changes</Button>
        ) : null}
      </div>
      {changed ? (
        <p className="text-small text-muted">Save first: a clean-up uses the saved settings.</p>
      ) : null}
    </form>
  )
}

const clockText = (ahead: ClockAhead): string =>
  `${clockAheadText(ahead)}. If today’s date is wrong, set it first: nothing is cleaned up until you confirm it.`

/** Counts the transcripts in the trash: all, or those of one receipt. */
function countExpired(tasks: Iterable<Task>, receiptId?: string): number {
  let count = 0
  for (const { transcriptExpired: expired } of tasks)
    if (expired && !expired.purgedAt && (receiptId ?? expired.receiptId) === expired.receiptId)
      count++
  return count
}

function Receipts({ retention }: { retention: RetentionView }) {
  const { receipts, unreadable, items, loadItems, reload } = retention
  const { undoSweep } = useActions()
  const [busy, setBusy] = useState<{ id: string; all: number } | null>(null)
  const inTrash = useLedger(({ ledger }) => countExpired(ledger.tasks.values(), busy?.id))
  return (
    <div className="flex flex-col gap-1">
      <h3 className="font-semibold">Clean-up history</h3>
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
          busy={busy?.id ?? null}
          progress={busy ? `Restored ${Math.max(0, busy.all - inTrash)} of ${busy.all}…` : null}
          onUndo={async ({ id, inTrash: all }) => {
            setBusy({ id, all })
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
