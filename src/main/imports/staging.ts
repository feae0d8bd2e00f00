/** The folders in the archive in which imports are made. See ../export/FORMAT.md, "Import". */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseTaskId } from '../../shared/records/ids.ts'
import { exists, moveDurable } from '../journal/index.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import { replacedDir } from './publish-session.ts'

export const stagingPrefix = '.import-'

/** Deletes what imports left that crashes cut short. */
export async function clearStaging(
  layout: Pick<DataLayout, 'archive' | 'archiveDir'>,
): Promise<void> {
  const names = await readdir(layout.archive).catch(() => [])
  for (const name of names.filter((one) => one.startsWith(stagingPrefix)))
    await clearStagingFolder(layout, name)
}

/**
 * Deletes a folder of the archive in which a session was staged. An earlier version of it, which was to be replaced and
 * was not, is moved back first.
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
  // Not durable: what comes back after a crash is deleted by the next start.
  await rm(staging, { recursive: true, force: true })
}
