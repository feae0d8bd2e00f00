/** Lists the items in the trash and selects those that have expired. See FORMAT.md. */

import { z } from 'zod'
import { totalBytes } from '../../shared/collections/total-bytes.ts'
import type {
  RemovalReason,
  RemovedKind,
  RetentionSettings,
} from '../../shared/contract/retention.ts'
import { dayMs } from '../../shared/durations.ts'
import type { LedgerState } from '../../shared/projections/ledger/ledger-state.ts'
import { parseTaskId, type TaskId } from '../../shared/records/ids.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import { readJsonFile, writeFileDurable } from '../journal/index.ts'
import {
  expiredName,
  isBeingDeleted,
  sortedName,
  taskOfLeftovers,
  trashedRootName,
} from '../sessions/trash-names.ts'
import { isPinned } from './plan.ts'

/** One item in the trash, according to the ledger. */
type TrashEntry =
  | { kind: 'trashed-transcript' | 'trashed-workspace'; name: string; taskId: TaskId }
  /** Files that remained in a worktree when it was removed. */
  | { kind: 'trashed-worktree'; name: string; taskId: TaskId }
  /** Not in the ledger: a leftover, set aside, or put there by hand. */
  | { kind: 'trashed-file'; name: string; taskId: null }
  /**
   * Belongs elsewhere according to the ledger: an interrupted move, which the next start completes.
   */
  | { kind: 'not-trash'; name: string; taskId: TaskId }
  /** Deleted according to the ledger: a deletion that a crash interrupted. */
  | { kind: 'gone'; name: string; taskId: TaskId | null }

export interface PlannedPurge {
  name: string
  kind: Exclude<RemovedKind, 'transcript'>
  taskId: TaskId | null
  reason: RemovalReason
  bytes: number
  /** When it was moved there, in milliseconds since the epoch. */
  sinceMs: number
}

/** One item in the trash with its times. */
export interface Trashed extends Omit<PlannedPurge, 'reason'> {
  /** When it expires; null if pinned (X1). */
  untilMs: number | null
}

/** Gives the user time to notice a mistake before it is final, however full the trash is. */
const budgetSparesMs = dayMs

/**
 * Selects items to delete permanently: an expired transcript after its promised time, a deleted
 * root `trashTtlDays` after it was deleted, any other item that many days after it was first seen
 * there; then the oldest until no more than `trashBytesMax` are left. This limit deletes neither
 * items of the last day nor transcripts and roots, whose days were promised; they count, so the
 * limit may stay exceeded. Pinned items stay (X1). Pure.
 */
export function planPurge(
  trashed: Trashed[],
  { trashBytesMax }: Pick<RetentionSettings, 'trashBytesMax'>,
  nowMs: number,
): PlannedPurge[] {
  const oldestFirst = trashed.toSorted(
    (a, b) => a.sinceMs - b.sinceMs || (a.name < b.name ? -1 : 1),
  )
  let bytes = totalBytes(trashed)
  const purge = new Map<string, PlannedPurge>()
  const take = ({ untilMs: _, ...one }: Trashed, reason: RemovalReason) => {
    purge.set(one.name, { ...one, reason })
    bytes -= one.bytes
  }
  for (const one of oldestFirst)
    if (one.untilMs !== null && one.untilMs <= nowMs) take(one, 'trash')
  for (const one of oldestFirst) {
    if (trashBytesMax === null || bytes <= trashBytesMax) break
    const isPromised = one.kind === 'trashed-transcript' || one.kind === 'trashed-workspace'
    if (isPromised || one.untilMs === null || purge.has(one.name)) continue
    if (one.sinceMs + budgetSparesMs <= nowMs) take(one, 'trash-bytes')
  }
  return oldestFirst.flatMap(({ name }) => purge.get(name) ?? [])
}

/**
 * Returns the items in the trash according to the ledger, without those that a start has yet to
 * move or delete. `looked` maps names to when each was first seen (milliseconds) and its bytes.
 */
export function trashedThings(
  names: string[],
  { tasks }: Pick<LedgerState, 'tasks'>,
  looked: ReadonlyMap<string, { sinceMs: number; bytes: number }>,
  trashTtlDays: number,
  nowMs: number,
): Trashed[] {
  return names.flatMap((name): Trashed[] => {
    const entry = whatIs(name, { tasks })
    if (entry.kind === 'not-trash' || entry.kind === 'gone') return []
    const { kind, taskId } = entry
    const task = taskId ? tasks.get(taskId) : undefined
    const { sinceMs: seenMs = nowMs, bytes = 0 } = looked.get(name) ?? {}
    const sinceMs = sinceOf(entry, task) ?? seenMs
    const promised = task?.transcriptExpired?.keptUntil
    const untilMs =
      kind === 'trashed-transcript' && promised
        ? Date.parse(promised)
        : sinceMs + trashTtlDays * dayMs
    // What a restore could not move back is the only copy of a file of a workspace in use.
    const isInUse = kind === 'trashed-worktree' && task !== undefined && !task.archived
    const isKept = isInUse || (task !== undefined && isPinned(tasks, task))
    return [{ name, kind, taskId, bytes, sinceMs, untilMs: isKept ? null : untilMs }]
  })
}

/** Returns milliseconds; undefined if the ledger has no time. */
function sinceOf({ kind, name }: TrashEntry, task: Task | undefined): number | undefined {
  const at = {
    'trashed-transcript': task?.transcriptExpired?.at,
    'trashed-workspace': task?.trashedAt,
    'trashed-worktree': task?.leftovers?.find((one) => one.name === sortedName(name))?.at,
    'trashed-file': null,
    'not-trash': null,
    gone: null,
  }[kind]
  return at ? Date.parse(at) : undefined
}

/** Returns the ledger's meaning of a name in the trash. */
export function whatIs(name: string, { tasks }: Pick<LedgerState, 'tasks'>): TrashEntry {
  const taskId = parseTaskId(name.replace(/^(transcript|archive)-/, ''))
  const task = taskId ? tasks.get(taskId) : undefined
  if (isBeingDeleted(name)) return { kind: 'gone', name, taskId: null }
  if (taskId && task && name === expiredName(taskId)) {
    const { transcriptExpired: expired } = task
    if (!expired) return { kind: 'not-trash', name, taskId }
    return { kind: expired.purgedAt ? 'gone' : 'trashed-transcript', name, taskId }
  }
  if (taskId && task && name === trashedRootName(taskId)) {
    if (task.purged) return { kind: 'gone', name, taskId }
    return { kind: task.trashed ? 'trashed-workspace' : 'not-trash', name, taskId }
  }
  const worktreeOf = taskOfLeftovers(name)
  if (worktreeOf && tasks.has(worktreeOf))
    return { kind: 'trashed-worktree', name, taskId: worktreeOf }
  return { kind: 'trashed-file', name, taskId: null }
}

const seenSchema = z.object({
  version: z.literal(1),
  seenMs: z.record(z.string(), z.number()),
  bytes: z.record(z.string(), z.number()).default({}),
})

/**
 * Updates `trash-seen.json`: when items without a time in the ledger were first seen in the trash,
 * and the bytes of all. It is disposable: without it, their time restarts and they are measured
 * again. Entries of missing items are dropped.
 */
export async function lookAtTrash(
  /** Absolute. */
  seenFile: string,
  names: string[],
  nowMs: number,
  measure: (name: string) => Promise<number>,
): Promise<Map<string, { sinceMs: number; bytes: number }>> {
  const file = await readJsonFile(seenFile, seenSchema)
  const { seenMs, bytes } = file.kind === 'ok' ? file.value : { seenMs: {}, bytes: {} }
  const known = new Map(Object.entries(seenMs))
  const measured = new Map(Object.entries(bytes))
  const seen = new Map<string, { sinceMs: number; bytes: number }>()
  for (const name of names) {
    // A clock that was set back must not make an item older than it is.
    const sinceMs = Math.min(known.get(name) ?? nowMs, nowMs)
    seen.set(name, { sinceMs, bytes: measured.get(name) ?? (await measure(name)) })
  }
  const isSame =
    seen.size === known.size &&
    [...seen].every(
      ([name, one]) => known.get(name) === one.sinceMs && measured.get(name) === one.bytes,
    )
  if (!isSame) {
    const all = [...seen]
    const value = {
      version: 1,
      seenMs: Object.fromEntries(all.map(([name, { sinceMs }]) => [name, sinceMs])),
      bytes: Object.fromEntries(all.map(([name, one]) => [name, one.bytes])),
    }
    await writeFileDurable(seenFile, `${JSON.stringify(value, null, 2)}\n`)
  }
  return seen
}
