/**
 * Finds a transcript outside its session directory by searching the disk, because the ledger may
 * have lost its place.
 */
import { join } from 'node:path'
import type { TaskId } from '../../shared/records/ids.ts'
import { exists, namesIn } from '../journal/index.ts'
import { chatFile, type DataLayout } from '../sessions/session-files.ts'
import { expiredName, leftSessionName, trashedRootName } from '../sessions/trash-names.ts'
import { archivedTranscriptDir } from './transcripts.ts'

/**
 * Returns the path of its `chat.jsonl` in an ancestor's directory, the archive or the trash; null
 * if it is in none of them.
 */
export async function findMovedTranscript(
  { archive, sessions, trash, archiveDir }: DataLayout,
  taskId: TaskId,
): Promise<string | null> {
  const own = [
    archiveDir(taskId),
    ...[trashedRootName, expiredName, leftSessionName].map((name) => join(trash, name(taskId))),
  ]
  for (const dir of own) if (await exists(join(dir, chatFile))) return join(dir, chatFile)
  for (const folder of [sessions, archive, trash]) {
    for (const name of await namesIn(folder)) {
      const file = join(archivedTranscriptDir(join(folder, name), taskId), chatFile)
      // An entry that is no folder contains nothing.
      if (await exists(file).catch(() => false)) return file
    }
  }
  return null
}
