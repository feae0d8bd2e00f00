import type { ChangesGap, TreeChanges } from '../../../shared/contract/changes/tree-changes.ts'
import { Counts } from '../diff/counts.tsx'
import { counted, exactCount } from '../primitives/format.ts'

/** The files and lines that a task and its sub-agents changed, marked if a part is unknown; nothing if there are none. */
export function ChangedFiles({ changes }: { changes: TreeChanges | null }) {
  if (!changes) return null
  const { files, additions, deletions, binary, reported, unknown } = changes
  const title = [...(reported ? [reportedText] : []), ...unknown.map((gap) => gapTexts[gap])]
  if (files === 0) {
    // A sub-agent that runs has no changes to show yet.
    const isUnknown = unknown.some((gap) => gap !== 'running')
    return isUnknown ? <span title={title.join(' ')}>files unknown</span> : null
  }
  const count = `${exactCount(files)}${unknown.length > 0 ? '+' : ''}`
  return (
    // The dot of a fact line is an item of it as well, so that a gap would be twice as wide there.
    <span className="flex" title={title.join(' ') || undefined}>
      <span className="tabular">{counted(files, 'file').replace(/^\S+/, count)}</span>
      <span className="ml-1.5 flex gap-1.5">
        <Counts additions={additions} deletions={deletions} />
        {binary > 0 ? (
          <span title="Lines of binary files are not counted.">{binary} binary</span>
        ) : null}
        {reported ? <span className="text-faint">reported</span> : null}
      </span>
    </span>
  )
}

const reportedText =
  'Counted from the edits in the transcript, where a line that was edited twice counts twice.'

const gapTexts: Record<ChangesGap, string> = {
  running: 'Sub-agents that still run are counted when they end.',
  commands: 'What commands changed is known in part only.',
  unreadable: 'The changes of an agent could not be read.',
  'too-many': 'There are more agents or files than are counted.',
}
