/**
 * Orders the entries of an imported transcript. A branch is enclosed in `fork-start` and `fork-end`, again each time it
 * is continued, so that folding any page of the transcript gives a correct result (I5).
 */
import type { EntryId, TaskId } from '../../../shared/records/ids.ts'
import type { ReadEntry } from '../adapters/adapter.ts'
import { derivedId } from '../rewritten-ids.ts'

/** The parent branch, and the record where a branch forks. */
interface ForkPoint {
  branch: number
  record: number
}

type EntryBody = Record<string, unknown> & { type: string }

export function createBranchedEntries({
  taskId,
  trunk,
  parentOf,
}: {
  taskId: TaskId
  /** The branch of the conversation. */
  trunk: number
  /** Null: the branch has no parent. */
  parentOf: (branch: number) => ForkPoint | null
}) {
  const entries: ReadEntry[] = []
  let created = 0
  let branch = trunk
  /** The last entry of each branch. */
  const last = new Map<number, EntryId>()
  const forkIds = new Map<number, EntryId>()
  const openForks: { branch: number; id: EntryId }[] = []
  const afterRecord = new Map<number, EntryId>()

  /** A deterministic id, so that importing the same records gives the same ids (I3). */
  const newId = (): EntryId => derivedId(taskId, `entry ${created++}`) as string as EntryId

  /** `atMs`: milliseconds since the epoch. */
  function add(body: EntryBody, atMs: number, uuid = newId()): EntryId {
    entries.push({ ...body, uuid, parentUuid: last.get(branch) ?? null, at: atMs } as ReadEntry)
    last.set(branch, uuid)
    return uuid
  }

  function closeFork(atMs: number): boolean {
    const open = openForks.pop()
    if (!open) return false
    add({ type: 'fork-end', forkId: open.id }, atMs)
    branch = parentOf(branch)?.branch ?? trunk
    return true
  }

  function openFork(next: number, atMs: number): void {
    const from = parentOf(next)
    const parentUuid = last.get(next) ?? (from && afterRecord.get(from.record)) ?? last.get(branch)
    const uuid = newId()
    const forkId = forkIds.get(next) ?? uuid
    forkIds.set(next, forkId)
    entries.push({ type: 'fork-start', forkId, uuid, parentUuid: parentUuid ?? null, at: atMs })
    last.set(next, uuid)
    openForks.push({ branch: next, id: forkId })
    branch = next
  }

  return {
    newId,
    add,
    get branch() {
      return branch
    },
    /** Switches to a branch, entering its parent branches first. */
    switchTo(target: number, atMs: number): void {
      const path: number[] = []
      for (let one: number | undefined = target; one !== undefined; one = parentOf(one)?.branch)
        path.unshift(one)
      while (!path.includes(branch) && closeFork(atMs));
      for (const next of path.slice(path.indexOf(branch) + 1)) openFork(next, atMs)
    },
    closeForks(atMs: number): void {
      while (closeFork(atMs));
    },
    /** Stores the entry after which a branch forks. `turnId`: the open turn, which has no entry yet. */
    markForkPoint(record: number, turnId: EntryId | undefined): void {
      const after = turnId ?? last.get(branch)
      if (after) afterRecord.set(record, after)
    },
    /** Removes and returns the entries added since the last call. */
    take: (): ReadEntry[] => entries.splice(0),
  }
}
