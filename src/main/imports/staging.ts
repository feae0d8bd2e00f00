/** Staging folders of imports, which are in the archive. See ../export/FORMAT.md, "Import". */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseTaskId } from '../../shared/records/ids.ts'
import { exists, moveDurable } from '../journal/index.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import { replacedDir } from './publish-session.ts'

export const stagingPrefix = '.import-'

/** Deletes staging folders of imports that a crash interrupted. */
export async function clearStaging(
  layout: Pick<DataLayout, 'archive' | 'archiveDir'>,
): Promise<void> {
  const names = await readdir(layout.archive).catch(() => [])
  for (const name of names.filter((one) => one.startsWith(stagingPrefix)))
    await clearStagingFolder(layout, name)
}

/**
 * Deletes the staging folder of a session. If it contains the previous version of the session and the replacement did
 * not complete, the previous version is moved back first.
 */
export async function clearStagingFolder(
  layout: Pick<DataLayout, 'archive' | 'archiveDir'>,
  name: string,
): Promise<void> {
  const staging = join(layout.archive, name)
  const rootId = parseTaskId(name.slice(stagingPrefix.length))
  const replaced = join(staging, replacedDir)
  if (rootId && (await exists(replaced)) && !(await exists(layout.archiveDir(rootId))))
    await moveDurable(replaced, layout.archiveDir(rootId))
  // Needs no sync: the next start deletes what reappears after a crash.
  await rm(staging, { recursive: true, force: true })
}
