/** The folders in the archive in which imports are made. See ../export/FORMAT.md, "Import". */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseTaskId } from '../../shared/records/ids.ts'
import { exists, moveDurable, removeDurable } from '../journal/index.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import { replacedDir } from './publish-session.ts'

export const stagingPrefix = '.import-'

/**
 * Deletes what an import left that a crash cut short. An earlier version of a session, which was to be replaced and was
 * not, is moved back first.
 */
export async function clearStaging(
  layout: Pick<DataLayout, 'archive' | 'archiveDir'>,
): Promise<void> {
  const names = await readdir(layout.archive).catch(() => [])
  for (const name of names.filter((one) => one.startsWith(stagingPrefix))) {
    const staging = join(layout.archive, name)
    const rootId = parseTaskId(name.slice(stagingPrefix.length))
    const replaced = join(staging, replacedDir)
    if (rootId && (await exists(replaced)) && !(await exists(layout.archiveDir(rootId))))
      await moveDurable(replaced, layout.archiveDir(rootId))
    await removeDurable(staging)
  }
}
