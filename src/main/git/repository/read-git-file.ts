import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** Windows has no named pipes in folders. */
const { O_NONBLOCK = 0 } = constants

/**
 * The text of a file of Git's. Throws what the system says, and for a named pipe, a device or a folder in its place
 * an Error without waiting: an agent may have put it there. Follows links.
 */
export async function readGitFile(file: string): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | O_NONBLOCK)
  try {
    if (!(await handle.stat()).isFile()) throw new Error(`${file} is not a file`)
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}
