/**
 * Finds a task's files wherever they are now: in its own session directory, in an ancestor's, or in
 * the archive. "Not found", "out of scope" and "damaged" are three different errors (A5).
 */
import { join } from 'node:path'
import { imageKindOf } from '../../shared/agents/image-kind.ts'
import type { TranscriptPage } from '../../shared/contract/workspace.ts'
import { FailureError } from '../../shared/failure.ts'
import { ancestorsOf } from '../../shared/projections/ledger/ledger-state.ts'
import type { BriefState } from '../../shared/projections/session/brief-state.ts'
import type { SessionState } from '../../shared/projections/session/session-state.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import {
  archivedTranscriptDir,
  bytesBelow,
  patchDir,
  type ReportLookup,
  readReport,
  reportsDir,
} from '../artifacts/index.ts'
import { blobDirectory, exists, type PageQuery, readBlob } from '../journal/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Session } from '../sessions/session.ts'
import { chatFile, type DataLayout } from '../sessions/session-files.ts'
import { readEarlierState, readSessionState } from '../sessions/session-state.ts'
import type { Sessions } from '../sessions/sessions.ts'
import {
  createArchivePlaces,
  refuseLinks,
  refuseTrashed,
  type TranscriptPlace,
} from './archive-places.ts'
import { endedRunOf, lacksEnd, withoutEnd } from './lost-end.ts'
import { type OutputPart, type OutputPartQuery, readOutputPart } from './output-parts.ts'
import { createTranscriptList, type ListTranscripts } from './transcript-list.ts'
import { readTranscriptPage } from './transcript-page.ts'

export interface ArchiveReader {
  /** Throws FailureError: not-found, or out-of-scope if the task is no descendant of the caller. */
  checkScope(taskId: TaskId, requestingWorkspaceId: TaskId | undefined): void
  /**
   * Returns the session directory of a task that still has one, or a root's archived one; null if
   * it was deleted.
   */
  sessionHome(taskId: TaskId): Promise<string | null>
  /**
   * Returns the bytes of a task's files: of its session directory, including those of its
   * sub-agents; for a sub-agent without one, of its transcript, reports and patch among an
   * ancestor's artifacts.
   */
  bytesKept(taskId: TaskId): Promise<number>
  findReport(taskId: TaskId, run?: number): Promise<ReportLookup>
  /** Returns the path of the task's `chat.jsonl`; null if it has none, or it is not kept. */
  transcriptFile(taskId: TaskId): Promise<string | null>
  transcriptPage(taskId: TaskId, query: PageQuery): Promise<TranscriptPage>
  /**
   * Returns the folded state of its transcript up to the entry `throughSeq`, or null if it has no
   * transcript. Read it at once and do not change it.
   */
  sessionState(taskId: TaskId, throughSeq?: number): Promise<SessionState | null>
  /** Returns a stored state of its transcript as of the entry `seq` or one before it; null if there is none. */
  earlierState(taskId: TaskId, seq: number): Promise<BriefState | null>
  /**
   * Returns a part of a command's whole output, cut between characters. Throws FailureError if
   * there is none.
   */
  outputPart(taskId: TaskId, part: OutputPartQuery): Promise<OutputPart>
  /** Returns an image of a prompt or a result. Throws FailureError if there is none. */
  image(taskId: TaskId, sha256: string): Promise<{ mediaType: string; data: Uint8Array }>
  /** Returns a file of its `blobs/`, or null if it is no longer kept. */
  blob(taskId: TaskId, sha256: string): Promise<Uint8Array | null>
  listTranscripts: ListTranscripts
}

export function createArchiveReader({
  ledger,
  layout,
  sessions,
}: {
  ledger: Ledger
  layout: DataLayout
  sessions: Pick<Sessions, 'current'>
}): ArchiveReader {
  const { state } = ledger
  const places = createArchivePlaces({ ledger, layout })
  const { known, sessionHome, keepers, findTranscript, readFound } = places

  async function bytesKept(taskId: TaskId): Promise<number> {
    const home = await sessionHome(taskId)
    if (home) return bytesBelow(home)
    let bytes = 0
    for (const keeper of await keepers(taskId))
      for (const dir of artifactDirs(keeper, taskId)) bytes += await bytesBelow(dir)
    return bytes
  }

  async function findReport(taskId: TaskId, run?: number): Promise<ReportLookup> {
    refuseTrashed(known(taskId))
    let answer: ReportLookup = { kind: 'not-found' }
    for (const dir of await keepers(taskId)) {
      await refuseLinks('report', taskId, [
        dir,
        join(dir, reportsDir),
        join(dir, reportsDir, taskId),
      ])
      const found = await readReport(dir, taskId, run)
      if (found.kind === 'found') return found
      if (found.kind === 'damaged') answer = found
    }
    return answer
  }

  async function transcriptFile(taskId: TaskId): Promise<string | null> {
    if (known(taskId).trashed) return null
    const found = await findTranscript(taskId)
    const file = found && join(found.dir, chatFile)
    return file !== null && (await exists(file)) ? file : null
  }

  async function transcriptPage(taskId: TaskId, query: PageQuery): Promise<TranscriptPage> {
    const task = known(taskId)
    const { transcriptExpired: expired, transcriptCounts: counts } = task
    if (!expired) refuseTrashed(task)
    // Read before the transcript, because a run that ends in between would seem to lack its end.
    const ended = endedRunOf(task)
    const page = await readWhereItIs(taskId, query)
    if (page.status === 'missing' && expired) return { ...page, status: 'expired', expired }
    if (page.status === 'missing' && counts && counts.entries > 0)
      return { ...page, damage: [lost] }
    const { throughSeq = Number.POSITIVE_INFINITY } = query
    // The requested part is complete; later entries do not matter.
    if ((page.entries.at(-1)?.seq ?? 0) >= throughSeq) return page
    return ended !== null && lacksEnd(page, ended) ? withoutEnd(page, ended) : page
  }

  async function readWhereItIs(taskId: TaskId, query: PageQuery): Promise<TranscriptPage> {
    let missing: TranscriptPage | null = null
    const readIn = async ({ dir, source }: TranscriptPlace) => {
      const page = await readTranscriptPage(dir, query, openIn(dir, taskId))
      if (page.status !== 'missing') return { taskId, source, ...page }
      missing = { taskId, source, ...page }
      return null
    }
    const page = (await readFound(taskId, readIn)) ?? missing
    if (page) return page
    const dir = layout.sessionDir(taskId)
    return { taskId, source: 'live', ...(await readTranscriptPage(dir, query, null)) }
  }

  const sessionState = (taskId: TaskId, throughSeq?: number) =>
    readFound(taskId, ({ dir }) => readSessionState(dir, openIn(dir, taskId), throughSeq))

  const earlierState = (taskId: TaskId, seq: number) =>
    readFound(taskId, ({ dir }) => readEarlierState(dir, seq))

  const blob = (taskId: TaskId, sha256: string) =>
    readFound(taskId, ({ dir }) => readBlob(blobDirectory(join(dir, chatFile)), sha256))

  async function image(taskId: TaskId, sha256: string) {
    const data = await blob(taskId, sha256)
    const kind = data && imageKindOf(data)
    if (data && kind) return { mediaType: kind.mediaType, data }
    const why = 'This image is not kept any more, or its file is gone.'
    throw new FailureError({ kind: 'not-found', what: 'image', id: sha256, why })
  }

  async function outputPart(taskId: TaskId, query: OutputPartQuery): Promise<OutputPart> {
    const part = await readFound(taskId, ({ dir }) => readOutputPart(dir, query))
    if (part) return part
    const why = 'This output is not kept any more, or its file is gone.'
    throw new FailureError({ kind: 'not-found', what: 'output', id: query.sha256, why })
  }

  /** Returns the open session if this process writes the transcript in `dir`. */
  function openIn(dir: string, taskId: TaskId): Session | null {
    const open = sessions.current(taskId)
    return open?.dir === dir ? open : null
  }

  return {
    checkScope(taskId, requesting) {
      known(taskId)
      if (requesting !== undefined && !ancestorsOf(state, taskId).includes(requesting)) {
        throw new FailureError({ kind: 'out-of-scope', what: 'task', id: taskId })
      }
    },
    sessionHome,
    bytesKept,
    findReport,
    transcriptFile,
    transcriptPage,
    sessionState,
    earlierState,
    outputPart,
    image,
    blob,
    listTranscripts: createTranscriptList({ ledger, places, openIn }),
  }
}

const artifactDirs = (keeper: string, taskId: TaskId): string[] => [
  archivedTranscriptDir(keeper, taskId),
  join(keeper, reportsDir, taskId),
  patchDir(keeper, taskId),
]

/** The damage of a missing transcript whose entries the ledger counted. */
const lost = { file: chatFile, line: 1, bytes: 0, reason: 'the file is gone' }
