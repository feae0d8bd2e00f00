/**
 * Imports sessions as they begin and grow. Every scan lists all sessions, so that a later scan finds changes that were
 * not reported. Importing is idempotent, so that a killed process starts over without loss (I3).
 */
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { FoundSession } from '../adapters/adapter.ts'
import { lastOf } from '../found-sources.ts'
import type { ImportEvent } from '../import-session.ts'
import { createFolderChanges } from './folder-changes.ts'

export type WatchEvent =
  | ImportEvent
  /** A scan has ended and found `sessions` sessions. `problem`: why changes may be noticed late; null: no problem. */
  | { type: 'scanned'; at: string; sessions: number; problem: string | null }

export interface WatchTimes {
  /** Minimum interval between scans: a busy agent changes its log many times per second. */
  betweenMs: number
  /** Interval of scans without reported changes: some systems report none on network folders. */
  rescanMs: number
  /** A growing session is imported after this time without a write, because imports read the whole session, */
  quietMs: number
  /** but at the latest this long after its last import. */
  growingMs: number
}
export const watchTimes: WatchTimes = {
  betweenMs: 15_000,
  rescanMs: 10 * 60_000,
  quietMs: 20_000,
  growingMs: 5 * 60_000,
}

export async function* watchSessions(
  deps: {
    /** The folder of all sessions. */
    place: string
    clock: () => number
    times: WatchTimes
    discover(): Promise<FoundSession[]>
    /** False: a user deleted it, or it is already recorded. */
    isWanted(session: FoundSession): Promise<boolean>
    isImportedUnchanged(session: FoundSession): Promise<boolean>
    importAll(found: FoundSession[]): AsyncGenerator<ImportEvent>
  },
  signal: AbortSignal,
): AsyncGenerator<WatchEvent> {
  const { place, clock, times, discover, importAll } = deps
  const changes = createFolderChanges()
  const isDue = createDueCheck(deps)
  try {
    while (!signal.aborted) {
      const found = await discover()
      const due: FoundSession[] = []
      let waiting = false
      for (const session of found) {
        const answer = await isDue(session)
        if (answer === 'now') due.push(session)
        waiting ||= answer === 'later'
      }
      if (due.length > 0) yield* importAll(due)
      const isNew = changes.watch(foldersOf(place, found))
      const at = new Date(clock()).toISOString()
      yield { type: 'scanned', at, sessions: found.length, problem: changes.problem() }
      await delay(times.betweenMs, undefined, { signal, ref: false }).catch(() => {})
      // Scans again after a new watch, because earlier changes in the folder were not reported.
      if (waiting || isNew) continue
      await changes.wait(times.rescanMs, signal)
    }
  } finally {
    changes.close()
  }
}

/** Decides which sessions are due. Each state of a session's files is handled once, even if unreadable. */
function createDueCheck(deps: Omit<Parameters<typeof watchSessions>[0], 'place'>) {
  const { clock, times, isWanted, isImportedUnchanged } = deps
  const handled = new Map<string, { stamp: string; atMs: number }>()
  return async (session: FoundSession): Promise<'now' | 'later' | 'never'> => {
    const stamp = session.files
      .map(({ name, bytes, mtimeMs }) => `${name}:${bytes}:${mtimeMs}`)
      .join()
    const before = handled.get(session.key)
    if (before?.stamp === stamp || !(await isWanted(session))) return 'never'
    const nowMs = clock()
    if (before) {
      const isQuiet = nowMs - lastOf(session) >= times.quietMs
      if (!isQuiet && nowMs - before.atMs < times.growingMs) return 'later'
    }
    handled.set(session.key, { stamp, atMs: nowMs })
    return (await isImportedUnchanged(session)) ? 'never' : 'now'
  }
}

/** The given folder, and every folder below it that contains a session at any depth. */
function foldersOf(place: string, found: readonly FoundSession[]): Set<string> {
  const folders = new Set([place])
  for (const { files } of found)
    for (const { path } of files)
      for (let dir = dirname(path); dir.length > place.length; dir = dirname(dir)) {
        if (folders.has(dir)) break
        folders.add(dir)
      }
  return folders
}
