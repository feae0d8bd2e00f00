/** Finds and imports sessions of other tools, once or continuously. Importing again adds only new entries (I3). */
import { realpath, stat } from 'node:fs/promises'
import { availableParallelism, homedir } from 'node:os'
import type { KeyedMutex } from '../../shared/async/keyed-mutex.ts'
import type {
  FoundImportSession,
  ImportDetails,
  ImportSourceFound,
} from '../../shared/contract/imports.ts'
import { invalid } from '../../shared/failure.ts'
import { descendantsOf } from '../../shared/projections/ledger/ledger-state.ts'
import type { ImportTool } from '../../shared/records/exported-tasks.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import { toolName } from '../../shared/text/import-text.ts'
import type { ArchiveReader } from '../archive/archive-reader.ts'
import { exists, isReadable } from '../journal/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import type { EditedFile, FoundSession } from './adapters/adapter.ts'
import { homes, sessionTools } from './adapters/homes.ts'
import { createEarlierSessions } from './earlier-sessions.ts'
import { lastOf, sourceFound } from './found-sources.ts'
import { compareWhenFound, importAll } from './import-all.ts'
import { createSessionImporter, type ImportEvent } from './import-session.ts'
import { readImportRecord } from './known-session.ts'
import { listSessions } from './list-sessions.ts'
import { createRecordsAhead } from './records-ahead.ts'
import { createSessionPlaces } from './session-places.ts'
import {
  createThreads,
  type ImportThread,
  orThreadEnd,
  startImportThread,
} from './stage/import-thread.ts'
import { sumOf } from './stage/staged-session.ts'
import {
  type WatchEvent,
  type WatchTimes,
  watchSessions,
  watchTimes,
} from './watch/watch-sessions.ts'

interface ImportRequest {
  tool: ImportTool
  /** Absolute; absent: the tool's default folder. */
  path?: string | undefined
  /** Project folders to select, null for sessions without one; absent: all. */
  projects?: (string | null)[] | undefined
  /** Session names of the tool to select; absent: all. */
  sessions?: string[] | undefined
  /** Session names of the tool to leave out. */
  except?: string[] | undefined
}

/** Reading is CPU-bound, and a thread takes about 50 MB. */
const threadsMax = Math.min(2, availableParallelism())

export interface SessionImports {
  scan(
    request: { tool?: ImportTool | undefined; path?: string | undefined },
    signal?: AbortSignal,
  ): Promise<ImportSourceFound[]>
  /** The sessions of one project folder, newest first. */
  sessions(
    request: { tool: ImportTool; path?: string | undefined; dir: string | null },
    signal?: AbortSignal,
  ): Promise<{ sessions: FoundImportSession[]; more: number }>
  run(request: ImportRequest, signal?: AbortSignal): AsyncGenerator<ImportEvent>
  /**
   * Imports existing sessions, then new and growing ones, until the signal is aborted. `sinceMs`: only sessions that
   * were imported before, or written to since that time.
   */
  watch(
    request: Pick<ImportRequest, 'tool' | 'path'> & { sinceMs?: number | undefined },
    signal?: AbortSignal,
  ): AsyncGenerator<WatchEvent>
  details(taskId: TaskId): Promise<ImportDetails | null>
  /** Files edited by calls of the task and its sub-agents; empty if unknown. */
  editedFiles(taskId: TaskId): Promise<EditedFile[]>
}

export function createSessionImports(deps: {
  ledger: Ledger
  layout: DataLayout
  clock: () => number
  oneAtATime: KeyedMutex
  transcriptFile: ArchiveReader['transcriptFile']
  /** The environment and home folder that determine the tools' folders. */
  env?: NodeJS.ProcessEnv
  home?: string
  startThread?: () => ImportThread
  times?: WatchTimes
}): SessionImports {
  const { ledger, layout, clock, oneAtATime, transcriptFile } = deps
  const { env = process.env, home = homedir(), startThread = startImportThread } = deps
  const { times = watchTimes } = deps
  const { state } = ledger
  const earlier = createEarlierSessions({ ledger, layout })
  const places = createSessionPlaces({ state, layout, earlier, transcriptFile })
  const importer = createSessionImporter({
    ledger,
    layout,
    clock,
    oneAtATime,
    places,
    earlier,
  })

  async function scan(
    { tool, path }: { tool?: ImportTool | undefined; path?: string | undefined },
    signal = new AbortController().signal,
  ): Promise<ImportSourceFound[]> {
    const sources: ImportSourceFound[] = []
    const folders = new Map<ImportTool, string>()
    for (const one of tool ? [tool] : sessionTools) {
      const place = path ?? homes[one](env, home)
      if (place !== null && (await exists(place))) folders.set(one, place)
    }
    // Most machines lack most tools, so the thread is started only if a folder exists.
    if (folders.size === 0) return sources
    if (path !== undefined) await refuseUnreadable(path)
    const thread = startThread()
    try {
      for (const [one, place] of folders) {
        const all = await discover(thread, one, place, signal)
        // What is named is shown even if Shiplog ran it, because an import of it accepts it.
        const found = (await isFolder(place)) ? await withoutRunByShiplog(all) : all
        if (found.length === 0) continue
        const imported = new Set<FoundSession>()
        for (const session of found)
          if (await places.isImportedUnchanged(session)) imported.add(session)
        sources.push(sourceFound({ tool: one, path: place }, { found, imported }, clock()))
      }
    } finally {
      await thread.end()
    }
    return sources
  }

  async function sessions(
    { tool, path, dir }: { tool: ImportTool; path?: string | undefined; dir: string | null },
    signal = new AbortController().signal,
  ): Promise<{ sessions: FoundImportSession[]; more: number }> {
    const thread = startThread()
    try {
      const all = await discover(thread, tool, placeOf(tool, path), signal)
      const found = await withoutRunByShiplog(all.filter(({ projectDir }) => projectDir === dir))
      return await listSessions({ thread, places, nowMs: clock() }, found, signal)
    } finally {
      await thread.end()
    }
  }

  async function discover(
    thread: ImportThread,
    tool: ImportTool,
    path: string,
    signal: AbortSignal,
    onFound: (sessions: FoundSession[]) => void = () => {},
  ): Promise<FoundSession[]> {
    const found: FoundSession[] = []
    for await (const sessions of await thread.calls.discover(
      { tool, path },
      { signal: orThreadEnd(thread, signal) },
    )) {
      found.push(...sessions)
      onFound(sessions)
    }
    return found
  }

  /** Nothing is there either if a file is in the place of a folder above it. */
  const isThere = (place: string): Promise<boolean> =>
    stat(place).then(
      () => true,
      () => false,
    )

  async function isFolder(place: string): Promise<boolean> {
    const status = await stat(place).catch(() => null)
    return status?.isDirectory() ?? false
  }

  async function withoutRunByShiplog(found: FoundSession[]): Promise<FoundSession[]> {
    const others: FoundSession[] = []
    for (const session of found) if (!(await places.isRunByShiplog(session))) others.push(session)
    return others
  }

  async function* run(
    { tool, path, projects, sessions, except }: ImportRequest,
    signal = new AbortController().signal,
  ): AsyncGenerator<ImportEvent> {
    const place = placeOf(tool, path)
    const threads = createThreads(startThread, threadsMax)
    const ending = new AbortController()
    try {
      const { thread, release } = threads.take()
      const isChosen = ({ projectDir, key }: FoundSession): boolean =>
        (projects?.includes(projectDir) ?? true) &&
        (sessions?.includes(key) ?? true) &&
        except?.includes(key) !== true
      // Explicitly selected sessions are imported even if Shiplog ran them.
      const isNamed = sessions !== undefined || !(await isFolder(place))
      const ahead = createRecordsAhead(layout)
      if (!isNamed) void ahead.read(importedBefore(tool))
      const { onFound, compare } = compareWhenFound(importer, ending.signal, ahead.take)
      const all = await discover(thread, tool, place, signal, (found) => {
        ahead.stop()
        onFound(found.filter(isChosen))
      }).finally(() => {
        ahead.stop()
        release()
      })
      const chosen = all.filter(isChosen)
      const found = isNamed ? chosen : await withoutRunByShiplog(chosen)
      if (found.length === 0) {
        await refuseUnreadable(place)
        const what =
          chosen.length > 0
            ? `Shiplog itself ran all sessions of ${toolName(tool)} in ${place}, so the log already has them.`
            : (await isThere(place))
              ? `No session of ${toolName(tool)} was found in ${place}.`
              : `There is no file or folder ${place}.`
        invalid('path', `${what} Choose the file of a session, or a folder with sessions.`)
      }
      yield* importAll(importer, threads, found, signal, { compare })
    } finally {
      // A caller that stops early needs no more comparisons.
      ending.abort()
      await threads.end()
    }
  }

  /** The roots that were imported from a tool. */
  const importedBefore = (tool: ImportTool): TaskId[] =>
    [...state.tasks.values()]
      .filter(({ importedFrom, parentId }) => importedFrom?.tool === tool && parentId === null)
      .map(({ id }) => id)

  async function refuseUnreadable(place: string): Promise<void> {
    if (await isReadable(place)) return
    invalid(
      'path',
      `${place} can’t be read: its permissions do not allow it. Choose the file of a session, or a folder with sessions.`,
    )
  }

  function placeOf(tool: ImportTool, path: string | undefined): string {
    return (
      path ??
      homes[tool](env, home) ??
      invalid(
        'path',
        `${toolName(tool)} has no default folder on this machine. Specify a file or folder.`,
      )
    )
  }

  async function* watch(
    {
      tool,
      path,
      sinceMs = 0,
    }: Pick<ImportRequest, 'tool' | 'path'> & {
      sinceMs?: number | undefined
    },
    signal = new AbortController().signal,
  ): AsyncGenerator<WatchEvent> {
    const given = placeOf(tool, path)
    const place = await realpath(given).catch(() => given)
    yield* watchSessions(
      {
        place,
        clock,
        times,
        isWanted: async (session) =>
          (lastOf(session) >= sinceMs || places.isImported(session)) &&
          (await places.isWanted(session)),
        isImportedUnchanged: places.isImportedUnchanged,
        async discover() {
          if (!(await exists(place))) return []
          const thread = startThread()
          return discover(thread, tool, place, signal).finally(() => thread.end())
        },
        async *importAll(found) {
          const threads = createThreads(startThread, threadsMax)
          try {
            yield* importAll(importer, threads, found, signal)
          } finally {
            await threads.end()
          }
        },
      },
      signal,
    )
  }

  async function details(taskId: TaskId): Promise<ImportDetails | null> {
    const root = state.tasks.get(taskId)?.rootId ?? taskId
    const record = await readImportRecord(layout.archiveDir(root))
    if (!record) return null
    const { tool: source, toolVersion, folder, importedAt, files, tasks, damage } = record
    return {
      source,
      toolVersion,
      folder,
      importedAt,
      damage,
      ...record.links,
      continues: record.continues && {
        taskId: record.continues.taskId,
        copies: record.continues.copies,
      },
      tasks: tasks.map(({ edited: _, ...counts }) => counts),
      files: files.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 })),
      ...sumOf(tasks),
    }
  }

  async function editedFiles(taskId: TaskId): Promise<EditedFile[]> {
    const edited: EditedFile[] = []
    const seen = new Set<TaskId>()
    let id: TaskId | undefined = taskId
    let untilMs = Number.POSITIVE_INFINITY
    while (id !== undefined && !seen.has(id)) {
      seen.add(id)
      const task = state.tasks.get(id)
      const record = await readImportRecord(layout.archiveDir(task?.rootId ?? id))
      const ids = new Set([id, ...descendantsOf(state, id).map((one) => one.id)])
      for (const one of record?.tasks ?? [])
        if (ids.has(one.taskId)) edited.push(...one.edited.filter(({ atMs }) => atMs <= untilMs))
      // Its conversation begins with that of the session that it continues, as it was then.
      untilMs = Date.parse(task?.startedAt ?? task?.createdAt ?? '')
      id = task?.resumedFrom?.taskId
    }
    return edited
  }

  return { scan, sessions, run, watch, details, editedFiles }
}
