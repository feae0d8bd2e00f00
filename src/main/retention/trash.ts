/** The items in the trash, and those that have been there for long enough. See FORMAT.md. */

import { z } from 'zod'
import type {
  RemovalReason,
  RemovedKind,
  RetentionSettings,
} from '../../shared/contract/retention.ts'
import { dayMs } from '../../shared/durations.ts'
import type { LedgerState } from '../../shared/projections/ledger-state.ts'
import { parseTaskId, type TaskId } from '../../shared/records/ids.ts'
import type { Task } from '../../shared/records/tasks.ts'
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
  /** It belongs elsewhere according to the ledger: an interrupted move, which the next start completes. */
  | { kind: 'not-trash'; name: string; taskId: TaskId }
  /** It was deleted according to the ledger: the rest of a deletion that a crash interrupted. */
  | { kind: 'gone'; name: string; taskId: TaskId | null }

export interface PlannedPurge {
  name: string
  kind: Exclude<RemovedKind, 'transcript'>
  taskId: TaskId | null
  reason: RemovalReason
  bytes: number
  /** Since when it has been there, in milliseconds since the epoch. */
  sinceMs: number
}

/** One item in the trash with its times. */
export interface Trashed extends Omit<PlannedPurge, 'reason'> {
  /** When its time is over; null: pinned (X1). */
  untilMs: number | null
}

/** A mistake must be noticed before it is made final, however full the trash is. */
const budgetSparesMs = dayMs

/**
 * Items to delete permanently: an expired transcript after its promised time, a deleted root `trashTtlDays` after it
 * was deleted, any other item that many days after it was first seen there; then the oldest until no more than
 * `trashBytesMax` are left. This limit deletes neither items of the last day nor transcripts and roots, whose days
 * were promised; they count, so where only such are left it is exceeded. Pinned items stay (X1). Pure.
 */
export function planPurge(
  trashed: Trashed[],
  { trashBytesMax }: Pick<RetentionSettings, 'trashBytesMax'>,
  nowMs: number,
): PlannedPurge[] {
  const oldestFirst = trashed.toSorted(
    (a, b) => a.sinceMs - b.sinceMs || (a.name < b.name ? -1 : 1),
  )
  let bytes = trashed.reduce((sum, one) => sum + one.bytes, 0)
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
 * The items in the trash, according to the ledger: without those that a start has yet to move or delete. `looked`:
 * when each was first seen (milliseconds) and its bytes, by name.
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
    const isKept = task !== undefined && isPinned(tasks, task)
    return [{ name, kind, taskId, bytes, sinceMs, untilMs: isKept ? null : untilMs }]
  })
}

/** Milliseconds; undefined when the ledger has none. */
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

/** The ledger's meaning of a name in the trash. */
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
 * When items without a time in the ledger were first seen in the trash, and the bytes of all: `trash-seen.json`. It
 * is disposable: without it, their time restarts and they are measured again. Entries of missing items are dropped.
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
    // A clock that was set back must not make something older than it is.
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
