/**
 * One update of a working tree at a time, also by processes with another data directory: two that swap the same files
 * could each replace what the other has just written.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { refused } from '../../../shared/failure.ts'
import type { Git } from '../../git/index.ts'
import { systemCode } from '../../journal/index.ts'
import { lockFile } from '../../lease/kernel-lock.ts'

/** In the Git folder of the working tree. It stays, empty; the kernel's lock on it counts. */
const lockName = 'shiplog-update.lock'

const waitMsMax = 30_000
const pollMs = 50

/**
 * Runs `update` while no other process updates the working tree `root`. Throws FailureError (`in-use`) if another one
 * does for longer than `waitMs`. Where the file system has no locks, or the file can't be
 * created, it runs without.
 */
export async function whileUpdating<Result>(
  git: Pick<Git, 'privateFile'>,
  root: string,
  update: () => Promise<Result>,
  { waitMs = waitMsMax }: { waitMs?: number } = {},
): Promise<Result> {
  const file = await git.privateFile(root, lockName)
  const deadlineMs = Date.now() + waitMs
  let locking = await tryLock(file)
  while (locking.kind === 'held' && Date.now() < deadlineMs) {
    await delay(pollMs)
    locking = await tryLock(file)
  }
  if (locking.kind === 'held')
    return refused(
      'in-use',
      `Another Shiplog is changing files in ${root}. Try again when it is done.`,
    )
  try {
    return await update()
  } finally {
    if (locking.kind === 'locked') locking.lock.release()
  }
}

const cannotCreate = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT']

/** An apply writes nothing else into the Git folder, so one that can't be written must not prevent it. */
const tryLock: typeof lockFile = (file) =>
  lockFile(file).catch((error) => {
    const why = systemCode(error)
    if (cannotCreate.includes(why)) return { kind: 'unavailable', why }
    throw error
  })
