/** Lists transcripts with their sizes. */
import { transcriptSummaryOf } from '../../shared/contract/transcripts/summary.ts'
import type { TranscriptSummary } from '../../shared/contract/workspace.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import { transcriptIndex } from '../artifacts/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Session } from '../sessions/session.ts'
import { type ArchivePlaces, holdsTranscript } from './archive-places.ts'
import { countEntries, transcriptBytes } from './transcript-page.ts'

/** Lists the transcripts of all tasks, of those of a project, or of the given ones. */
export type ListTranscripts = (of: {
  projectDir?: string | undefined
  taskIds?: readonly TaskId[] | undefined
}) => Promise<TranscriptSummary[]>

type ArchivedIn = (dir: string) => ReturnType<ReturnType<typeof transcriptIndex>['read']>

export function createTranscriptList({
  ledger: { state },
  places: { sessionHome, keepers },
  openIn,
}: {
  ledger: Ledger
  places: ArchivePlaces
  openIn: (dir: string, taskId: TaskId) => Session | null
}): ListTranscripts {
  async function measure(
    task: Task,
    archivedIn: ArchivedIn,
  ): Promise<{ entries: number; bytes: number }> {
    if (task.transcriptExpired) return { entries: 0, bytes: 0 }
    // A running session grows; a transcript that was recorded without counts is read.
    if (task.transcriptCounts) return task.transcriptCounts
    const home = await sessionHome(task.id)
    if (home && (await holdsTranscript(home))) {
      const bytes = await transcriptBytes(home)
      const entries = bytes === 0 ? 0 : await countEntries(home, openIn(home, task.id))
      // Null: it has just been moved into an ancestor's directory.
      if (entries !== null) return { entries, bytes }
    }
    for (const keeper of await keepers(task.id)) {
      const entry = (await archivedIn(keeper)).get(task.id)
      if (entry) return { entries: entry.entryCount, bytes: entry.bytes }
    }
    return { entries: 0, bytes: 0 }
  }

  return async ({ projectDir, taskIds }) => {
    const all = taskIds
      ? taskIds.flatMap((id) => state.tasks.get(id) ?? [])
      : [...state.tasks.values()]
    const tasks = all.filter(
      (task) =>
        !task.trashed &&
        (task.hasTranscript || task.hasReport) &&
        (projectDir === undefined || task.projectDir === projectDir),
    )
    const indexes = new Map<string, ReturnType<ReturnType<typeof transcriptIndex>['read']>>()
    const archivedIn: ArchivedIn = (dir) => {
      const read = indexes.get(dir) ?? transcriptIndex(dir).read()
      indexes.set(dir, read)
      return read
    }
    const summaries = await Promise.all(
      tasks.map(async (task) => transcriptSummaryOf(task, await measure(task, archivedIn))),
    )
    return summaries.sort((a, b) => newestFirst(lastActive(a), lastActive(b)))
  }
}

/** ISO 8601 times compare bytewise; `localeCompare` takes a second for 100,000 of them. */
const newestFirst = (a: string, b: string): number => (a < b ? 1 : a > b ? -1 : 0)

const lastActive = (summary: TranscriptSummary): string =>
  summary.endedAt ?? summary.startedAt ?? ''
