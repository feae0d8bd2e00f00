/**
 * Makes the entries of one imported transcript, in the order and form that Shiplog's own have: a turn's calls and results
 * before its message, each entry after the one that it follows, and branches between `fork-start` and `fork-end` (I5).
 * Holds one turn and the calls without a result, whatever the length of the transcript.
 */
import { hash } from 'node:crypto'
import { resolve } from 'node:path'
import type { CallKind, ProviderData } from '../../shared/agents/agent-records.ts'
import type { ToolDetail } from '../../shared/agents/tools.ts'
import type { MessagePart } from '../../shared/records/entry-types/messages.ts'
import {
  type EntryId,
  entryIdSchema,
  type RunId,
  runIdOf,
  type TaskId,
  type ToolCallId,
} from '../../shared/records/ids.ts'
import { addUsage, noUsage, type Usage } from '../../shared/records/usage.ts'
import type { EditedFile, ReadEntry, ReadImage } from './adapters/adapter.ts'
import { createIdTable, hashOf } from './adapters/compact-ids.ts'
import { derivedId } from './rewritten-ids.ts'

/** Where and when a record was written; null: it does not say, so as the one before. */
interface RecordPlace {
  /** Milliseconds since the epoch. */
  atMs: number | null
  cwd: string | null
  branch: string | null
}

interface BuiltCall {
  callId: string
  name: string
  input: unknown
  kind?: CallKind
  title?: string
}

interface BuiltResult {
  callId: string
  outcome: 'ok' | 'error' | 'unknown'
  output: string
  detail?: ToolDetail | null
  images?: BuiltImage[]
}

export interface BuiltImage {
  mediaType: string
  data: Buffer
}

/** Records kept verbatim that are shown as one entry; more are hard to look through. */
const foreignRecordsMax = 50
const foreignCharsMax = 200_000
/** More calls without a result are of a log that lacks them. */
const openCallsMax = 10_000
/** Of a session that edited more files, those edited longest ago are not listed. */
const editedFilesMax = 2_000
/** The usage of so many messages is remembered, for those whose records are far apart. */
const countedMessagesMax = 2_000

/** Why a task ended whose log does not say that it was finished, or why not. */
export const unfinished = {
  kind: 'error' as const,
  detail: 'its log ends before the agent had finished',
}

interface OpenTurn {
  /** As the provider names the message; null: it does not. */
  messageId: string | null
  uuid: EntryId
  turn: number
  parts: MessagePart[]
  model: string | null
  usage: Usage | null
  stop: string | null
  at: number
  cwd: string
  branch: string | null
}

interface OpenCall {
  id: ToolCallId
  messageUuid: EntryId
  turn: number
  name: string
  at: number
}

export type TranscriptBuilder = ReturnType<typeof createTranscriptBuilder>

export function createTranscriptBuilder(about: {
  taskId: TaskId
  /** Of foreign entries: the tool. */
  source: string
  agent: string
  /** The time of entries before the first record that has one, in milliseconds since the epoch. */
  startMs: number
  /** The branch that is the conversation; 0 unless given. */
  trunk?: number
  /** The branch that a branch leaves; null: it is the conversation. */
  parentOf?: (branch: number) => { branch: number; record: number } | null
}) {
  const { taskId, source, trunk = 0, parentOf = () => null } = about
  const runId: RunId = runIdOf(taskId, 1)
  const entries: ReadEntry[] = []
  const images: ReadImage[] = []
  let made = 0
  let turns = 0
  let turn: OpenTurn | null = null
  let foreign: { line: number; record: unknown }[] = []
  let foreignChars = 0
  let isForeignQuiet = true
  let at = about.startMs
  let begun = false
  let cwd = ''
  let firstCwd: string | null = null
  let gitBranch: string | null = null
  /** By absolute path: when a call edited it last, in milliseconds since the epoch. */
  const edited = new Map<string, number>()
  let branch = trunk
  const last = new Map<number, EntryId>()
  const forkIds = new Map<number, EntryId>()
  const openForks: { branch: number; id: EntryId }[] = []
  const afterRecord = new Map<number, EntryId>()
  const calls = new Map<string, OpenCall>()
  const callIds = createIdTable()
  const counted = new Map<string, Usage>()
  let usage = noUsage
  let model: string | null = null

  const newId = (): EntryId => derivedId(taskId, `entry ${made++}`) as string as EntryId

  function emit(body: Record<string, unknown> & { type: string }, given?: EntryId): EntryId {
    begin()
    const uuid = given ?? newId()
    const parentUuid = last.get(branch) ?? null
    entries.push({ ...body, uuid, parentUuid: parentUuid, at } as ReadEntry)
    last.set(branch, uuid)
    return uuid
  }

  function begin(): void {
    if (begun) return
    begun = true
    emit({ type: 'run-start', runId, run: 1, reason: 'prompt', agent: about.agent })
  }

  function place(record: RecordPlace): void {
    at = record.atMs ?? at
    if (record.cwd !== null) {
      cwd = record.cwd
      firstCwd ??= cwd
      gitBranch = record.branch
    }
  }

  /** What was kept verbatim comes after the turn within which it was written. */
  function flushForeign(): void {
    if (foreign.length === 0) return
    const [only] = foreign
    emit({ type: 'foreign', source, content: foreign.length === 1 ? only : { records: foreign } })
    foreign = []
    foreignChars = 0
    isForeignQuiet = true
  }

  function closeTurn(): void {
    if (turn) {
      const now = at
      at = turn.at
      const counts = turn.usage && countOnce(turn.messageId, turn.usage)
      if (counts) usage = addUsage(usage, counts)
      model = turn.model ?? model
      emit(
        {
          type: 'message',
          role: 'assistant',
          parts: turn.parts,
          cwd: turn.cwd,
          timestamp: isoOf(turn.at),
          gitBranch: turn.branch,
          sessionId: taskId,
          runId,
          turn: turn.turn,
          status: 'complete',
          model: turn.model,
          usage: counts,
          ...(turn.stop !== null && { stop: turn.stop }),
        },
        turn.uuid,
      )
      at = now
      turn = null
    }
    if (!isForeignQuiet) flushForeign()
  }

  /** Of a message whose records are apart, only what was not counted before. */
  function countOnce(messageId: string | null, now: Usage): Usage | null {
    if (messageId === null) return now
    const before = counted.get(messageId)
    counted.delete(messageId)
    counted.set(messageId, now)
    const [oldest] = counted.keys()
    if (counted.size > countedMessagesMax && oldest !== undefined) counted.delete(oldest)
    return before ? null : now
  }

  function noteEdit(detail: ToolDetail | null | undefined): void {
    if (detail?.kind !== 'edit' || detail.change === 'unchanged') return
    const path = resolve(cwd, detail.path)
    edited.delete(path)
    edited.set(path, at)
    const [oldest] = edited.keys()
    if (edited.size > editedFilesMax && oldest !== undefined) edited.delete(oldest)
  }

  const imagePart = ({ mediaType, data }: BuiltImage) => {
    const sha256 = hash('sha256', data)
    images.push({ sha256, data })
    return { mediaType, sha256, bytes: data.length }
  }

  /** The turn that a record of the model belongs to. */
  function turnOf(messageId: string | null, uuid: unknown): OpenTurn {
    if (turn && messageId !== null && turn.messageId === messageId) return turn
    closeTurn()
    turn = {
      ...{ messageId, turn: ++turns, parts: [], model: null, usage: null, stop: null },
      uuid: ownId(uuid),
      at,
      cwd,
      branch: gitBranch,
    }
    return turn
  }

  /** Ids are kept where they are of the form that Shiplog's have (I3). */
  function ownId(uuid: unknown): EntryId {
    const parsed = entryIdSchema.safeParse(uuid)
    return parsed.success ? parsed.data : newId()
  }

  return {
    place,
    /** Begins the transcript at the present place, before its first entry would. */
    begin,
    /** Goes to a branch: from here on entries belong to it. */
    goTo(target: number): void {
      if (target === branch) return
      begin()
      closeTurn()
      flushForeign()
      const path: number[] = []
      for (let one: number | undefined = target; one !== undefined; one = parentOf(one)?.branch)
        path.unshift(one)
      while (!path.includes(branch)) {
        const open = openForks.pop()
        if (!open) break
        emit({ type: 'fork-end', forkId: open.id })
        branch = parentOf(branch)?.branch ?? trunk
      }
      for (const next of path.slice(path.indexOf(branch) + 1)) {
        const from = parentOf(next)
        const known = last.get(next)
        const parentUuid = known ?? (from && afterRecord.get(from.record)) ?? last.get(branch)
        const id = newId()
        const opened = forkIds.get(next) ?? id
        forkIds.set(next, opened)
        entries.push({
          ...{ type: 'fork-start', forkId: opened, uuid: id },
          ...{ parentUuid: parentUuid ?? null, at },
        })
        last.set(next, id)
        openForks.push({ branch: next, id: opened })
        branch = next
      }
    },
    /** Remembers the entry after which a branch leaves. */
    markForkPoint(record: number): void {
      const turnId = turn?.uuid
      const after = turnId ?? last.get(branch)
      if (after) afterRecord.set(record, after)
    },
    get branch() {
      return branch
    },
    /** Of the record that is being read, in milliseconds since the epoch. */
    get atMs() {
      return at
    },
    prompt(parts: (string | BuiltImage)[], uuid: unknown): void {
      closeTurn()
      flushForeign()
      emit(
        {
          type: 'message',
          role: 'user',
          parts: parts.map((part) =>
            typeof part === 'string'
              ? { type: 'text', text: part }
              : { type: 'image', ...imagePart(part) },
          ),
          cwd,
          timestamp: isoOf(at),
          gitBranch,
          sessionId: taskId,
          runId,
          turn: null,
          status: 'complete',
        },
        ownId(uuid),
      )
    },
    /** A part of what the model said. Records with the same `messageId` in a row are one turn. */
    said(
      part: { type: 'text' | 'reasoning'; text: string; providerData?: ProviderData },
      of: { messageId: string | null; uuid: unknown },
    ): void {
      turnOf(of.messageId, of.uuid).parts.push(part)
    },
    /** Of the message that is being read: the last one counts. */
    used(
      messageId: string | null,
      facts: { usage: Usage | null; model: string | null; stop: string | null; uuid: unknown },
    ): void {
      const open = turnOf(messageId, facts.uuid)
      open.usage = facts.usage ?? open.usage
      open.model = facts.model ?? open.model
      open.stop = facts.stop ?? open.stop
    },
    called(call: BuiltCall, of: { messageId: string | null; uuid: unknown }): ToolCallId {
      const open = turnOf(of.messageId, of.uuid)
      const times = callIds.count(hashOf(call.callId))
      const bounded = call.callId.slice(0, 180) || `call-${turns}-${open.parts.length}`
      const id = (times === 1 ? bounded : `${bounded}#${times}`) as ToolCallId
      calls.set(call.callId, {
        ...{ id, messageUuid: open.uuid, turn: open.turn, name: call.name, at },
      })
      const [oldest] = calls.keys()
      if (calls.size > openCallsMax && oldest !== undefined) calls.delete(oldest)
      open.parts.push({ type: 'tool-call', callId: id, name: call.name })
      emit({
        type: 'tool-call',
        messageUuid: open.uuid,
        runId,
        turn: open.turn,
        callId: id,
        name: call.name,
        input: call.input ?? {},
        by: 'agent',
        ...(call.kind && { kind: call.kind }),
        ...(call.title && { title: call.title }),
      })
      return id
    },
    /** The call that waits for a result, as it is recorded; null: there is none. */
    openCall: (callId: string): { id: ToolCallId; name: string } | null =>
      calls.get(callId) ?? null,
    returned(result: BuiltResult): boolean {
      const call = calls.get(result.callId)
      if (!call) return false
      calls.delete(result.callId)
      const shown = (result.images ?? []).map(imagePart)
      noteEdit(result.detail)
      emit({
        type: 'tool-result',
        messageUuid: call.messageUuid,
        runId,
        turn: call.turn,
        callId: call.id,
        name: call.name,
        outcome: result.outcome,
        output: result.output,
        ...(shown.length > 0 && { images: shown }),
        detail: result.detail ?? null,
        durationMs: Math.max(0, at - call.at),
      })
      return true
    },
    planned(items: { text: string; status: 'pending' | 'in-progress' | 'completed' }[]): void {
      emit({ type: 'plan', runId, items })
    },
    compacted(summary: string): void {
      closeTurn()
      flushForeign()
      emit({ type: 'compaction', runId, summary, keptFromSeq: null })
    },
    titled(title: string): void {
      emit({ type: 'title', title })
    },
    linked(url: string): void {
      emit({ type: 'pr-link', url, source: 'tool-output' })
    },
    /**
     * Keeps a record verbatim. A quiet one reports what the entries around it say as well: it may be shown after the
     * turns of the same prompt.
     */
    kept(line: number, record: unknown, { isQuiet = false } = {}): void {
      const chars = JSON.stringify(record)?.length ?? 0
      if (foreign.length >= foreignRecordsMax || foreignChars + chars > foreignCharsMax)
        flushForeign()
      foreign.push({ line, record })
      foreignChars += chars
      isForeignQuiet &&= isQuiet
    },
    /** Entries that are complete since the last call. */
    take(): { entries: ReadEntry[]; images: ReadImage[] } {
      return { entries: entries.splice(0), images: images.splice(0) }
    },
    /** Ends the transcript. `isComplete`: the agent came to its end by itself. */
    end(isComplete: boolean): void {
      closeTurn()
      flushForeign()
      while (openForks.length > 0) {
        const open = openForks.pop()
        if (open) emit({ type: 'fork-end', forkId: open.id })
        branch = parentOf(branch)?.branch ?? trunk
      }
      begin()
      const status = isComplete ? 'completed' : 'interrupted'
      const cause = isComplete ? null : unfinished
      emit({ type: 'run-end', runId, run: 1, status, cause })
    },
    facts: () => ({
      ...{ cwd, branch: gitBranch, model, usage, turns, atMs: at, openCalls: calls.size },
      /** The folder of its first record. */
      firstCwd: firstCwd ?? '',
      edited: [...edited].map(([path, atMs]): EditedFile => ({ path, atMs })),
    }),
  }
}

const isoOf = (ms: number): string => new Date(ms).toISOString()
