/** The folders that Shiplog makes in its data directory, looked at before anything is written there. */
import { access, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseTaskId, type TaskId } from '../../shared/ids.ts'
import { refuseSymlink, systemCode } from '../journal/index.ts'
import { chatFile } from './session-files.ts'

const ownFolders = [
  ...['receipts', 'sessions', 'archive', 'trash', 'worktrees', 'projects'],
  'running',
]

/** Throws with code ELOOP when one of them is a symbolic link: what is written there would be elsewhere (A3). */
export async function refuseLinkedFolders(dataDir: string): Promise<void> {
  for (const name of ownFolders) await refuseSymlink(join(dataDir, name))
}

/**
 * Transcripts of sessions that the ledger does not know, by their paths: it was lost or cut, or they were
 * put there by somebody else.
 */
export async function strayTranscripts(
  dataDir: string,
  isKnown: (id: TaskId) => boolean,
): Promise<string[]> {
  const strays: string[] = []
  for (const folder of ['sessions', 'archive']) {
    for (const name of await namesIn(join(dataDir, folder))) {
      const id = parseTaskId(name)
      if (!id || isKnown(id)) continue
      const transcript = `${folder}/${name}/${chatFile}`
      if (await isThere(join(dataDir, transcript))) strays.push(transcript)
    }
  }
  return strays
}

async function namesIn(dir: string): Promise<string[]> {
  return readdir(dir).catch((error) => {
    if (systemCode(error) === 'ENOENT') return []
    throw error
  })
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
