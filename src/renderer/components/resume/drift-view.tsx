/** The changes since an agent stopped, shown before it is resumed (S2). */
import { Fragment, type ReactNode, useEffect, useState } from 'react'
import {
  callText,
  type DriftConflict,
  type DriftReport,
  describeDrift,
  type UnknownCall,
} from '../../../shared/records/drift.ts'
import { plainText } from '../../../shared/text/plain-text.ts'
import { PatchView } from '../diff/patch-view.tsx'
import { counted, timeOfDayWithSeconds } from '../primitives/format.ts'
import { Skeleton, TextButton } from '../primitives/index.ts'

/** Reads the changes of one file since the agent stopped, as a unified diff. */
type LoadDiff = (conflict: DriftConflict) => Promise<string>

export function DriftView({ drift, loadDiff }: { drift: DriftReport; loadDiff?: LoadDiff }) {
  const { conflicts, conflictsMore = 0, unknownCalls } = drift
  const sentences = otherSentences(drift)
  if (conflicts.length + sentences.length + unknownCalls.length === 0) return <Unchanged />
  return (
    <div className="flex flex-col gap-2">
      {conflicts.length > 0 ? (
        <Conflicts conflicts={conflicts} more={conflictsMore} loadDiff={loadDiff} />
      ) : null}
      {sentences.length > 0 ? (
        <ul className="flex flex-col gap-0.5">
          {sentences.map((sentence) => (
            <li key={sentence} className="untrusted">
              {sentence}
            </li>
          ))}
        </ul>
      ) : null}
      {unknownCalls.length > 0 ? (
        <ul className="flex flex-col gap-0.5">
          {unknownCalls.map((call, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same command may have run twice
            <li key={index}>
              <RunningCall call={call} />
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}

/** Returns the first difference as one line, and whether there are more. */
export function driftHeadline(drift: DriftReport): { text: ReactNode; more: boolean } {
  const sentences = otherSentences(drift)
  const { unknownCalls, conflicts } = drift
  const rest = sentences.length + unknownCalls.length - 1
  const [call] = unknownCalls
  const [sentence] = sentences
  if (conflicts.length > 0)
    return { text: `${counted(conflicts.length, 'file')} changed since it stopped`, more: true }
  if (!call && !sentence) return { text: <Unchanged />, more: false }
  // Changed files and branches before a call whose result is unknown: they may need a decision.
  const first = sentence ?? (call ? <RunningCall call={call} /> : null)
  if (rest === 0) return { text: first, more: false }
  const text = (
    <>
      {first} <span className="text-muted">+{rest} more</span>
    </>
  )
  return { text, more: true }
}

/** Shown once for all of them. */
export const unknownCallsNote =
  'The result of a call that was running is unknown. It won’t be run again, and the agent is informed.'

const Unchanged = () => <span className="text-muted">No changes since it stopped.</span>

/** A long command is cut; the transcript has all of it. */
const callCharsShown = 120

function RunningCall({ call }: { call: UnknownCall }) {
  const { startedAt } = call
  const line = plainText(callText(call)).replaceAll(/\s+/g, ' ').trim()
  const shown = line.length > callCharsShown ? `${line.slice(0, callCharsShown - 1)}…` : line
  return (
    <span className="untrusted">
      <code className="font-mono text-code" title={line}>
        {shown}
      </code>{' '}
      was running, started <time dateTime={startedAt}>{timeOfDayWithSeconds(startedAt)}</time>.
    </span>
  )
}

/** Enough to show the subject without pushing the next agent out of the window. */
const conflictsShownMax = 8

const changeLabels = {
  added: 'Added',
  modified: 'Modified',
  deleted: 'Deleted',
  renamed: 'Renamed',
} as const

function Conflicts(props: {
  conflicts: DriftConflict[]
  more: number
  loadDiff: LoadDiff | undefined
}) {
  const { conflicts, more, loadDiff } = props
  const [all, setAll] = useState(false)
  const [shownDiff, setShownDiff] = useState<string | null>(null)
  // One more takes no more room than a line about it.
  const few = conflicts.length <= conflictsShownMax + 1
  const shown = all || few ? conflicts : conflicts.slice(0, conflictsShownMax)
  return (
    <div className="rounded-md bg-amber-tint px-3 py-2">
      <table className="w-full border-separate border-spacing-0 text-left">
        <caption className="pb-1 text-left font-semibold text-amber">
          {counted(conflicts.length + more, 'file')} changed since it stopped
        </caption>
        <thead className="sr-only">
          <tr>
            <th>File</th>
            <th>Change</th>
            <th>By</th>
          </tr>
        </thead>
        <tbody className="align-top">
          {shown.map((conflict) => (
            <Fragment key={conflict.path}>
              <tr>
                <td className="untrusted py-px pr-4 font-mono text-code break-all">
                  {loadDiff && conflict.blobs ? (
                    <TextButton
                      className="untrusted text-left break-all"
                      aria-expanded={shownDiff === conflict.path}
                      title="Show what changed"
                      onClick={() =>
                        setShownDiff(shownDiff === conflict.path ? null : conflict.path)
                      }
                    >
                      {plainText(conflict.path)}
                    </TextButton>
                  ) : (
                    plainText(conflict.path)
                  )}
                  {conflict.oldPath ? (
                    <span className="untrusted block text-muted">
                      was {plainText(conflict.oldPath)}
                    </span>
                  ) : null}
                </td>
                <td className="w-20 py-px pr-4 text-muted">{changeLabels[conflict.change]}</td>
                <td className="untrusted w-36 py-px">
                  <span className="line-clamp-2" title={plainText(conflict.changedBy.name)}>
                    {conflict.changedBy.name === 'you' ? 'You' : plainText(conflict.changedBy.name)}
                  </span>
                </td>
              </tr>
              {loadDiff && shownDiff === conflict.path ? (
                <tr>
                  <td colSpan={3} className="py-1">
                    <FileDiff conflict={conflict} loadDiff={loadDiff} />
                  </td>
                </tr>
              ) : null}
            </Fragment>
          ))}
        </tbody>
      </table>
      {few ? null : (
        <TextButton className="mt-1 text-small" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show all ${conflicts.length}`}
        </TextButton>
      )}
      {more > 0 && (all || few) ? (
        <p className="mt-1 text-small text-muted">and {counted(more, 'more file')}, not listed</p>
      ) : null}
    </div>
  )
}

/** The others' changes to one file. */
function FileDiff({ conflict, loadDiff }: { conflict: DriftConflict; loadDiff: LoadDiff }) {
  const [state, setState] = useState<
    { kind: 'loading' } | { kind: 'ready'; patch: string } | { kind: 'failed'; why: string }
  >({ kind: 'loading' })
  // biome-ignore lint/correctness/useExhaustiveDependencies: read once for each conflict, also if `loadDiff` changes
  useEffect(() => {
    let gone = false
    loadDiff(conflict).then(
      (patch) => gone || setState({ kind: 'ready', patch }),
      (error: unknown) =>
        gone || setState({ kind: 'failed', why: error instanceof Error ? error.message : '' }),
    )
    return () => {
      gone = true
    }
  }, [conflict])
  if (state.kind === 'loading') return <Skeleton lines={3} className="py-1" />
  if (state.kind === 'failed')
    return <p className="text-muted">The changes can’t be shown. {state.why}</p>
  if (state.patch === '') return <p className="text-muted">No text to compare.</p>
  return <PatchView path={conflict.path} patch={state.patch} />
}

/** Returns the sentences about everything that is not shown otherwise. */
function otherSentences(drift: DriftReport): string[] {
  const known = new Set(drift.conflicts.flatMap(({ path, oldPath }) => [path, oldPath]))
  const dirty = drift.dirty.filter((path) => !known.has(path))
  const rest = { ...drift, conflicts: [], conflictsMore: undefined, dirty, unknownCalls: [] }
  return describeDrift(rest).map(plainText)
}
