/** Whether a session is here already, and which task it is, or becomes (I3). */
import { sep } from 'node:path'
import type { LedgerState } from '../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import type { ArchiveReader } from '../archive/archive-reader.ts'
import { readJournalSum } from '../journal/index.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import type { FoundSession } from './adapters/adapter.ts'
import { earlierTasks } from './earlier-sessions.ts'
import { compareFiles, isUnchanged, readImportRecord } from './known-session.ts'
import { idsOf } from './session-ids.ts'
import { hashBytes } from './stage/hash-files.ts'
import type { ImportRecord, StagedSession } from './stage/staged-session.ts'
import { createSessionsRunHere } from './watch/sessions-run-here.ts'

/** What a session is here, or becomes. */
export type Place =
  /** `record`: null if it was made here. */
  | { kind: 'here'; id: TaskId; record: ImportRecord | null }
  | { kind: 'trashed'; id: TaskId }
  /** `nth`: see session-ids.ts. */
  | { kind: 'new' | 'grown'; id: TaskId; nth: number }

/** Versions of one session that are kept; a file is rarely written over more than once. */
const versionsMax = 100

export function createSessionPlaces({
  state,
  layout,
  transcriptFile,
}: {
  state: LedgerState
  layout: DataLayout
  transcriptFile: ArchiveReader['transcriptFile']
}) {
  const isRunHere = createSessionsRunHere({ state, transcriptFile })

  /** By sizes and times alone: a scan reads no content. */
  async function isHereAsIs(session: FoundSession): Promise<boolean> {
    for (let nth = 0; nth < versionsMax; nth++) {
      const id = idsOf(session.tool, session.key, nth)('')
      const known = state.tasks.get(id)
      if (!known) return false
      const record = isOf(id, session) ? await readImportRecord(layout.archiveDir(id)) : null
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
        return !(await isBegunElsewhere(session, id, record))
    }
    return false
  }

  /**
   * Whether the session that it continues from was imported after it: read again, it has only what is its own. Not where
   * another task continues from it, at an entry that would be another one then.
   */
  async function isBegunElsewhere(
    session: FoundSession,
    id: TaskId,
    { continues, importedAt }: ImportRecord,
  ): Promise<boolean> {
    if (continues) return false
    const others = earlierTasks(state, session).filter(({ resumedFrom }) => !resumedFrom)
    if (others.length === 0) return false
    for (const { resumedFrom } of state.tasks.values()) if (resumedFrom?.taskId === id) return false
    for (const other of others) {
      const record = await readImportRecord(layout.archiveDir(other.id))
      if (record && record.importedAt > importedAt) return true
    }
    return false
  }

  const isOf = (id: TaskId, session: FoundSession): boolean => {
    const from = state.tasks.get(id)?.importedFrom
    return from?.tool === session.tool && from.originalId === session.key
  }

  /** An agent that Shiplog ran wrote it: it is recorded here already. */
  async function isOwn(session: FoundSession): Promise<boolean> {
    // Somebody exported the others on purpose.
    if (session.tool === 'shiplog' || session.tool === 'atif') return false
    return session.projectDir?.startsWith(layout.worktrees + sep) || isRunHere(session)
  }

  /** False: a person deleted it, or an agent that Shiplog ran wrote it. */
  async function isWanted(session: FoundSession): Promise<boolean> {
    for (let nth = 0; nth < versionsMax; nth++) {
      const id = idsOf(session.tool, session.key, nth)('')
      const known = state.tasks.get(id)
      if (!known) return !(await isOwn(session))
      if (isOf(id, session) && (known.trashed || known.purged)) return false
    }
    return false
  }

  /** Which task a session is, or becomes. */
  async function of(session: FoundSession, signal: AbortSignal): Promise<Place> {
    if (session.tool === 'shiplog') return ofExport(session, signal)
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
      if (compared === 'same')
        return (await isBegunElsewhere(session, id, record))
          ? { kind: 'grown' as const, id, nth }
          : { kind: 'here' as const, id, record }
      if (compared === 'grown') return { kind: 'grown' as const, id, nth }
    }
    throw new Error(`There are ${versionsMax} versions of it here already.`)
  }

  /** An export is known by its content: the id of its root is that of a task which may be here for other reasons. */
  async function ofExport(session: FoundSession, signal: AbortSignal): Promise<Place> {
    const [file] = session.files
    const sha256 = file && (await hashBytes(file.path, file.bytes, signal))
    const known = [...state.tasks.values()].find(
      ({ importedFrom, parentId, purged }) =>
        importedFrom?.sha256 === sha256 && parentId === null && !purged,
    )
    if (!known) return { kind: 'new', id: idsOf('shiplog', session.key, 0)(''), nth: 0 }
    if (known.trashed) return { kind: 'trashed', id: known.id }
    return {
      kind: 'here',
      id: known.id,
      record: await readImportRecord(layout.archiveDir(known.id)),
    }
  }

  /** What an export is here that was read with its own ids. */
  async function ofRead({ tasks }: StagedSession, nth: number): Promise<Place | null> {
    const [root] = tasks
    if (nth >= versionsMax || !root?.exported || !tasks.some(({ id }) => state.tasks.has(id)))
      return null
    const known = state.tasks.get(root.id)
    if (known && !known.purged) {
      if (known.trashed) return { kind: 'trashed', id: known.id }
      const file = await transcriptFile(root.id)
      // It was exported from here, or another export of the same transcript was imported.
      const { seq = 0, sum = '' } = root.last ?? {}
      if (file && (await readJournalSum(file, seq)) === sum)
        return { kind: 'here', id: known.id, record: null }
    }
    return { kind: 'new', id: idsOf('shiplog', root.id, nth + 1)(''), nth: nth + 1 }
  }

  return { isHereAsIs, isOwn, isWanted, of, ofRead }
}
export type SessionPlaces = ReturnType<typeof createSessionPlaces>
