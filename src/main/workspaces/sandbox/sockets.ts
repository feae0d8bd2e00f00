/** Finds sockets in temporary folders, whose programs (tmux, an editor, ssh-agent) run commands outside of a sandbox. */
import type { Dirent } from 'node:fs'
import { readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'

/** Programs put them there, or into a folder of their own. */
const depthMax = 2
/** A folder with more is not searched to its end. */
const entriesMax = 10_000

/** Resolves with the absolute real paths of the sockets. A folder that can't be read has none. */
export async function socketsIn(folders: readonly string[]): Promise<string[]> {
  const real = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)))
  const found: string[] = []
  let entries = 0
  async function search(folder: string, depth: number): Promise<void> {
    const inside: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => [])
    for (const entry of inside) {
      if (++entries > entriesMax) return
      const path = join(folder, entry.name)
      if (entry.isSocket()) found.push(path)
      else if (entry.isDirectory() && depth < depthMax) await search(path, depth + 1)
    }
  }
  for (const folder of new Set(real.filter((one) => one !== null))) await search(folder, 1)
  return found
}
