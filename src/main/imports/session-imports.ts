/**
 * Finds and imports sessions of other tools: a thread reads each into a staging folder, then it becomes an archived root,
 * all of it or nothing. Importing again adds only what is new (I3).
 */
import { homedir } from 'node:os'
import { join } from 'node:path'
import {
  expiringDays,
  type ImportDetails,
  type ImportedSession,
  type ImportProgress,
  type ImportSourceFound,
  type SkippedSession,
} from '../../shared/contract/imports.ts'
import { dayMs } from '../../shared/durations.ts'
import { invalid } from '../../shared/failure.ts'
import type { KeyedMutex } from '../../shared/keyed-mutex.ts'
import type { SessionTool } from '../../shared/records/exported-tasks.ts'
import type { ProjectId, TaskId } from '../../shared/records/ids.ts'
import { exists, makeDirDurable, moveDurable, removeDurable } from '../journal/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import type { FoundSession } from './adapters/adapter.ts'
import { adapters, sessionTools } from './adapters/adapters.ts'
import { compareFiles, readImportRecord } from './known-session.ts'
import { buildHome, homeDir, replacedDir, sourceOf } from './publish-session.ts'
import { derivedId } from './rewritten-ids.ts'
import { idsOf } from './session-ids.ts'
import { type ImportThread, startImportThread } from './stage/import-thread.ts'
import type { ImportRecord, StagedSession } from './stage/staged-session.ts'
import { clearStaging, stagingPrefix } from './staging.ts'

type ImportEvent =
  | ({ type: 'progress' } & ImportProgress)
  | { type: 'session'; session: ImportedSession }
  | { type: 'skipped'; skipped: SkippedSession }

interface ImportRequest {
  tool: SessionTool
  /** Absolute; absent: the tool's own place. */
  path?: string | undefined
  /** Only sessions of these folders; absent: all. */
  projects?: (string | null)[] | undefined
}

export interface SessionImports {
  scan(
    request: { tool?: SessionTool | undefined; path?: string | undefined },
    signal?: AbortSignal,
  ): Promise<ImportSourceFound[]>
  run(request: ImportRequest, signal?: AbortSignal): AsyncGenerator<ImportEvent>
  details(taskId: TaskId): Promise<ImportDetails | null>
}

/** Versions of one session that are kept; a file is rarely written over more than once. */
const versionsMax = 100

export function createSessionImports(deps: {
  ledger: Ledger
  layout: DataLayout
  clock: () => number
  oneAtATime: KeyedMutex
  /** The environment and home folder by which tools find their places. */
  env?: NodeJS.ProcessEnv
  home?: string
  startThread?: () => ImportThread
}): SessionImports {
  const { ledger, layout, clock, oneAtATime } = deps
  const { env = process.env, home = homedir(), startThread = startImportThread } = deps
  const { state } = ledger

  async function scan(
    { tool, path }: { tool?: SessionTool | undefined; path?: string | undefined },
    signal = new AbortController().signal,
  ): Promise<ImportSourceFound[]> {
    const sources: ImportSourceFound[] = []
    const places = new Map<SessionTool, string>()
    for (const one of tool ? [tool] : sessionTools) {
      const place = path ?? adapters[one].home(env, home)
      if (place !== null && (await exists(place))) places.set(one, place)
    }
    // Most machines lack most tools: no thread is started for nothing.
    if (places.size === 0) return sources
    const thread = startThread()
    try {
      for (const [one, place] of places) {
        const found = await discover(thread, one, place, signal)
        if (found.length > 0) sources.push(await sourceFound(one, place, found))
      }
    } finally {
      await thread.end()
    }
    return sources
  }

  async function discover(
    thread: ImportThread,
    tool: SessionTool,
    path: string,
    signal: AbortSignal,
  ): Promise<FoundSession[]> {
    const found: FoundSession[] = []
    for await (const session of await thread.calls.discover(
      { tool, path },
      { signal: endOf(thread, signal) },
    ))
      found.push(session)
    return found
  }

  async function sourceFound(
    tool: SessionTool,
    path: string,
    found: FoundSession[],
  ): Promise<ImportSourceFound> {
    const projects = new Map<string | null, ImportSourceFound['byProject'][number]>()
    let imported = 0
    for (const session of found) {
      const lastAt = new Date(lastOf(session)).toISOString()
      const { projectDir: dir } = session
      const known = projects.get(dir) ?? { dir, sessions: 0, bytes: 0, lastAt }
      projects.set(dir, {
        dir,
        sessions: known.sessions + 1,
        bytes: known.bytes + bytesOf(session),
        lastAt: [lastAt, known.lastAt].sort()[1] ?? lastAt,
      })
      if (await isHereAsIs(session)) imported++
    }
    const soon = clock() + expiringDays * dayMs
    return {
      ...{ tool, path, sessions: found.length, projects: projects.size, imported },
      subAgents: found.reduce(
        (sum, { files }) => sum + files.filter(({ role }) => role === 'sub-agent').length,
        0,
      ),
      bytes: found.reduce((sum, session) => sum + bytesOf(session), 0),
      expiringSoon: found.filter(({ expiresAtMs }) => expiresAtMs !== null && expiresAtMs <= soon)
        .length,
      hidden: found.filter(({ isHidden }) => isHidden).length,
      byProject: [...projects.values()].sort((a, b) => (a.lastAt < b.lastAt ? 1 : -1)),
    }
  }

  /** By sizes and times alone: a scan reads no content. */
  async function isHereAsIs(session: FoundSession): Promise<boolean> {
    for (let nth = 0; nth < versionsMax; nth++) {
      const id = idsOf(session.tool, session.key, nth)('')
      const known = state.tasks.get(id)
      if (!known) return false
      const record = isOf(id, session) ? await readImportRecord(layout.archiveDir(id)) : null
      const now = new Map(session.files.map((file) => [file.name, file]))
      const isSame = record?.files.every(({ name, bytes, mtimeMs }) => {
        const file = now.get(name)
        return !file || (file.bytes === bytes && file.mtimeMs === mtimeMs)
      })
      if (
        isSame &&
        session.files.every(({ name }) => record?.files.some((one) => one.name === name))
      )
        return true
    }
    return false
  }

  const isOf = (id: TaskId, session: FoundSession): boolean => {
    const from = state.tasks.get(id)?.importedFrom
    return from?.tool === session.tool && from.originalId === session.key
  }

  async function* run(
    { tool, path, projects }: ImportRequest,
    signal = new AbortController().signal,
  ): AsyncGenerator<ImportEvent> {
    const place = path ?? adapters[tool].home(env, home)
    let thread = startThread()
    try {
      const all = place === null ? [] : await discover(thread, tool, place, signal)
      const found = projects ? all.filter(({ projectDir }) => projects.includes(projectDir)) : all
      if (found.length === 0)
        invalid('path', `No session was found in ${place}. Name a file or folder that has one.`)
      // What its tool will delete first is rescued first; then the newest.
      found.sort(
        (a, b) =>
          (a.expiresAtMs ?? Infinity) - (b.expiresAtMs ?? Infinity) || lastOf(b) - lastOf(a),
      )
      const progress = {
        ...{ sessions: 0, sessionsTotal: found.length, bytes: 0 },
        bytesTotal: found.reduce((sum, session) => sum + bytesOf(session), 0),
      }
      yield { type: 'progress', ...progress }
      for (const session of found) {
        const until = progress.bytes + bytesOf(session)
        // A session that takes too much memory ends its thread, and no other session.
        if (thread.ended.aborted) thread = startThread()
        for await (const event of importOne(thread, session, signal)) {
          if (typeof event !== 'number') yield event
          else {
            progress.bytes = Math.min(until, progress.bytes + event)
            yield { type: 'progress', ...progress }
          }
        }
        progress.bytes = until
        progress.sessions++
        yield { type: 'progress', ...progress }
      }
    } finally {
      await thread.end()
    }
  }

  /** A number: bytes that were read. */
  async function* importOne(
    thread: ImportThread,
    session: FoundSession,
    signal: AbortSignal,
  ): AsyncGenerator<ImportEvent | number> {
    const held = Promise.withResolvers<void>()
    const turn = Promise.withResolvers<void>()
    // One import stages at a time, for all callers.
    void oneAtATime('import', () => {
      turn.resolve()
      return held.promise
    })
    await turn.promise
    try {
      signal.throwIfAborted()
      await clearStaging(layout)
      const place = await placeOf(session, signal)
      if (place.kind === 'trashed') {
        const reason = `It is here, in the trash: \`shiplog workspaces restore ${place.id.slice(0, 8)}\` takes it back out.`
        yield { type: 'skipped', skipped: { source: session.tool, session: session.key, reason } }
      } else if (place.kind === 'here')
        yield { type: 'session', session: sessionHere(place.id, place.record) }
      else yield* importAs(thread, session, place, signal)
    } catch (error) {
      if (signal.aborted) throw error
      // One session that can't be read, or was deleted meanwhile, must not keep the others from being rescued.
      const reason = error instanceof Error ? error.message : String(error)
      yield { type: 'skipped', skipped: { source: session.tool, session: session.key, reason } }
    } finally {
      held.resolve()
    }
  }

  /** Which task a session is, or becomes. */
  async function placeOf(session: FoundSession, signal: AbortSignal) {
    for (let nth = 0; nth < versionsMax; nth++) {
      const id = idsOf(session.tool, session.key, nth)('')
      const known = state.tasks.get(id)
      if (!known) return { kind: 'new' as const, id, nth }
      if (known.purged || !isOf(id, session)) continue
      if (known.trashed) return { kind: 'trashed' as const, id }
      const record = await readImportRecord(layout.archiveDir(id))
      // The folder and the ledger differ if a kill came between them.
      if (!record || record.sha256 !== known.importedFrom?.sha256)
        return { kind: 'grown' as const, id, nth }
      const compared = await compareFiles(record, session, signal)
      if (compared === 'same') return { kind: 'here' as const, id, record }
      if (compared === 'grown') return { kind: 'grown' as const, id, nth }
    }
    throw new Error(`There are ${versionsMax} versions of it here already.`)
  }

  async function* importAs(
    thread: ImportThread,
    session: FoundSession,
    { id, nth, kind }: { id: TaskId; nth: number; kind: 'new' | 'grown' },
    signal: AbortSignal,
  ): AsyncGenerator<ImportEvent | number> {
    const staging = join(layout.archive, `${stagingPrefix}${id}`)
    await makeDirDurable(staging)
    try {
      let staged: StagedSession | null = null
      const events = await thread.calls.stage(
        { session, dir: staging, nth },
        { signal: endOf(thread, signal) },
      )
      for await (const event of events)
        if (event.kind === 'bytes') yield event.bytes
        else staged = event.staged
      signal.throwIfAborted()
      if (!staged) throw new Error('The thread that read it ended.')
      await publish(staged, id, staging)
      yield { type: 'session', session: imported(id, staged, kind) }
    } finally {
      await clearStaging(layout)
    }
  }

  async function publish(staged: StagedSession, id: TaskId, staging: string): Promise<void> {
    const tasks = await buildHome(staged, staging, new Date(clock()).toISOString())
    const target = layout.archiveDir(id)
    if (await exists(target)) await moveDurable(target, join(staging, replacedDir))
    await moveDurable(join(staging, homeDir), target)
    const [root] = tasks
    if (root)
      await ledger.record({
        ...{ type: 'tasks.imported', tasks, source: sourceOf(staged.record) },
        projectId: projectOf(root.project),
      })
    await removeDurable(join(staging, replacedDir))
  }

  /** The project of that folder, if it is one here; else one of its own, which is in no list. */
  function projectOf({ name, dir }: { name: string; dir: string }): ProjectId {
    const known = [...state.projects.values()].find((one) => one.dir === dir)
    return known?.id ?? (derivedId('project', `${name}\0${dir}`) as string as ProjectId)
  }

  function sessionHere(id: TaskId, record: ImportRecord): ImportedSession {
    return {
      ...{ source: record.tool, taskId: id, title: state.tasks.get(id)?.title ?? '' },
      ...{ ...sumOf(record.tasks), ...linksOf(record), withheld: 0 },
      ...{ isNew: false, isUpdated: false },
    }
  }

  async function details(taskId: TaskId): Promise<ImportDetails | null> {
    const root = state.tasks.get(taskId)?.rootId ?? taskId
    const record = await readImportRecord(layout.archiveDir(root))
    if (!record) return null
    const { tool: source, toolVersion, folder, importedAt, files, tasks, damage, links } = record
    return {
      ...{ source, toolVersion, folder, importedAt, tasks, damage, ...links },
      files: files.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 })),
      ...sumOf(tasks),
    }
  }

  return { scan, run, details }
}

const imported = (
  id: TaskId,
  { record, tasks }: StagedSession,
  kind: 'new' | 'grown',
): ImportedSession => ({
  ...{ source: record.tool, taskId: id, title: tasks[0]?.title ?? '' },
  ...{ ...sumOf(record.tasks), ...linksOf(record), withheld: 0 },
  ...{ isNew: kind === 'new', isUpdated: kind === 'grown' },
})

const linksOf = ({ links: { linked, unlinked, orphaned } }: Pick<ImportRecord, 'links'>) => ({
  linked,
  unlinked,
  orphaned,
})

const sumOf = (tasks: ImportRecord['tasks']) => ({
  lines: tasks.reduce((sum, one) => sum + one.lines, 0),
  mapped: tasks.reduce((sum, one) => sum + one.mapped, 0),
  foreign: tasks.reduce((sum, one) => sum + one.foreign, 0),
  damaged: tasks.reduce((sum, one) => sum + one.damaged, 0),
})

const bytesOf = ({ files }: FoundSession): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0)
const lastOf = ({ files }: FoundSession): number => Math.max(...files.map(({ mtimeMs }) => mtimeMs))

/** A call to a thread that has ended, or ends meanwhile, is never answered. */
const endOf = (thread: ImportThread, signal: AbortSignal): AbortSignal =>
  AbortSignal.any([signal, thread.ended])
