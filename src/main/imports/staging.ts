/** Folders of the archive in which an import prepares and replaces sessions. See docs/IMPORT.md. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseTaskId, type TaskId } from '../../shared/records/ids.ts'
import { exists, moveDurable } from '../journal/index.ts'
import type { DataLayout } from '../sessions/session-files.ts'

type Archive = Pick<DataLayout, 'archive' | 'archiveDir'>

const stagingPrefix = '.import-'
const replacedPrefix = '.replaced-'

/** The folder in which a session is prepared; renamed when it is published. */
export const stagingDir = ({ archive }: Archive, id: TaskId): string =>
  join(archive, `${stagingPrefix}${id}`)

/** The folder of the previous version of a session while it is being replaced. */
export const replacedDir = ({ archive }: Archive, id: TaskId): string =>
  join(archive, `${replacedPrefix}${id}`)

/** Clears what imports left behind that a crash interrupted. */
export async function clearStaging(layout: Archive): Promise<void> {
  const names = await readdir(layout.archive).catch(() => [])
  for (const id of idsIn(names, stagingPrefix)) await clearStaged(layout, id)
  for (const id of idsIn(names, replacedPrefix)) await clearReplaced(layout, id)
}

const idsIn = (names: string[], prefix: string): TaskId[] =>
  names
    .filter((name) => name.startsWith(prefix))
    .map((name) => parseTaskId(name.slice(prefix.length)))
    .filter((id) => id !== null)

/** Deletes the staging folder of a session. Needs no sync: the next start deletes what reappears after a crash. */
export async function clearStaged(layout: Archive, id: TaskId): Promise<void> {
  await rm(stagingDir(layout, id), { recursive: true, force: true })
}

/** Deletes the previous version of a session, or moves it back if the new one did not take its place. */
export async function clearReplaced(layout: Archive, id: TaskId): Promise<void> {
  const replaced = replacedDir(layout, id)
  if (!(await exists(replaced))) return
  if (await exists(layout.archiveDir(id))) await rm(replaced, { recursive: true, force: true })
  else await moveDurable(replaced, layout.archiveDir(id))
}
