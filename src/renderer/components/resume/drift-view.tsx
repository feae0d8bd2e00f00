/** What has changed since an agent stopped, before it goes on (S2). */
import { useState } from 'react'
import { type DriftConflict, type DriftReport, describeDrift } from '../../../shared/drift.ts'
import { plainText } from '../conversation/plain-text.ts'
import { counted } from '../primitives/format.ts'
import { TextButton } from '../primitives/index.ts'

export function DriftView({ drift }: { drift: DriftReport }) {
  const { conflicts, conflictsMore = 0, unknownCalls } = drift
  const sentences = otherSentences(drift)
  if (conflicts.length + sentences.length + unknownCalls === 0)
    return <p className="text-muted">Nothing has changed since.</p>
  return (
    <div className="flex flex-col gap-2">
      {conflicts.length > 0 ? <Conflicts conflicts={conflicts} more={conflictsMore} /> : null}
      {sentences.length > 0 ? (
        <ul className="flex flex-col gap-0.5">
          {sentences.map((sentence) => (
            <li key={sentence} className="untrusted">
              {sentence}
            </li>
          ))}
        </ul>
      ) : null}
      {unknownCalls > 0 ? <UnknownCalls count={unknownCalls} /> : null}
    </div>
  )
}

/** Enough to see what it is about without pushing the next agent out of the window. */
const conflictsShownMax = 8

const changeWords = {
  added: 'Added',
  modified: 'Modified',
  deleted: 'Deleted',
  renamed: 'Renamed',
} as const

function Conflicts({ conflicts, more }: { conflicts: DriftConflict[]; more: number }) {
  const [all, setAll] = useState(false)
  // One more takes no more room than saying that there is one.
  const few = conflicts.length <= conflictsShownMax + 1
  const shown = all || few ? conflicts : conflicts.slice(0, conflictsShownMax)
  return (
    <div className="rounded-md bg-amber-tint px-3 py-2">
      <table className="w-full border-separate border-spacing-0 text-left">
        <caption className="pb-1 text-left font-semibold text-amber">
          {counted(conflicts.length + more, 'file')} that it worked on changed since
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
            <tr key={conflict.path}>
              <td className="untrusted py-px pr-4 font-mono text-code break-all">
                {plainText(conflict.path)}
                {conflict.oldPath ? (
                  <span className="untrusted block text-muted">
                    was {plainText(conflict.oldPath)}
                  </span>
                ) : null}
              </td>
              <td className="w-20 py-px pr-4 text-muted">{changeWords[conflict.change]}</td>
              <td className="untrusted w-36 py-px">
                <span className="line-clamp-2" title={plainText(conflict.changedBy.name)}>
                  {conflict.changedBy.name === 'you' ? 'You' : plainText(conflict.changedBy.name)}
                </span>
              </td>
            </tr>
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

function UnknownCalls({ count }: { count: number }) {
  const one = count === 1
  return (
    <p>
      {counted(count, 'tool call')} {one ? 'was' : 'were'} under way when it stopped, so nobody
      knows what came of {one ? 'it' : 'them'}. {one ? 'It is' : 'They are'} not run again: the
      agent is told, and goes on from there.
    </p>
  )
}

/** Everything but what is shown in a way of its own. */
function otherSentences(drift: DriftReport): string[] {
  const known = new Set(drift.conflicts.flatMap(({ path, oldPath }) => [path, oldPath]))
  const dirty = drift.dirty.filter((path) => !known.has(path))
  const rest = { ...drift, conflicts: [], conflictsMore: undefined, dirty, unknownCalls: 0 }
  return describeDrift(rest).map(plainText)
}
