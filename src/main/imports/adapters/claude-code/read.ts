/** Reads a session of Claude Code with its sub-agents, in the locations used by all versions. */
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { AwaitedTask } from '../../../../shared/agents/tools.ts'
import type { TaskId } from '../../../../shared/records/ids.ts'
import {
  createTranscriptBuilder,
  type TranscriptBuilder,
} from '../../transcript/transcript-builder.ts'
import {
  type FoundSession,
  type ImportAdapter,
  type LineCounts,
  noLines,
  type ReadEvent,
  type ReadTask,
  type SourceFile,
} from '../adapter.ts'
import { type Piece, readPieces } from '../json-lines.ts'
import { inheritPlace, parentsFirst, spanOf } from '../task-order.ts'
import { asRecord, text, timeOf, titleOf } from '../values.ts'
import { type Branches, createBranchSurvey } from './branches.ts'
import { isClaudeRecord } from './claude-record.ts'
import { createCopySurvey } from './copied-records.ts'
import { type AgentCall, createRecordMapper, type RecordMapper } from './records.ts'

/**
 * Parsed records of files up to this size are cached between the two passes. Those of larger ones are parsed twice, because
 * V8 would copy them while they are cached, which takes longer.
 */
const keptBytesMax = 1 << 20
/** Entries per event; see the batches of json-lines.ts. */
const batchEntries = 64
/** Larger stored results are not imported; the record has their beginning. */
const storedBytesMax = 32 << 20

/** Record types that duplicate information of other records. */
const quietTypes = new Set([
  'progress',
  'file-history-snapshot',
  'queue-operation',
  'system',
  'mode',
])

/** A task that is being read. */
interface OpenTask {
  /** Claude Code's id of the agent; '': the session itself. */
  key: string
  id: TaskId
  builder: TranscriptBuilder
  mapper: RecordMapper
  counts: LineCounts
  startedAtMs: number | null
  meta: { agent: string | null; title: string | null }
}

export async function* readClaudeCode(
  session: FoundSession,
  { idOf, signal, earlier = [] }: Parameters<ImportAdapter['read']>[1],
): AsyncGenerator<ReadEvent> {
  const tasks = new Map<string, OpenTask>()
  /** The call that started each agent, by agent id. */
  const calls = new Map<string, { parent: TaskId; call: AgentCall }>()
  const [own] = session.files.filter(({ role }) => role === 'session')
  const agentFiles = session.files.filter(({ role }) => role === 'sub-agent')
  const compactions = session.files.filter(({ role }) => role === 'compaction')
  const withTranscript = new Set(agentFiles.map(({ agentId }) => agentId))
  let pendingCompactions = 0
  const copies = createCopySurvey(earlier)
  let copied = 0

  function open(key: string, startMs: number, branches: Branches | null, trunk = 0): OpenTask {
    const id = idOf(key)
    const builder = createTranscriptBuilder({
      taskId: id,
      source: 'Claude Code',
      agent: 'claude-code',
      startMs,
      trunk,
      // Negative branches are compaction runs outside the conversation.
      parentOf: (branch) =>
        branch < 0 ? { branch: trunk, record: -1 } : (branches?.parentOf(branch) ?? null),
    })
    const mapper = createRecordMapper({
      builder,
      agentSummary: (agentId, call, report) =>
        withTranscript.has(agentId) ? awaitedTask(idOf(agentId), call, report) : null,
      onAgent(agentId, call) {
        if (!calls.has(agentId)) calls.set(agentId, { parent: id, call })
      },
      stored: (path) => storedResult(session, path),
      onCompacted: () => {
        if (key === '') pendingCompactions++
      },
    })
    const task: OpenTask = {
      key,
      id,
      builder,
      mapper,
      counts: noLines(),
      startedAtMs: null,
      meta: { agent: null, title: null },
    }
    tasks.set(key, task)
    return task
  }

  async function* take(task: OpenTask, all: boolean): AsyncGenerator<ReadEvent> {
    const { entries, images } = task.builder.take()
    if (entries.length > 0 || (all && images.length > 0))
      yield { kind: 'entries', task: task.id, entries, images }
  }

  /** Returns a promise only for records with data in another file: awaiting every record would double the time. */
  function mapPiece(
    task: OpenTask,
    piece: Piece,
    { isRepeated, isCopy }: { isRepeated: boolean; isCopy: boolean },
  ): void | Promise<void> {
    const { counts, builder } = task
    counts.lines++
    const { record, line } = piece
    if (record === undefined) {
      counts.damaged++
      builder.preserve(line, { damaged: piece.damage, text: piece.text })
      return
    }
    task.startedAtMs ??= timeOf(record.timestamp)
    const count = (isMapped: boolean) => {
      if (isMapped) counts.mapped++
      else {
        counts.foreign++
        const isQuiet = quietTypes.has(text(record.type) ?? '')
        builder.preserve(line, record, { isQuiet, chars: piece.bytes })
      }
    }
    const mapped = !isRepeated && task.mapper.map(record, isCopy)
    return typeof mapped === 'boolean' ? count(mapped) : mapped.then(count)
  }

  /** First pass over a file. A separate function, so that its temporary memory is freed when it returns. */
  async function surveyed(file: SourceFile, inline: boolean) {
    const survey = createBranchSurvey({ inlineChains: inline })
    const kept: Piece[] | null = file.bytes <= keptBytesMax ? [] : null
    let startMs: number | null = null
    for await (const pieces of readPieces(file, isClaudeRecord, signal)) {
      for (const { record = null } of pieces) {
        survey.add(record)
        if (inline) copies.add(record)
        startMs ??= timeOf(record?.timestamp)
      }
      if (kept) for (const piece of pieces) kept.push(piece)
    }
    return { branches: survey.finish(), kept, startMs }
  }

  async function* readTranscript(file: SourceFile, key: string): AsyncGenerator<ReadEvent> {
    const inline = key === ''
    const { branches, kept, startMs } = await surveyed(file, inline)
    if (inline) for (const chain of branches.chains) withTranscript.add(chain)
    // A side chain needs a distinct key if its agent also has a file.
    const chainKey = (chain: string | null): string | null =>
      chain !== null && agentFiles.some(({ agentId }) => agentId === chain)
        ? `${chain} in the session`
        : chain
    const main = open(key, startMs ?? file.mtimeMs, branches)
    let index = -1
    let bytes = 0
    let waiting = 0
    for await (const pieces of kept ? [kept] : readPieces(file, isClaudeRecord, signal))
      for (const piece of pieces) {
        index++
        bytes += piece.bytes
        // The file grew since the first pass; the next import reads the rest.
        if (index >= branches.records) break
        if (inline && piece.record && copies.isCopy(index, piece.record)) {
          copied++
          main.counts.lines++
          main.counts.mapped++
          main.mapper.facts.copiedPrompt ??= promptOf(piece.record)
          continue
        }
        const chain = inline ? chainKey(branches.chainOf(index)) : null
        const task =
          chain === null
            ? main
            : (tasks.get(chain) ??
              open(chain, startMs ?? file.mtimeMs, branches, branches.branchOf(index)))
        const branch = branches.branchOf(index)
        if (branch !== -1) task.builder.switchTo(branch)
        const mapping = mapPiece(task, piece, {
          isRepeated: branches.isRepeated(index),
          isCopy: false,
        })
        if (mapping) await mapping
        if (piece.record === undefined) yield damageOf(file, piece)
        if (branches.isForkPoint(index)) task.builder.markForkPoint(index)
        while (pendingCompactions > 0) {
          pendingCompactions--
          yield* readCompaction(main)
        }
        if (++waiting < batchEntries) continue
        waiting = 0
        for (const one of tasks.values()) yield* take(one, false)
        yield { kind: 'bytes', bytes }
        bytes = 0
      }
    main.mapper.flushCompaction(null)
    yield { kind: 'bytes', bytes }
  }

  /** Reads a compaction run at its position in the conversation. */
  async function* readCompaction(main: OpenTask): AsyncGenerator<ReadEvent> {
    const file = compactions.shift()
    if (!file) return
    const back = main.builder.branch
    main.builder.switchTo(-1 - compactions.length)
    for await (const pieces of readPieces(file, isClaudeRecord, signal))
      for (const piece of pieces) {
        const mapping = mapPiece(main, piece, { isRepeated: false, isCopy: true })
        if (mapping) await mapping
        if (piece.record === undefined) yield damageOf(file, piece)
      }
    main.builder.switchTo(back)
    yield { kind: 'bytes', bytes: file.bytes }
  }

  if (own) {
    yield* readTranscript(own, '')
    const main = tasks.get('')
    // Compaction runs without a boundary record come last.
    while (main && compactions.length > 0) yield* readCompaction(main)
  }
  for (const file of agentFiles) {
    const key = file.agentId ?? file.name
    yield* readTranscript(file, key)
    const task = tasks.get(key)
    if (task) task.meta = await metaOf(file)
  }
  if (!own) {
    // The session file is missing: creates a root for the remaining sub-agents, dated like the first of them.
    const span = spanOf([...tasks.values()])
    const main = open('', span?.startMs ?? session.files[0]?.mtimeMs ?? 0, null)
    main.meta.title = `Parent deleted: session ${session.key.slice(0, 8)}`
    main.builder.begin()
    while (compactions.length > 0) yield* readCompaction(main)
    if (span) main.builder.setPlace({ atMs: span.endMs, cwd: null, branch: null })
  }
  const ended: ReadTask[] = []
  const rootId = idOf('')
  const rootFirst = [...tasks.values()].sort(
    (a, b) => Number(b.id === rootId) - Number(a.id === rootId),
  )
  for (const task of rootFirst) {
    const link = calls.get(task.key)
    const parent = task.id === rootId ? null : (link?.parent ?? rootId)
    ended.push(endTask(task, parent, link?.call ?? null, !own))
    yield* take(task, true)
  }
  if (!own) inheritPlace(ended)
  const { from } = copies
  const agents = ended.filter(({ parentId }) => parentId !== null)
  const linked = agents.filter(({ callId }) => callId !== null).length
  yield {
    kind: 'end',
    version: [...tasks.values()].map(({ mapper }) => mapper.facts.version).find(Boolean) ?? '',
    tasks: parentsFirst(ended, rootId),
    links: {
      linked,
      unlinked: own ? agents.length - linked : 0,
      orphaned: own ? 0 : agents.length,
      missing: [...calls.keys()].filter((key) => !tasks.has(key)).length,
    },
    continues: from && { ...from, copies: copied },
  }
}

const damageOf = (
  { name }: SourceFile,
  { line, bytes, damage: reason }: Extract<Piece, { record?: undefined }>,
): ReadEvent => ({ kind: 'damage', damage: { file: name, line, bytes, reason } })

function endTask(
  task: OpenTask,
  parentId: TaskId | null,
  call: AgentCall | null,
  isParentGone: boolean,
): ReadTask {
  const { builder, mapper, counts, meta } = task
  const { titles, prompt, copiedPrompt, lastText, endsWithAgent } = mapper.facts
  const { openCalls } = builder.facts()
  // A missing session counts as complete, because its end is unknown.
  const isGone = isParentGone && parentId === null
  const isComplete = isGone || (endsWithAgent && lastText !== null && openCalls === 0)
  builder.end(isComplete)
  const { firstCwd: cwd, branch, model, usage, atMs, edited } = builder.facts()
  const given = titles.custom ?? titles.ai ?? titles.summary
  const said = titleOf(prompt ?? '') || titleOf(copiedPrompt ?? '')
  const title = call?.title ?? meta.title ?? given ?? (said || 'Without a prompt')
  return {
    id: task.id,
    key: task.key,
    parentId,
    callId: call?.callId ?? null,
    title,
    agent: parentId === null ? 'claude-code' : (call?.agent ?? meta.agent ?? 'agent'),
    prompt: prompt ?? '',
    cwd,
    branch,
    model,
    usage,
    counts,
    isComplete,
    edited,
    startedAtMs: task.startedAtMs,
    endedAtMs: task.startedAtMs === null ? null : atMs,
    report: parentId !== null && isComplete ? (lastText?.text ?? null) : null,
  }
}

/** The text of a user's prompt; null: not a prompt, or not text only. */
function promptOf({ type, message }: Record<string, unknown>): string | null {
  return type === 'user' ? text(asRecord(message).content) : null
}

const awaitedTask = (taskId: TaskId, call: AgentCall, report: string | null): AwaitedTask => ({
  taskId,
  title: call.title,
  agent: call.agent,
  status: 'completed',
  cause: null,
  report: report === null ? null : { run: 1, title: call.title, markdown: report },
})

async function metaOf({ path }: SourceFile): Promise<OpenTask['meta']> {
  try {
    const file = path.replace(/\.jsonl$/, '.meta.json')
    if ((await stat(file)).size > 1 << 20) return { agent: null, title: null }
    const meta: unknown = JSON.parse(await readFile(file, 'utf8'))
    const { agentType, description } = asRecord(meta)
    const title = text(description)
    return { agent: text(agentType), title: title && titleOf(title) }
  } catch {
    return { agent: null, title: null }
  }
}

/** Uses only the base name of the recorded path and reads the file from the session's own folder (I1). */
async function storedResult(session: FoundSession, path: string): Promise<string | null> {
  const name = basename(path.replaceAll('\\', '/'))
  const file = session.files.find(
    (one) =>
      one.role === 'beside' &&
      basename(one.name) === name &&
      dirname(one.name).endsWith('tool-results'),
  )
  if (!file || file.bytes > storedBytesMax) return null
  return readFile(file.path, 'utf8').catch(() => null)
}
