/** Reads a session of Codex with its sub-agents, each from a separate rollout. */
import type { AwaitedTask } from '../../../../shared/agents/tools.ts'
import type { TaskId } from '../../../../shared/records/ids.ts'
import {
  createTranscriptBuilder,
  type TranscriptBuilder,
} from '../../transcript/transcript-builder.ts'
import {
  type ContinuedSession,
  type EarlierSession,
  type FoundSession,
  type ImportAdapter,
  type LineCounts,
  noLines,
  type ReadEvent,
  type ReadTask,
  type SourceFile,
} from '../adapter.ts'
import { firstRecords } from '../folders.ts'
import { type Piece, readPieces } from '../json-lines.ts'
import { inheritPlace, parentsFirst, spanOf } from '../task-order.ts'
import { timeOf, titleOf } from '../values.ts'
import type { AgentCall, AgentLinks } from './calls.ts'
import { createCopyDetector } from './copies.ts'
import { isCodexRecord, lineOf, metaOf, type RolloutMeta } from './lines.ts'
import { createRecordMapper, type RecordMapper } from './records.ts'
import { surveyRollbacks } from './rollbacks.ts'

/** Lines per batch. */
const batchLines = 64
/** The branch for the history that a sub-agent inherited from its parent. */
const inheritedBranch = 1_000_000

interface OpenThread {
  /** The thread's id; '': the session itself. */
  key: string
  id: TaskId
  meta: RolloutMeta | null
  builder: TranscriptBuilder
  mapper: RecordMapper
  counts: LineCounts
  startedAtMs: number | null
}

export async function* readCodex(
  session: FoundSession,
  { idOf, signal, earlier = [] }: Parameters<ImportAdapter['read']>[1],
): AsyncGenerator<ReadEvent> {
  const own = session.files.find(({ role }) => role === 'session')
  const agentFiles = session.files.filter(({ role }) => role === 'sub-agent')
  const metas = await readMetas(session.files)
  const links = createLinks(session, metas, idOf)
  const threads: OpenThread[] = []

  function open(file: SourceFile | null, startMs: number, parentOf: ParentOf): OpenThread {
    const key = file?.agentId ?? ''
    const id = idOf(key)
    const meta = (file && metas.get(file.path)) ?? null
    const builder = createTranscriptBuilder({
      taskId: id,
      source: 'Codex',
      agent: 'codex',
      startMs,
      parentOf,
    })
    const counts = noLines()
    const mapper = createRecordMapper({
      builder,
      meta,
      links: links.of(id),
      preserve: (line, record, isQuiet) => builder.preserve(line, record, { isQuiet }),
    })
    const thread = { key, id, meta, builder, mapper, counts, startedAtMs: null }
    threads.push(thread)
    return thread
  }

  function* take({ builder, id }: OpenThread): Generator<ReadEvent> {
    const { entries, images } = builder.take()
    if (entries.length > 0 || images.length > 0)
      yield { kind: 'entries', task: id, entries, images }
  }

  async function* readRollout(file: SourceFile): AsyncGenerator<ReadEvent> {
    const rollbacks = await surveyRollbacks(file, signal)
    const meta = metas.get(file.path) ?? null
    const copies = createCopyDetector(meta)
    const isAgent = file.role === 'sub-agent'
    const thread = open(file, file.mtimeMs, (branch) =>
      branch < 0 || branch === inheritedBranch
        ? { branch: 0, record: -1 }
        : rollbacks.parentOf(branch),
    )
    let index = -1
    let bytes = 0
    for await (const pieces of readPieces(file, isCodexRecord, signal))
      for (const piece of pieces) {
        index++
        bytes += piece.bytes
        const isCopy = piece.record !== undefined && copies.isCopy(lineOf(piece.record))
        goTo(thread, isCopy && isAgent ? inheritedBranch : rollbacks.branchOf(index))
        yield* mapPiece(thread, piece, file, isCopy)
        if ((index + 1) % batchLines !== 0) continue
        yield* take(thread)
        yield { kind: 'bytes', bytes: shareOf(file, bytes) }
        bytes = 0
      }
    thread.mapper.end()
    yield* take(thread)
    yield { kind: 'bytes', bytes: shareOf(file, bytes) }
  }

  if (own) yield* readRollout(own)
  for (const file of agentFiles) yield* readRollout(file)
  if (!own) {
    // The session's rollout is missing: creates a root for the remaining sub-agents, dated like the first of them.
    const span = spanOf(threads)
    const { builder } = open(null, span?.startMs ?? session.files[0]?.mtimeMs ?? 0, () => null)
    builder.begin()
    if (span) builder.setPlace({ atMs: span.endMs, cwd: null, branch: null })
    threads.unshift(...threads.splice(-1))
  }
  const rootId = idOf('')
  const ended: ReadTask[] = []
  for (const thread of threads) {
    ended.push(endThread(thread, links.linkOf(thread), { session, rootId, hasOwn: !!own }))
    yield* take(thread)
  }
  if (!own) inheritPlace(ended)
  const agents = ended.filter(({ parentId }) => parentId !== null)
  const linked = agents.filter(({ callId }) => callId !== null).length
  yield {
    kind: 'end',
    version: [...metas.values()].map((meta) => meta.version).find(Boolean) ?? '',
    tasks: parentsFirst(ended, rootId),
    links: {
      linked,
      unlinked: own ? agents.length - linked : 0,
      orphaned: own ? 0 : agents.length,
      missing: links.missing(),
    },
    continues: continuedBy(own ? metas.get(own.path) : undefined, earlier),
  }
}

/** A fork without copied history continues from its origin's last entry before the fork. */
function continuedBy(
  meta: RolloutMeta | undefined,
  earlier: readonly EarlierSession[],
): ContinuedSession | null {
  const origin = meta?.continuesFrom ? earlier.find(({ isNamed }) => isNamed) : undefined
  if (!origin || !meta) return null
  const { taskId, lastSeq } = origin
  return { taskId, seq: meta.startMs === null ? lastSeq : origin.seqUntil(meta.startMs), copies: 0 }
}

type ParentOf = (branch: number) => { branch: number; record: number } | null

function goTo({ builder, mapper }: OpenThread, branch: number): void {
  if (builder.branch === branch) return
  mapper.resolveHeld()
  builder.switchTo(branch)
}

function* mapPiece(
  thread: OpenThread,
  piece: Piece,
  file: SourceFile,
  isCopy: boolean,
): Generator<ReadEvent> {
  const { counts, builder, mapper } = thread
  counts.lines++
  if (piece.record === undefined) {
    counts.damaged++
    mapper.damaged()
    builder.preserve(piece.line, { damaged: piece.damage, text: piece.text })
    const { line, bytes, damage: reason } = piece
    yield { kind: 'damage', damage: { file: file.name, line, bytes, reason } }
    return
  }
  const line = lineOf(piece.record)
  thread.startedAtMs ??= timeOf(line.timestamp)
  if (mapper.map(piece.record, line, piece.line, isCopy)) counts.mapped++
  else counts.foreign++
}

/** Limits progress to the size on disk, which decompressed content may exceed. */
const shareOf = (file: SourceFile, bytes: number): number => Math.min(bytes, file.bytes)

async function readMetas(files: SourceFile[]): Promise<Map<string, RolloutMeta>> {
  const metas = new Map<string, RolloutMeta>()
  for (const { path } of files) {
    const first = await firstRecords(path, (record) => metaOf(record) !== null)
    const meta = first.map(metaOf).find((one) => one !== null)
    if (meta) metas.set(path, meta)
  }
  return metas
}

/** Links sub-agents to the calls that started them. */
function createLinks(
  session: FoundSession,
  metas: Map<string, RolloutMeta>,
  idOf: (key: string) => TaskId,
) {
  const agents = session.files.flatMap((file) =>
    file.role === 'sub-agent'
      ? [{ threadId: file.agentId ?? '', path: metas.get(file.path)?.agentPath ?? null }]
      : [],
  )
  const calls = new Map<string, { parent: TaskId; call: AgentCall }>()
  let missing = 0
  type Named = { threadId: string } | { path: string }
  const find = (named: Named) =>
    agents.find((agent) =>
      'threadId' in named ? agent.threadId === named.threadId : agent.path === named.path,
    )

  const of = (parent: TaskId): AgentLinks => ({
    onAgent(named, call) {
      const agent = find(named)
      if (!agent) missing++
      else if (!calls.has(agent.threadId)) calls.set(agent.threadId, { parent, call })
    },
    agentSummary(named, call, report): AwaitedTask | null {
      const agent = find(named)
      if (!agent) return null
      return {
        taskId: idOf(agent.threadId),
        title: call.title,
        agent: call.agent,
        status: 'completed',
        cause: null,
        report: report === null ? null : { run: 1, title: call.title, markdown: report },
      }
    },
  })

  return {
    of,
    missing: () => missing,
    /** The parent and call of a sub-agent, from its first line or from the call. */
    linkOf({ key, meta }: OpenThread): { parent: TaskId | null; call: AgentCall | null } {
      const link = calls.get(key)
      const named = meta?.parentId ?? null
      const parent =
        named === null
          ? null
          : named === session.key
            ? idOf('')
            : agents.some(({ threadId }) => threadId === named)
              ? idOf(named)
              : null
      return { parent: link?.parent ?? parent, call: link?.call ?? null }
    },
  }
}

function endThread(
  thread: OpenThread,
  { parent, call }: { parent: TaskId | null; call: AgentCall | null },
  { session, rootId, hasOwn }: { session: FoundSession; rootId: TaskId; hasOwn: boolean },
): ReadTask {
  const { builder, mapper, counts, meta, key } = thread
  const isRoot = key === ''
  const { prompt, copiedPrompt, report, endsWithAgent } = mapper.facts
  // A missing session counts as complete, because its end is unknown.
  const isComplete = endsWithAgent || (isRoot && !hasOwn)
  builder.end(isComplete)
  const { firstCwd: cwd, branch, model, usage, atMs, edited } = builder.facts()
  const gone = isRoot && !hasOwn ? `Parent deleted: session ${session.key.slice(0, 8)}` : null
  const given = isRoot ? (session.title ?? mapper.facts.title) : (call?.title ?? null)
  const named = meta?.agentPath ?? meta?.nickname ?? null
  const title =
    gone ?? (given && titleOf(given)) ?? (titleOf(prompt ?? copiedPrompt ?? '') || named)
  return {
    id: thread.id,
    key,
    parentId: isRoot ? null : (parent ?? rootId),
    callId: call?.callId ?? null,
    title: title || 'Without a prompt',
    agent: isRoot ? 'codex' : (meta?.role ?? call?.agent ?? 'agent'),
    prompt: prompt ?? '',
    cwd: cwd || (meta?.cwd ?? ''),
    branch,
    model,
    usage,
    counts,
    isComplete,
    edited,
    startedAtMs: thread.startedAtMs,
    endedAtMs: thread.startedAtMs === null ? null : atMs,
    report: !isRoot && isComplete ? report : null,
  }
}
