/** Selects the tasks to search, their order, and the files of their transcripts. */
import type { Task } from '../../shared/records/tasks/tasks.ts'
import type { ArchiveReader } from '../archive/archive-reader.ts'
import type { SessionToIndex } from './index/session-indexer.ts'

export const isSearched = (task: Task): boolean => !task.trashed && !task.purged

const lastActive = (task: Task): string => task.endedAt ?? task.startedAt ?? task.createdAt

export const newestFirst = (tasks: Iterable<Task>): Task[] =>
  [...tasks].sort((a, b) => lastActive(b).localeCompare(lastActive(a)))

/** A task with its transcript; `file` is null if the transcript was deleted. */
export async function placeOf(
  archive: Pick<ArchiveReader, 'transcriptFile'>,
  task: Task,
): Promise<Omit<SessionToIndex, 'report'>> {
  const { id: taskId, title, createdAt, transcriptExpired } = task
  const file = transcriptExpired ? null : await archive.transcriptFile(taskId)
  return { taskId, title, file, createdAt: Date.parse(createdAt) }
}
