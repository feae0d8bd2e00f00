/** The watched import: while enabled, imports other tools' sessions as they begin and grow. */
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import type { ImportedSession, ImportWatchState } from '../../../shared/contract/imports.ts'
import { messageOf } from '../../../shared/error-message.ts'
import type { ImportTool } from '../../../shared/records/exported-tasks.ts'
import { toolName } from '../../../shared/text/import-text.ts'
import { openSettingsFile } from '../../journal/files/settings-file.ts'
import type { SessionImports } from '../session-imports.ts'
import { watchTimes } from './watch-sessions.ts'

export interface WatchedImport {
  /** Starts watching if enabled. */
  start(): void
  /** Durable when it resolves. */
  setEnabled(enabled: boolean): Promise<void>
  state(): ImportWatchState
  /** Calls `listener` after each change. Returns the unsubscribe function. */
  subscribe(listener: () => void): () => void
  close(): Promise<void>
}

/** Tools with a default log folder. */
const watchedTools: readonly ImportTool[] = ['claude-code', 'codex']
/** Limit of listed sessions that could not be imported. */
const failedMax = 20
/** `since`: when it was enabled; absent in files of earlier versions, which imported older sessions as well. */
const settingsSchema = z.object({ watch: z.boolean(), since: z.iso.datetime().optional() })

/** `path`: of the settings file. */
export async function openWatchedImport({
  path,
  watch,
  clock,
  onLost,
  retryMs = watchTimes.rescanMs,
}: {
  path: string
  watch: SessionImports['watch']
  clock: () => number
  onLost(text: string): void
  retryMs?: number
}): Promise<WatchedImport> {
  const file = await openSettingsFile(path, settingsSchema, { watch: false })
  const lost = file.lost()
  if (lost !== null) onLost(`New sessions of other tools are no longer imported. ${lost}`)
  const listeners = new Set<() => void>()
  let state: ImportWatchState = {
    enabled: file.current().watch,
    checkedAt: null,
    kept: 0,
    failed: [],
    problem: null,
  }
  let running: { abort: AbortController; ended: Promise<unknown> } | null = null
  let isStarted = false

  function change(changed: Partial<ImportWatchState>): void {
    state = { ...state, ...changed }
    for (const listener of listeners) listener()
  }

  function sinceMs(): number | undefined {
    const { since } = file.current()
    return since === undefined ? undefined : Date.parse(since)
  }

  async function follow(tool: ImportTool, signal: AbortSignal): Promise<void> {
    while (!signal.aborted)
      try {
        for await (const event of watch({ tool, sinceMs: sinceMs() }, signal))
          if (event.type === 'scanned') change({ checkedAt: event.at, problem: event.problem })
          else if (event.type === 'session') kept(event.session)
          else if (event.type === 'skipped') {
            const others = state.failed.filter(({ session }) => session !== event.skipped.session)
            change({ failed: [event.skipped, ...others].slice(0, failedMax) })
          }
      } catch (error) {
        if (signal.aborted) return
        const reason = messageOf(error)
        change({ problem: `Searching for sessions of ${toolName(tool)} failed: ${reason}` })
        await delay(retryMs, undefined, { signal, ref: false }).catch(() => {})
      }
  }

  function kept({ session: name, isNew, isUpdated }: ImportedSession): void {
    const failed = state.failed.filter(({ session }) => session !== name)
    change({ failed, kept: state.kept + (isNew || isUpdated ? 1 : 0) })
  }

  function begin(): void {
    if (running || !isStarted || !state.enabled) return
    const abort = new AbortController()
    const ended = Promise.all(watchedTools.map((tool) => follow(tool, abort.signal)))
    running = { abort, ended }
  }

  async function end(): Promise<void> {
    const ending = running
    running = null
    ending?.abort.abort()
    await ending?.ended
  }

  return {
    start() {
      isStarted = true
      begin()
    },
    async setEnabled(enabled) {
      const isOn = file.current().watch
      if (isOn !== enabled)
        await file.change(() =>
          enabled ? { watch: true, since: new Date(clock()).toISOString() } : { watch: false },
        )
      change({ enabled, ...(!enabled && { checkedAt: null, problem: null, failed: [] }) })
      if (enabled) begin()
      else await end()
    },
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      isStarted = false
      await end()
    },
  }
}
