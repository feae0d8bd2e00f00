/** Keeps the owner and the group of a file that another file replaces. */
import { lchown } from 'node:fs/promises'
import type { Owner } from './beside.ts'

/**
 * Gives a new file the owner and group of the one that it will replace, as far as the system allows it. Returns the
 * permission bits that it may then have: members of another group than before get no more than all users.
 */
export async function keepOwner(
  file: string,
  { is, was, mode }: { is: Owner; was: Owner; mode: number },
): Promise<number> {
  if (is.uid === was.uid && is.gid === was.gid) return mode
  // Only root may give a file away, but anyone may give one to a group of theirs.
  if (await isGiven(file, was)) return mode
  if (is.gid === was.gid || (await isGiven(file, { uid: is.uid, gid: was.gid }))) return mode
  const ofAll = (mode & 0o007) << 3
  return mode & (0o707 | ofAll)
}

const isGiven = (file: string, { uid, gid }: Owner): Promise<boolean> =>
  lchown(file, uid, gid).then(
    () => true,
    () => false,
  )
