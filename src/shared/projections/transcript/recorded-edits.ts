/** Counts the files that a transcript tells were changed, by its edits and recorded snapshots. Pure. */
import { traitsOf } from '../../agents/tool-traits.ts'
import { toolDetailSchema } from '../../agents/tools.ts'
import type { Entry } from '../../records/entries.ts'
import type { ToolCallEntry, ToolResultEntry } from '../../records/entry-types/tool-calls.ts'
import type { ToolCallId } from '../../records/ids.ts'

/** More files than a session changes; the others are not listed. */
const editedFilesMax = 5_000

export interface RecordedEdits {
  /** `lines`: the sums of all edits of the file; null: a command changed it, so its lines are unknown. */
  files: { path: string; lines: { additions: number; deletions: number } | null }[]
  /** There are more files than the listed ones. */
  isCut: boolean
  /** Files that commands changed may not be listed. */
  mayHaveMore: boolean
}

export function createRecordedEdits(): { add(entry: Entry): void; answer(): RecordedEdits } {
  const edited = new Map<string, { additions: number; deletions: number }>()
  const snapshotted = new Set<string>()
  /** Calls whose results do not tell which files they changed. */
  const unclearCalls = new Set<ToolCallId>()
  let hasSnapshots = false
  let isCut = false

  function addResult(result: ToolResultEntry): void {
    const { data: detail } = toolDetailSchema.safeParse(result.detail)
    if (detail?.kind === 'not-run') unclearCalls.delete(result.callId)
    if (detail?.kind !== 'edit' || detail.change === 'unchanged') return
    const { path, additions, deletions } = detail
    const known = edited.get(path)
    if (known) {
      known.additions += additions
      known.deletions += deletions
    } else if (edited.size < editedFilesMax) edited.set(path, { additions, deletions })
    else isCut = true
  }

  return {
    add(entry) {
      if (entry.type === 'tool-call') {
        if (mayChangeAnyFile(entry)) unclearCalls.add(entry.callId)
      } else if (entry.type === 'tool-result') addResult(entry)
      else if (entry.type === 'workspace-snapshot') {
        hasSnapshots = true
        isCut ||= entry.changedMore > 0
        for (const path of entry.changed)
          if (snapshotted.size < editedFilesMax) snapshotted.add(path)
          else isCut = true
      }
    },
    answer() {
      const byCommands = [...snapshotted].filter((path) => !edited.has(path))
      return {
        files: [
          ...[...edited].map(([path, lines]) => ({ path, lines })),
          ...byCommands.map((path) => ({ path, lines: null })),
        ],
        isCut,
        // Snapshots list the changed files of the whole working directory.
        mayHaveMore: unclearCalls.size > 0 && !hasSnapshots,
      }
    },
  }
}

/** Tools of other programs have no traits; the kind of a call tells what it did. */
function mayChangeAnyFile({ name, kind }: ToolCallEntry): boolean {
  const traits = traitsOf(name)
  return traits
    ? traits.changes === 'any-files'
    : kind === 'execute' || kind === 'delete' || kind === 'move'
}
