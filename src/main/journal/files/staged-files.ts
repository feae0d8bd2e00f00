/**
 * Files of a folder that nobody reads before it is complete, such as a session that is being imported. For a thread of
 * its own: they are written synchronously, because handing each call to another thread costs more than the call. What
 * waits for the disk is shared.
 */
import { closeSync, constants, fsync, mkdirSync, openSync } from 'node:fs'
import path from 'node:path'
import { allEnded } from '../../../shared/async/all-ended.ts'
import { writeFullyNow } from './durable-files.ts'

/** Open files that wait for their sync: enough for the disk to take them together. */
const unsyncedMax = 64

export interface StagedFiles {
  /** Creates a file (0600) that must not exist. `file`: relative to the folder, as everywhere here. */
  add(file: string, content: string | Uint8Array): Promise<void>
  /** Creates a folder (0700) and its missing parents. */
  addFolder(folder: string): void
  /** Makes all of it durable, but not the entry of the folder itself. */
  sync(): Promise<void>
}

/** `root`: an existing folder. */
export function createStagedFiles(root: string): StagedFiles {
  const folders = new Set<string>(['.'])
  let unsynced: number[] = []

  function addFolder(folder: string): void {
    const name = path.normalize(folder)
    if (folders.has(name)) return
    addFolder(path.dirname(name))
    mkdirSync(path.join(root, name), { mode: 0o700 })
    folders.add(name)
  }

  async function syncOpen(): Promise<void> {
    const files = unsynced
    unsynced = []
    try {
      await allEnded(files.map(syncFile))
    } finally {
      for (const file of files) closeSync(file)
    }
  }

  async function syncFolder(folder: string): Promise<void> {
    const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants
    const descriptor = openSync(path.join(root, folder), O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    try {
      await syncFile(descriptor)
    } finally {
      closeSync(descriptor)
    }
  }

  return {
    async add(file, content) {
      addFolder(path.dirname(file))
      const descriptor = openSync(path.join(root, file), 'wx', 0o600)
      unsynced.push(descriptor)
      try {
        writeFullyNow(descriptor, Buffer.from(content))
      } catch (error) {
        for (const file of unsynced.splice(0)) closeSync(file)
        throw error
      }
      if (unsynced.length >= unsyncedMax) await syncOpen()
    },
    addFolder,
    async sync() {
      // Windows can't open a directory, and NTFS journals its entries.
      const named = process.platform === 'win32' ? [] : [...folders]
      await allEnded([syncOpen(), ...named.map(syncFolder)])
    },
  }
}

function syncFile(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fsync(descriptor, (error) => (error ? reject(error) : resolve()))
  })
}
