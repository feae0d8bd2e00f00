/** Imports one session atomically: a thread reads it into a staging folder, which then becomes an archived root. */
import { mkdir } from 'node:fs/promises'
import type { KeyedMutex } from '../../shared/async/keyed-mutex.ts'
import type {
  ImportedSession,
  ImportProgress,
  SkippedSession,
} from '../../shared/contract/imports.ts'
import { messageOf } from '../../shared/error-message.ts'
import { descendantsOf } from '../../shared/projections/ledger/ledger-state.ts'
import type { ProjectId, TaskId } from '../../shared/records/ids.ts'
import { exists, makeDirDurable, moveDurable, renameDurable, systemCode } from '../journal/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import type { FoundSession } from './adapters/adapter.ts'
import type { EarlierSessions } from './earlier-sessions.ts'
import { importedTasks, sourceOf } from './imported-tasks.ts'
import { readImportRecord } from './known-session.ts'
import type { RecordsAhead } from './records-ahead.ts'
import { derivedId } from './rewritten-ids.ts'
import type { Place, SessionPlaces } from './session-places.ts'
import { type ImportThread, type ImportThreads, orThreadEnd } from './stage/import-thread.ts'
import { type ImportRecord, linksOf, type StagedSession, sumOf } from './stage/staged-session.ts'
import { clearReplaced, clearStaged, replacedDir, stagingDir } from './staging.ts'

export type ImportEvent =
  | ({ type: 'progress' } & ImportProgress)
  | { type: 'session'; session: ImportedSession }
  | { type: 'skipped'; skipped: SkippedSession }

export interface SessionImporter {
  /**
   * Resolves with the outcome for a session that is imported and unchanged by sizes and times; null for another one.
   * `read` reads the import record of a task.
   */
  findExisting(session: FoundSession, read?: RecordsAhead['take']): Promise<ImportedSession | null>
  /** Yields events, and numbers of bytes read since the last number. */
  importOne(
    threads: ImportThreads,
    session: FoundSession,
    signal: AbortSignal,
  ): AsyncGenerator<ImportEvent | number>
}

export function createSessionImporter(deps: {
  ledger: Ledger
  layout: DataLayout
  clock: () => number
  oneAtATime: KeyedMutex
  places: SessionPlaces
  earlier: Pick<EarlierSessions, 'transcriptsBefore'>
}): SessionImporter {
  const { ledger, layout, clock, oneAtATime, places } = deps
  const { state } = ledger
  let archive: Promise<void> | null = null

  /** Creates the archive folder once. Retries after a failure, such as a full disk. */
  function ensureArchive(): Promise<void> {
    archive ??= makeDirDurable(layout.archive).catch((error) => {
      archive = null
      throw error
    })
    return archive
  }

  async function findExisting(
    session: FoundSession,
    read?: RecordsAhead['take'],
  ): Promise<ImportedSession | null> {
    const place = await places.findExisting(session, read)
    return place && existingSession(session, place.id, place.record)
  }

  async function* importOne(
    threads: ImportThreads,
    session: FoundSession,
    signal: AbortSignal,
  ): AsyncGenerator<ImportEvent | number> {
    const held = Promise.withResolvers<void>()
    const turn = Promise.withResolvers<void>()
    // Serializes imports of one session. All exports share a lock: only their content shows which session they contain.
    const lock = session.tool === 'shiplog' ? 'exports' : `${session.tool} ${session.key}`
    void oneAtATime(`import ${lock}`, () => {
      turn.resolve()
      return held.promise
    })
    await turn.promise
    try {
      signal.throwIfAborted()
      yield* importTo(threads, session, await places.placeOf(session, signal), signal)
    } catch (error) {
      if (signal.aborted) throw error
      // An unreadable or deleted session must not prevent the import of the others.
      const reason = messageOf(error)
      yield { type: 'skipped', skipped: { source: session.tool, session: session.key, reason } }
    } finally {
      held.resolve()
    }
  }

  async function* importTo(
    threads: ImportThreads,
    session: FoundSession,
    place: Place,
    signal: AbortSignal,
  ): AsyncGenerator<ImportEvent | number> {
    if (place.kind === 'trashed') {
      const reason = `It is in the trash. \`shiplog workspaces restore ${place.id.slice(0, 8)}\` restores it.`
      yield { type: 'skipped', skipped: { source: session.tool, session: session.key, reason } }
    } else if (place.kind === 'existing')
      yield { type: 'session', session: existingSession(session, place.id, place.record) }
    else yield* importAs(threads, session, place, signal)
  }

  async function* importAs(
    threads: ImportThreads,
    session: FoundSession,
    { id, version, kind }: Extract<Place, { version: number }>,
    signal: AbortSignal,
  ): AsyncGenerator<ImportEvent | number> {
    const staging = stagingDir(layout, id)
    await ensureArchive()
    // Needs no sync: the next start deletes a staging folder left by a crash.
    const make = () => mkdir(staging, { mode: 0o700 })
    await make().catch(async (error) => {
      if (systemCode(error) !== 'EEXIST') throw error
      // An earlier import of the session left a staging folder.
      await clearStaged(layout, id)
      await make()
    })
    let other: Place | null = null
    let isPublished = false
    try {
      const earlier = deps.earlier.transcriptsBefore(session)
      const importedAt = new Date(clock()).toISOString()
      const request = { session, dir: staging, version, earlier, importedAt }
      const staged = yield* stage(threads, request, signal)
      other = await places.placeOfStagedExport(staged, version)
      if (!other) {
        const root = await publish(staged, staging, session.opening)
        isPublished = true
        const title = state.tasks.get(root)?.title ?? ''
        yield { type: 'session', session: { ...imported(root, staged, kind), title } }
      }
    } finally {
      if (!isPublished) await clearStaged(layout, id)
    }
    if (other) yield* importTo(threads, session, other, signal)
  }

  async function publish(
    staged: StagedSession,
    staging: string,
    opening: string | undefined,
  ): Promise<TaskId> {
    const tasks = importedTasks(staged, (id) => state.tasks.has(id))
    const [root] = tasks
    if (!root) throw new Error('The session contains no task.')
    const target = layout.archiveDir(root.id)
    const replaces = await exists(target)
    if (replaces) await refuseUnknown(target, staged)
    try {
      if (replaces) await moveDurable(target, replacedDir(layout, root.id))
      // Both paths are in the archive, and the target does not exist.
      await renameDurable(staging, target)
      await ledger.record({
        type: 'tasks.imported',
        tasks,
        source: sourceOf(staged.record, opening),
        projectId: projectOf(root.project),
      })
    } finally {
      if (replaces) await clearReplaced(layout, root.id)
    }
    return root.id
  }

  /**
   * Throws if the target belongs to another session, one that the ledger lost and that has the id of an export's root.
   */
  async function refuseUnknown(target: string, { record }: StagedSession): Promise<void> {
    const before = await readImportRecord(target)
    if (before?.tool === record.tool && before.session === record.session) return
    throw new Error(
      `${target} already exists, but belongs to no known task. Move it away and import again.`,
    )
  }

  /** The id of the project with that folder, or a derived id of a project that is not listed. */
  function projectOf({ name, dir }: { name: string; dir: string }): ProjectId {
    const known = [...state.projects.values()].find((one) => one.dir === dir)
    return known?.id ?? (derivedId('project', `${name}\0${dir}`) as string as ProjectId)
  }

  /** `record`: null for a task that was created here and exported. */
  function existingSession(
    { tool, key }: FoundSession,
    id: TaskId,
    record: ImportRecord | null,
  ): ImportedSession {
    const counts = record ? { ...sumOf(record.tasks), ...linksOf(record) } : countsOf(id)
    return {
      source: tool,
      session: key,
      taskId: id,
      title: state.tasks.get(id)?.title ?? '',
      ...counts,
      withheld: 0,
      isNew: false,
      isUpdated: false,
    }
  }

  /** Counts the entries of a tree that was created here. */
  function countsOf(id: TaskId) {
    const agents = descendantsOf(state, id)
    const entries = [state.tasks.get(id), ...agents].reduce(
      (sum, one) => sum + (one?.transcriptCounts?.entries ?? 0),
      0,
    )
    return {
      lines: entries,
      mapped: entries,
      foreign: 0,
      damaged: 0,
      linked: agents.length,
      unlinked: 0,
      orphaned: 0,
    }
  }

  return { findExisting, importOne }
}

const imported = (
  id: TaskId,
  { record, tasks }: StagedSession,
  kind: 'new' | 'grown',
): Omit<ImportedSession, 'title'> => ({
  source: record.tool,
  session: record.session,
  taskId: id,
  ...sumOf(record.tasks),
  ...linksOf(record),
  withheld: tasks.reduce((sum, { exported }) => sum + (exported?.withheld ?? 0), 0),
  isNew: kind === 'new',
  isUpdated: kind === 'grown',
})

/** Yields the numbers of bytes read. */
async function* stage(
  threads: ImportThreads,
  request: Parameters<ImportThread['calls']['stage']>[0],
  signal: AbortSignal,
): AsyncGenerator<number, StagedSession> {
  const { thread, release } = threads.take()
  try {
    const events = await thread.calls.stage(request, { signal: orThreadEnd(thread, signal) })
    for await (const event of events)
      if (event.kind === 'bytes') yield event.bytes
      else if (event.kind === 'failed') throw new Error(event.reason)
      else return event.staged
  } finally {
    release()
  }
  signal.throwIfAborted()
  throw new Error('The thread that read the session ended unexpectedly.')
}
