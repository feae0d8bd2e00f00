/** What lies in the trash, and what of it has been there long enough. See FORMAT.md. */
import { z } from 'zod'
import type { RemovedKind } from '../../shared/contract/retention.ts'
import { parseTaskId, type TaskId } from '../../shared/ids.ts'
import type { LedgerState } from '../../shared/projections/ledger-state.ts'
import { readJsonFile, writeFileDurable } from '../journal/index.ts'
import {
  expiredName,
  isBeingDeleted,
  taskOfLeftovers,
  trashedRootName,
} from '../sessions/trash-names.ts'
import { dayMs, isPinned } from './plan.ts'

/** One thing in the trash, as far as the ledger knows it. */
type TrashEntry =
  | { kind: 'trashed-transcript' | 'trashed-workspace'; name: string; taskId: TaskId }
  /** What was left in a worktree when it was removed. */
  | { kind: 'trashed-worktree'; name: string; taskId: TaskId }
  /** Nothing that the ledger speaks of: what was left over, set aside or put there by somebody. */
  | { kind: 'trashed-file'; name: string; taskId: null }
  /** The ledger says that it belongs elsewhere: a move that was cut short, which the next start ends. */
  | { kind: 'not-trash'; name: string; taskId: TaskId }
  /** The ledger says that it has left for good: what a crash left of it. */
  | { kind: 'gone'; name: string; taskId: TaskId | null }

export interface PlannedPurge {
  name: string
  kind: Exclude<RemovedKind, 'transcript'>
  taskId: TaskId | null
  /** Since when it has been there, in milliseconds since the epoch. */
  sinceMs: number
}

/**
 * What leaves the trash for good: an expired transcript when the time is over that was promised, a deleted
 * root `trashTtlDays` after it was deleted, anything else that many days after it was first seen there
 * (`seen`: milliseconds by name). What is pinned stays (X1). Pure.
 */
export function planPurge(
  names: string[],
  { tasks }: Pick<LedgerState, 'tasks'>,
  seen: ReadonlyMap<string, number>,
  trashTtlDays: number,
  nowMs: number,
): PlannedPurge[] {
  const purge: PlannedPurge[] = []
  for (const entry of names.map((name) => whatIs(name, { tasks }))) {
    if (entry.kind === 'not-trash' || entry.kind === 'gone') continue
    const task = entry.taskId ? tasks.get(entry.taskId) : undefined
    if (task && isPinned(tasks, task)) continue
    const { name, kind, taskId } = entry
    const sinceMs = sinceOf(entry, task, seen) ?? nowMs
    const untilMs =
      kind === 'trashed-transcript'
        ? Date.parse(task?.transcriptExpired?.keptUntil ?? '')
        : sinceMs + trashTtlDays * dayMs
    if (untilMs <= nowMs) purge.push({ name, kind, taskId, sinceMs })
  }
  return purge.sort((a, b) => a.sinceMs - b.sinceMs || (a.name < b.name ? -1 : 1))
}

function sinceOf(
  { kind, name }: TrashEntry,
  task: ReturnType<LedgerState['tasks']['get']>,
  seen: ReadonlyMap<string, number>,
): number | undefined {
  const at =
    kind === 'trashed-transcript'
      ? task?.transcriptExpired?.at
      : kind === 'trashed-workspace'
        ? task?.trashedAt
        : null
  return at ? Date.parse(at) : seen.get(name)
}

/** What a name in the trash stands for, as the ledger has it. */
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

const seenSchema = z.object({ version: z.literal(1), seenMs: z.record(z.string(), z.number()) })

/**
 * Since when things whose age the ledger does not tell have been seen in the trash: `trash-seen.json`. It
 * is disposable: without it, their time begins anew. What is not there any more is forgotten.
 */
export async function lookAtTrash(
  /** Absolute. */
  seenFile: string,
  names: string[],
  nowMs: number,
): Promise<Map<string, number>> {
  const file = await readJsonFile(seenFile, seenSchema)
  const known = file.kind === 'ok' ? new Map(Object.entries(file.value.seenMs)) : new Map()
  // A clock that was set back must not make something older than it is.
  const seen = new Map(names.map((name) => [name, Math.min(known.get(name) ?? nowMs, nowMs)]))
  const isSame =
    seen.size === known.size && names.every((name) => known.get(name) === seen.get(name))
  if (!isSame) {
    const value = { version: 1, seenMs: Object.fromEntries(seen) }
    await writeFileDurable(seenFile, `${JSON.stringify(value, null, 2)}\n`)
  }
  return seen
}
