/**
 * Finds a task's files wherever they are now: in its own session directory, in an ancestor's, or in
 * the archive. "Not found", "out of scope" and "damaged" are three different errors (A5).
 */
import { basename, join } from 'node:path'
import { imageKindOf } from '../../shared/agents/image-kind.ts'
import { transcriptSummaryOf } from '../../shared/contract/transcripts/summary.ts'
import type { TranscriptPage, TranscriptSummary } from '../../shared/contract/workspace.ts'
import { FailureError, refused } from '../../shared/failure.ts'
import { ancestorsOf } from '../../shared/projections/ledger/ledger-state.ts'
import type { BriefState, SessionState } from '../../shared/projections/transcript/session-state.ts'
import type { EntryType } from '../../shared/records/entries.ts'
import { shortId, type TaskId } from '../../shared/records/ids.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import {
  archivedTranscriptDir,
  bytesBelow,
  patchDir,
  type ReportLookup,
  readReport,
  reportsDir,
  transcriptIndex,
  transcriptsDir,
} from '../artifacts/index.ts'
import {
  blobDirectory,
  exists,
  explain,
  type PageQuery,
  readBlob,
  refuseSymlink,
  systemCode,
} from '../journal/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Session } from '../sessions/session.ts'
import { chatFile, type DataLayout, partialFile } from '../sessions/session-files.ts'
import { readEarlierState, readSessionState } from '../sessions/session-state.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { type OutputPart, type OutputPartQuery, readOutputPart } from './output-parts.ts'
import { countEntries, readTranscriptPage, transcriptBytes } from './transcript-page.ts'

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
  /** Of all tasks, or of those of a project, or of those given. */
  listTranscripts(of: {
    projectDir?: string | undefined
    taskIds?: readonly TaskId[] | undefined
  }): Promise<TranscriptSummary[]>
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

  function known(taskId: TaskId): Task {
    const task = state.tasks.get(taskId)
    if (!task) throw new FailureError({ kind: 'not-found', what: 'task', id: taskId })
    return task
  }

  async function sessionHome(taskId: TaskId): Promise<string | null> {
    const places = [layout.sessionDir(taskId)]
    // A task that is missing in a damaged ledger may have been a root as well.
    if (!state.tasks.get(taskId)?.parentId) places.push(layout.archiveDir(taskId))
    for (const place of places) if (await exists(place)) return place
    return null
  }

  /**
   * Returns the directories that may hold its artifacts: its ancestors', parent first, or a root's
   * own.
   */
  async function keepers(taskId: TaskId): Promise<string[]> {
    const task = known(taskId)
    const ids = task.parentId === null ? [taskId] : ancestorsOf(state, taskId)
    const homes = await Promise.all(ids.map(sessionHome))
    return homes.filter((home) => home !== null)
  }

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

  async function findTranscript(
    taskId: TaskId,
  ): Promise<{ dir: string; source: 'live' | 'archived' } | null> {
    const live = layout.sessionDir(taskId)
    const home = await sessionHome(taskId)
    if (home) await refuseLinks('transcript', taskId, [home])
    // During a removal its directory still exists, but its transcript may have moved up already.
    if (home && (home !== live || (await holdsTranscript(home))))
      return { dir: home, source: home === live ? 'live' : 'archived' }
    for (const keeper of await keepers(taskId)) {
      const dir = archivedTranscriptDir(keeper, taskId)
      await refuseLinks('transcript', taskId, [keeper, join(keeper, transcriptsDir), dir])
      if (await (home ? holdsTranscript(dir) : exists(dir))) return { dir, source: 'archived' }
    }
    return home === null ? null : { dir: home, source: 'live' }
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

  async function sessionState(taskId: TaskId, throughSeq?: number): Promise<SessionState | null> {
    const task = known(taskId)
    if (!task.transcriptExpired) refuseTrashed(task)
    for (let seenIn: string | null = null; ; ) {
      const dir = (await findTranscript(taskId))?.dir ?? null
      if (dir === null) return null
      const state = await readSessionState(dir, openIn(dir, taskId), throughSeq)
      // If it was moved in between, a second search finds it.
      if (state || dir === seenIn) return state
      seenIn = dir
    }
  }

  async function readWhereItIs(taskId: TaskId, query: PageQuery): Promise<TranscriptPage> {
    for (let seenIn: string | null = null; ; ) {
      const found = await findTranscript(taskId)
      const dir = found?.dir ?? layout.sessionDir(taskId)
      const page = await readTranscriptPage(dir, query, openIn(dir, taskId))
      // If it was moved between finding and reading, a second search finds it.
      if (page.status !== 'missing' || seenIn === dir)
        return { taskId, source: found?.source ?? 'live', ...page }
      seenIn = dir
    }
  }

  /**
   * Returns what `read` finds in the task's transcript, wherever that is; null if it finds nothing.
   */
  async function readFound<Found>(
    taskId: TaskId,
    read: (dir: string) => Promise<Found | null>,
  ): Promise<Found | null> {
    const task = known(taskId)
    if (!task.transcriptExpired) refuseTrashed(task)
    for (let seenIn: string | null = null; ; ) {
      const dir = (await findTranscript(taskId))?.dir ?? null
      const found = dir === null ? null : await read(dir)
      if (found !== null) return found
      // If it was moved in between, a second search finds it.
      if (dir === null || dir === seenIn) return null
      seenIn = dir
    }
  }

  const earlierState = (taskId: TaskId, seq: number) =>
    readFound(taskId, (dir) => readEarlierState(dir, seq))

  const blob = (taskId: TaskId, sha256: string) =>
    readFound(taskId, (dir) => readBlob(blobDirectory(join(dir, chatFile)), sha256))

  async function image(taskId: TaskId, sha256: string) {
    const data = await blob(taskId, sha256)
    const kind = data && imageKindOf(data)
    if (data && kind) return { mediaType: kind.mediaType, data }
    const why = 'This image is not kept any more, or its file is gone.'
    throw new FailureError({ kind: 'not-found', what: 'image', id: sha256, why })
  }

  async function outputPart(taskId: TaskId, query: OutputPartQuery): Promise<OutputPart> {
    const part = await readFound(taskId, (dir) => readOutputPart(dir, query))
    if (part) return part
    const why = 'This output is not kept any more, or its file is gone.'
    throw new FailureError({ kind: 'not-found', what: 'output', id: query.sha256, why })
  }

  /** Returns the open session if this process writes the transcript in `dir`. */
  function openIn(dir: string, taskId: TaskId): Session | null {
    const open = sessions.current(taskId)
    return open?.dir === dir ? open : null
  }

  async function listTranscripts({
    projectDir,
    taskIds,
  }: Parameters<ArchiveReader['listTranscripts']>[0]): Promise<TranscriptSummary[]> {
    const all = taskIds
      ? taskIds.flatMap((id) => state.tasks.get(id) ?? [])
      : [...state.tasks.values()]
    const tasks = all.filter(
      (task) =>
        !task.trashed &&
        (task.hasTranscript || task.hasReport) &&
        (projectDir === undefined || task.projectDir === projectDir),
    )
    const indexes = new Map<string, ReturnType<ReturnType<typeof transcriptIndex>['read']>>()
    const archivedIn = (dir: string) => {
      const read = indexes.get(dir) ?? transcriptIndex(dir).read()
      indexes.set(dir, read)
      return read
    }
    const summaries = await Promise.all(tasks.map((task) => summarize(task, archivedIn)))
    return summaries.sort((a, b) => newestFirst(lastActive(a), lastActive(b)))
  }

  async function summarize(
    task: Task,
    archivedIn: (dir: string) => ReturnType<ReturnType<typeof transcriptIndex>['read']>,
  ): Promise<TranscriptSummary> {
    return transcriptSummaryOf(task, await measure(task, archivedIn))
  }

  async function measure(
    task: Task,
    archivedIn: (dir: string) => ReturnType<ReturnType<typeof transcriptIndex>['read']>,
  ): Promise<{ entries: number; bytes: number }> {
    if (task.transcriptExpired) return { entries: 0, bytes: 0 }
    // A running session grows; a transcript that was recorded without counts is read.
    if (task.transcriptCounts) return task.transcriptCounts
    const home = await sessionHome(task.id)
    if (home && (await holdsTranscript(home))) {
      const bytes = await transcriptBytes(home)
      const entries = bytes === 0 ? 0 : await countEntries(home, openIn(home, task.id))
      // Null: it has just been moved into an ancestor's directory.
      if (entries !== null) return { entries, bytes }
    }
    for (const keeper of await keepers(task.id)) {
      const entry = (await archivedIn(keeper)).get(task.id)
      if (entry) return { entries: entry.entryCount, bytes: entry.bytes }
    }
    return { entries: 0, bytes: 0 }
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
    listTranscripts,
  }
}

/** Returns the task's last run if it ended regularly: its transcript then ends with a `run-end`. */
function endedRunOf({ runs, imported }: Task): number | null {
  // An export may hold a part of it only.
  if (imported) return null
  const last = runs.at(-1)
  return last?.status === 'completed' || last?.status === 'failed' ? last.run : null
}

/** A journal that lost whole lines at its end is still valid: only the ledger reveals the loss. */
function lacksEnd(page: TranscriptPage, run: number): boolean {
  if (page.nextSeq !== null || page.status !== 'complete') return false
  const last = page.entries.findLast(({ type }) => type === 'run-end' || partOfRun.has(type))
  // This page has no entry of a run: only the whole transcript shows whether one exists.
  if (!last) return page.entries.length === page.total
  return last.type !== 'run-end' || last.run < run
}

/** Entries after which a finished run must have more. */
const partOfRun: ReadonlySet<EntryType> = new Set([
  'run-start',
  'message',
  'tool-call',
  'tool-result',
  'file-history-snapshot',
  'attribution-snapshot',
  'workspace-snapshot',
  'snapshot-failed',
])

function withoutEnd(page: TranscriptPage, run: number): TranscriptPage {
  const reason = `the end is missing: run ${run} has ended, but the last entries do not record it`
  const damage = [{ file: chatFile, line: page.total + 1, bytes: 0, reason }]
  return { ...page, status: 'damaged', damage }
}

const artifactDirs = (keeper: string, taskId: TaskId): string[] => [
  archivedTranscriptDir(keeper, taskId),
  join(keeper, reportsDir, taskId),
  patchDir(keeper, taskId),
]

/** The damage of a missing transcript whose entries the ledger counted. */
const lost = { file: chatFile, line: 1, bytes: 0, reason: 'the file is gone' }

/** A transcript in the trash is neither lost nor empty: the error explains how to restore it. */
function refuseTrashed({ title, rootId, trashed, purged }: Task): void {
  if (!trashed) return
  refused(
    'removed',
    purged
      ? `"${title}" was deleted, and its time in the trash is over.`
      : `"${title}" is in the trash. \`shiplog workspaces restore ${shortId(rootId)}\` takes it back out.`,
  )
}

/** Refuses symbolic links in these paths, because they could lead to another user's files (A3). */
async function refuseLinks(
  what: 'report' | 'transcript',
  id: TaskId,
  paths: string[],
): Promise<void> {
  for (const path of paths) {
    await refuseSymlink(path).catch((error) => {
      if (systemCode(error) !== 'ELOOP') throw error
      const reason = explain('ELOOP')
      throw new FailureError({ kind: 'damaged', what, id, file: basename(path), reason })
    })
  }
}

async function holdsTranscript(dir: string): Promise<boolean> {
  return (await exists(join(dir, chatFile))) || (await exists(join(dir, partialFile)))
}

/** ISO 8601: `localeCompare` takes a second for 100,000 of them. */
const newestFirst = (a: string, b: string): number => (a < b ? 1 : a > b ? -1 : 0)

const lastActive = (summary: TranscriptSummary): string =>
  summary.endedAt ?? summary.startedAt ?? ''
