import { lstat } from 'node:fs/promises'

/** True of a symbolic link that leads nowhere, too. False where the disk won't say. */
export async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  )
}
