import { readdir } from 'node:fs/promises'
import { systemCode } from '../errors.ts'

/** Returns the names in a folder; none if it does not exist. Any other failure is an error, so that nothing unread counts as empty. */
export async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error) => {
    if (systemCode(error) === 'ENOENT') return []
    throw error
  })
}
