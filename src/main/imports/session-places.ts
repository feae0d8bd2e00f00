/** Maps a session to its task: an existing one, or one to be created (I3). */
import { sep } from 'node:path'
import type { LedgerState } from '../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import type { ArchiveReader } from '../archive/archive-reader.ts'
import { readJournalSum } from '../journal/index.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import type { FoundSession } from './adapters/adapter.ts'
import type { EarlierSessions } from './earlier-sessions.ts'
import { compareFiles, isUnchanged, readImportRecord } from './known-session.ts'
import { idsOf } from './session-ids.ts'
import { hashBytes } from './stage/hash-files.ts'
import type { ImportRecord, StagedSession } from './stage/staged-session.ts'
import { createSessionsRunHere } from './watch/sessions-run-here.ts'

/** The result of mapping a session to a task. */
export type Place =
  /** Already in the log. `record`: null if the task was created here. */
  | { kind: 'existing'; id: TaskId; record: ImportRecord | null }
  | { kind: 'trashed'; id: TaskId }
  /** `version`: see session-ids.ts. */
  | { kind: 'new' | 'grown'; id: TaskId; version: number }

/** Limit of versions per session. A file is rarely overwritten more than once. */
const versionsMax = 100

export function createSessionPlaces({
  state,
  layout,
  earlier,
  transcriptFile,
}: {
  state: LedgerState
  layout: DataLayout
  earlier: Pick<EarlierSessions, 'tasksBefore'>
  transcriptFile: ArchiveReader['transcriptFile']
}) {
  const isRunHere = createSessionsRunHere({ state, transcriptFile })

  const recordOf = (id: TaskId): Promise<ImportRecord | null> =>
    readImportRecord(layout.archiveDir(id))

  /** Finds the task of a session that is unchanged by sizes and times only, without reading its content. */
  async function findUnchanged(
    session: FoundSession,
    read = recordOf,
  ): Promise<{ id: TaskId; record: ImportRecord } | null> {
    for (let version = 0; version < versionsMax; version++) {
      const id = idsOf(session.tool, session.key, version)('')
      const known = state.tasks.get(id)
      if (!known) return null
      const record = isTaskOf(id, session) ? await read(id) : null
      const now = new Map(session.files.map((file) => [file.name, file]))
      const isSame = record?.files.every((before) => {
        const file = now.get(before.name)
        return !file || isUnchanged(file, before)
      })
      if (
        record &&
        isSame &&
        session.files.every(({ name }) => record.files.some((one) => one.name === name))
      )
        return (await wasImportedBeforeItsPredecessor(session, id, record)) ? null : { id, record }
    }
    return null
  }

  const isImportedUnchanged = async (session: FoundSession): Promise<boolean> =>
    (await findUnchanged(session)) !== null

  /**
   * Finds the task of an unchanged session, unless a version of it was deleted, or its folder and the ledger differ.
   * `read` reads the import record of a task.
   */
  async function findExisting(
    session: FoundSession,
    read = recordOf,
  ): Promise<Extract<Place, { kind: 'existing' }> | null> {
    // An export is identified by its content.
    const found = session.tool === 'shiplog' ? null : await findUnchanged(session, read)
    if (found === null) return null
    for (let version = 0; version < versionsMax; version++) {
      const id = idsOf(session.tool, session.key, version)('')
      const { trashed, purged, importedFrom } = state.tasks.get(id) ?? {}
      if (trashed) return null
      if (id !== found.id) continue
      return purged || found.record.sha256 !== importedFrom?.sha256
        ? null
        : { kind: 'existing', ...found }
    }
    return null
  }

  /**
   * Whether the session that it continues from was imported after it. Importing it again then drops the copied entries.
   * False if another task continues from it, because the entry where that task continues would change.
   */
  async function wasImportedBeforeItsPredecessor(
    session: FoundSession,
    id: TaskId,
    { continues, importedAt }: ImportRecord,
  ): Promise<boolean> {
    if (continues) return false
    const others = earlier.tasksBefore(session).filter(({ resumedFrom }) => !resumedFrom)
    if (others.length === 0) return false
    for (const { resumedFrom } of state.tasks.values()) if (resumedFrom?.taskId === id) return false
    for (const other of others) {
      const record = await recordOf(other.id)
      if (record && record.importedAt > importedAt) return true
    }
    return false
  }

  /** Whether a version of the session was imported, be it of its present content or not. */
  function isImported(session: FoundSession): boolean {
    for (let version = 0; version < versionsMax; version++) {
      const id = idsOf(session.tool, session.key, version)('')
      if (!state.tasks.has(id)) return false
      if (isTaskOf(id, session)) return true
    }
    return false
  }

  const isTaskOf = (id: TaskId, session: FoundSession): boolean => {
    const from = state.tasks.get(id)?.importedFrom
    return from?.tool === session.tool && from.originalId === session.key
  }

  /** Whether an agent run by Shiplog wrote the session, which is then already recorded. */
  async function isRunByShiplog(session: FoundSession): Promise<boolean> {
    // Sessions in these formats were exported on purpose.
    if (session.tool === 'shiplog' || session.tool === 'atif') return false
    return session.projectDir?.startsWith(layout.worktrees + sep) || isRunHere(session)
  }

  /** False if a user deleted the session, or an agent run by Shiplog wrote it. */
  async function isWanted(session: FoundSession): Promise<boolean> {
    for (let version = 0; version < versionsMax; version++) {
      const id = idsOf(session.tool, session.key, version)('')
      const known = state.tasks.get(id)
      if (!known) return !(await isRunByShiplog(session))
      if (isTaskOf(id, session) && (known.trashed || known.purged)) return false
    }
    return false
  }

  async function placeOf(session: FoundSession, signal: AbortSignal): Promise<Place> {
    if (session.tool === 'shiplog') return placeOfExport(session, signal)
    for (let version = 0; version < versionsMax; version++) {
      const id = idsOf(session.tool, session.key, version)('')
      const known = state.tasks.get(id)
      if (!known) return { kind: 'new' as const, id, version }
      if (known.purged || !isTaskOf(id, session)) continue
      if (known.trashed) return { kind: 'trashed' as const, id }
      const record = await recordOf(id)
      // Folder and ledger differ if the process was killed between the two writes.
      if (!record || record.sha256 !== known.importedFrom?.sha256)
        return { kind: 'grown' as const, id, version }
      const compared = await compareFiles(record, session, signal)
      if (compared === 'same')
        return (await wasImportedBeforeItsPredecessor(session, id, record))
          ? { kind: 'grown' as const, id, version }
          : { kind: 'existing' as const, id, record }
      if (compared === 'grown') return { kind: 'grown' as const, id, version }
    }
    throw new Error(`The log already has ${versionsMax} versions of this session.`)
  }

  /** Identifies an export by its content, because the id of its root may already exist for other reasons. */
  async function placeOfExport(session: FoundSession, signal: AbortSignal): Promise<Place> {
    const [file] = session.files
    const sha256 = file && (await hashBytes(file.path, file.bytes, signal))
    const known = [...state.tasks.values()].find(
      ({ importedFrom, parentId, purged }) =>
        importedFrom?.sha256 === sha256 && parentId === null && !purged,
    )
    if (!known) return { kind: 'new', id: idsOf('shiplog', session.key, 0)(''), version: 0 }
    if (known.trashed) return { kind: 'trashed', id: known.id }
    return {
      kind: 'existing',
      id: known.id,
      record: await recordOf(known.id),
    }
  }

  /** Maps an export that was read with its original ids. Null: not in the log under these ids. */
  async function placeOfStagedExport(
    { tasks }: StagedSession,
    version: number,
  ): Promise<Place | null> {
    const [root] = tasks
    if (version >= versionsMax || !root?.exported || !tasks.some(({ id }) => state.tasks.has(id)))
      return null
    const known = state.tasks.get(root.id)
    if (known && !known.purged) {
      if (known.trashed) return { kind: 'trashed', id: known.id }
      const file = await transcriptFile(root.id)
      // The same transcript is already here: it was exported from here, or another export of it was imported.
      const { seq = 0, sum = '' } = root.last ?? {}
      if (file && (await readJournalSum(file, seq)) === sum)
        return { kind: 'existing', id: known.id, record: null }
    }
    return { kind: 'new', id: idsOf('shiplog', root.id, version + 1)(''), version: version + 1 }
  }

  return {
    isImported,
    isImportedUnchanged,
    findExisting,
    isRunByShiplog,
    isWanted,
    placeOf,
    placeOfStagedExport,
  }
}
export type SessionPlaces = ReturnType<typeof createSessionPlaces>
