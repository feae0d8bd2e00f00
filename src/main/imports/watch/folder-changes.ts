/**
 * Reports changes in folders. They are hints: a system may report none, or lose some, so a caller must also check at
 * regular intervals.
 */
import { type FSWatcher, watch } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { explain, systemCode } from '../../journal/index.ts'

interface FolderChanges {
  /** Watches exactly these folders, not recursively. Returns true if one of them is new. */
  watch(folders: ReadonlySet<string>): boolean
  /** Why a folder can't be watched; null: all existing folders are watched. */
  problem(): string | null
  /** Resolves once something has changed since the last call, after `longestMs`, or when the signal is aborted. */
  wait(longestMs: number, signal: AbortSignal): Promise<void>
  close(): void
}

export function createFolderChanges(): FolderChanges {
  const watchers = new Map<string, FSWatcher>()
  let problem: string | null = null
  let changed = Promise.withResolvers<void>()

  function add(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => changed.resolve())
      watcher.on('error', () => {
        drop(folder)
        changed.resolve()
      })
      watchers.set(folder, watcher)
    } catch (error) {
      const code = systemCode(error)
      // inotify reports its limits by these codes.
      if (code === 'ENOSPC' || code === 'EMFILE')
        problem = 'the system allows no more watched folders'
      // The watch on the parent reports a deleted folder.
      else if (code !== 'ENOENT' && code !== 'ENOTDIR') problem = explain(code)
    }
  }

  function drop(folder: string): void {
    watchers.get(folder)?.close()
    watchers.delete(folder)
  }

  return {
    watch(folders) {
      problem = null
      for (const folder of watchers.keys()) if (!folders.has(folder)) drop(folder)
      const before = watchers.size
      for (const folder of folders) if (!watchers.has(folder)) add(folder)
      return watchers.size > before
    },
    problem: () => problem,
    async wait(longestMs, signal) {
      const ended = new AbortController()
      const aborted = AbortSignal.any([signal, ended.signal])
      const late = delay(longestMs, undefined, { signal: aborted, ref: false }).catch(() => {})
      await Promise.race([changed.promise, late])
      ended.abort()
      changed = Promise.withResolvers()
    },
    close() {
      for (const watcher of watchers.values()) watcher.close()
      watchers.clear()
    },
  }
}
