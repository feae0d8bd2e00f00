import { useEffect, useRef, useState } from 'react'
import type { ExportPreview } from '../../../shared/contract/exports.ts'
import { shortId, type TaskId } from '../../../shared/records/ids.ts'
import { RedactionList } from '../../components/export/redaction-list.tsx'
import { counted } from '../../components/primitives/format.ts'
import {
  Button,
  Bytes,
  CopyButton,
  DialogShell,
  Skeleton,
  toast,
} from '../../components/primitives/index.ts'
import { saveFile } from '../../components/text/save-file.ts'
import { problemOf } from '../../rpc/problem.ts'
import { useChildren, useLedger, useStores, useTask, useUnreachable } from '../../store/hooks.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { showProblem } from '../app/toasts.ts'
import { useActions } from '../app/use-actions.ts'
import { commandFor } from './export-command.ts'
import { choiceOf, ExportOptions, initialOptions } from './export-options.tsx'
import { readExport } from './save-export.ts'
import { type ExportChoice, useExportPreview } from './use-export-preview.ts'

/** One task as a file for others: what is in it, what is masked, its size, and the command that does the same. */
export function ExportDialog({ taskId }: { taskId: TaskId }) {
  const { client, overlay } = useStores()
  const actions = useActions()
  const task = useTask(taskId)
  const unreachable = useUnreachable()
  const hasChildren = useChildren(taskId).length > 0
  const tasks = useLedger(({ ledger }) => ledger.tasks)
  const [options, setOptions] = useState(initialOptions)
  const [redact, setRedact] = useState(true)
  const [keep, setKeep] = useState<string[]>([])
  const [attempt, setAttempt] = useState(0)
  const [busy, setBusy] = useState<'save' | 'copy' | null>(null)
  const choice: ExportChoice = {
    taskId,
    redact,
    keep,
    ...choiceOf(options),
  }
  const { preview, isCurrent, problem } = useExportPreview(choice, attempt)

  const reading = useRef<AbortController>(null)
  // A dialog that is closed while it reads saves nothing.
  useEffect(() => () => reading.current?.abort(), [])
  if (!task) return null

  const run = async (what: 'save' | 'copy', use: (pieces: string[]) => void | Promise<void>) => {
    setBusy(what)
    const abort = new AbortController()
    reading.current = abort
    const own = overlay.store.getState()
    try {
      const pieces = await readExport(client, choice, abort.signal)
      if (abort.signal.aborted) return
      await use(pieces)
      overlay.hideOnly(own)
    } catch (error) {
      if (!abort.signal.aborted) showProblem(problemOf(error, 'export the transcript'))
    } finally {
      setBusy(null)
    }
  }
  const isReady = preview !== null && isCurrent && unreachable === undefined

  return (
    <DialogShell
      open
      onClose={overlay.hide}
      title={`Export “${task.title}”`}
      size="medium"
      focus="dialog"
      footer={
        <>
          <span className="min-w-0 flex-1 text-small text-muted" role="status">
            {problem ? null : preview && isCurrent ? (
              <Size preview={preview} />
            ) : (
              'Reading the transcript…'
            )}
          </span>
          <Button onClick={overlay.hide}>Cancel</Button>
          {options.format === 'md' ? (
            <Button
              busy={busy === 'copy'}
              disabled={!isReady}
              onClick={() =>
                void run('copy', (pieces) => actions.copy(pieces.join(''), 'the transcript'))
              }
            >
              Copy
            </Button>
          ) : null}
          <Button
            variant="primary"
            busy={busy === 'save'}
            disabled={!isReady}
            title={unreachable}
            onClick={() =>
              void run('save', (pieces) => {
                const name = preview?.fileName ?? 'export'
                saveFile(pieces, name)
                toast.success(`Exported ${name}.`)
              })
            }
          >
            Save
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4 p-4">
        <ExportOptions options={options} onChange={setOptions} hasChildren={hasChildren} />
        <section className="flex flex-col gap-2">
          <label className="flex min-h-7 items-center gap-2">
            <input
              type="checkbox"
              className="size-4 accent-[var(--accent-fill)]"
              checked={redact}
              onChange={(event) => setRedact(event.target.checked)}
            />
            Mask keys, passwords, home directories and your user name
          </label>
          {problem ? (
            <ProblemNotice
              problem={problem}
              action={{ label: 'Try again', onClick: () => setAttempt(attempt + 1) }}
            />
          ) : !preview ? (
            <Skeleton lines={4} />
          ) : !redact ? (
            <p className="text-muted">Nothing is masked. Read the file before you share it.</p>
          ) : (
            <RedactionList
              hits={preview.hits.map((hit) => ({ ...hit, kept: keep.includes(hit.id) }))}
              more={preview.moreHits}
              onKeep={(id, kept) =>
                setKeep(kept ? [...keep, id] : keep.filter((other) => other !== id))
              }
              titleOf={(id) => tasks.get(id)?.title ?? shortId(id)}
            />
          )}
          {preview && redact ? <NotMasked preview={preview} /> : null}
        </section>
        <div className="flex min-w-0 items-center gap-2 rounded-md border bg-raised px-3 py-2">
          <code className="untrusted min-w-0 flex-1 font-mono text-small wrap-anywhere">
            {commandFor(choice, preview?.fileName)}
          </code>
          <CopyButton label="Copy the command" text={commandFor(choice, preview?.fileName)} />
        </div>
      </div>
    </DialogShell>
  )
}

function Size({ preview }: { preview: ExportPreview }) {
  const { tasks, entries, bytes, masked } = preview
  return (
    <>
      <Bytes count={bytes} /> · {tasks === 1 ? '' : `${counted(tasks, 'agent')} · `}
      {counted(entries, 'entry', 'entries')}
      {masked > 0 ? ` · masked in ${counted(masked, 'place')}` : ''}
    </>
  )
}

/** What masking does not cover, and what is left out. */
function NotMasked({ preview }: { preview: ExportPreview }) {
  const { images, withheld, damaged } = preview
  const sentences = [
    ...(images > 0 ? [`Images are not searched: there are ${images}.`] : []),
    ...(withheld > 0
      ? [`Left out: ${counted(withheld, 'entry', 'entries')} of unknown type.`]
      : []),
    ...(damaged > 0 ? [`${counted(damaged, 'part')} of the transcript can’t be read.`] : []),
  ]
  return sentences.length > 0 ? (
    <p className="text-small text-muted">{sentences.join(' ')}</p>
  ) : null
}
