/**
 * Checks the folders that Shiplog creates in its data directory before anything is written there.
 */
import { access, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseTaskId, type TaskId } from '../../shared/records/ids.ts'
import { namesIn, refuseSymlink, systemCode } from '../journal/index.ts'
import { chatFile, type DataLayout } from './session-files.ts'

/**
 * Throws if one of the folders is anything else; code ELOOP for a symbolic link, which would
 * redirect writes elsewhere (A3). A missing folder is fine.
 */
export async function refuseForeignFolders(layout: DataLayout): Promise<void> {
  const { sessions, archive, receipts, trash, worktrees, projects, running, ledger } = layout
  const folders = [receipts, sessions, archive, trash, worktrees, projects, running]
  for (const folder of [...folders, layout.turnStore]) {
    await refuseSymlink(folder)
    if ((await kindOf(folder)) === 'file') throw new Error(`${folder} is a file: move it away`)
  }
  if ((await kindOf(ledger)) === 'folder') throw new Error(`${ledger} is a folder: move it away`)
}

async function kindOf(path: string): Promise<'folder' | 'file' | 'nothing'> {
  const found = await stat(path).catch((error) => {
    if (systemCode(error) === 'ENOENT') return null
    throw error
  })
  if (found === null) return 'nothing'
  return found.isDirectory() ? 'folder' : 'file'
}

/**
 * Returns the paths of transcripts whose sessions are not in the ledger: it was lost or truncated,
 * or they came from elsewhere. Relative to the data directory.
 */
export async function strayTranscripts(
  { sessions, archive }: DataLayout,
  isKnown: (id: TaskId) => boolean,
): Promise<string[]> {
  const strays: string[] = []
  for (const folder of [sessions, archive]) {
    for (const name of await namesIn(folder)) {
      const id = parseTaskId(name)
      if (!id || isKnown(id)) continue
      if (await isThere(join(folder, name, chatFile)))
        strays.push(`${basename(folder)}/${name}/${chatFile}`)
    }
  }
  return strays
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
