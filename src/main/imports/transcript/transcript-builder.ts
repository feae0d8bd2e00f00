/**
 * Builds the entries of one imported transcript in the order of Shiplog's own: calls and results of a turn precede its
 * message. Memory is bounded: only one turn and the open calls are held.
 */
import { hash } from 'node:crypto'
import { resolve } from 'node:path'
import type { CallKind, ProviderData } from '../../../shared/agents/agent-records.ts'
import type { ToolDetail } from '../../../shared/agents/tools.ts'
import { setBounded } from '../../../shared/projections/session/bounded-lists.ts'
import type { MessagePart } from '../../../shared/records/entry-types/messages.ts'
import {
  type EntryId,
  entryIdSchema,
  type RunId,
  runIdOf,
  type TaskId,
  type ToolCallId,
} from '../../../shared/records/ids.ts'
import type { Usage } from '../../../shared/records/usage.ts'
import type { ReadEntry, ReadImage } from '../adapters/adapter.ts'
import { createIdTable, hashOf } from '../adapters/compact-ids.ts'
import { createBranchedEntries } from './branched-entries.ts'
import { createForeignRecords } from './foreign-records.ts'
import { createEditedFiles, createUsageTotal } from './totals.ts'

/** Time and place of a record; null: unchanged since the previous record. */
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

/** Limit of open calls. A log with more of them lacks results. */
const openCallsMax = 10_000

/** The cause of a task whose log does not record its end. */
export const unfinished = {
  kind: 'error' as const,
  detail: 'its log ends before the agent finished',
}

interface OpenTurn {
  /** The provider's message id; null: none. */
  messageId: string | null
  /** The record's id, for a message without an id. */
  recordId: unknown
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
  /** The tool, for foreign entries. */
  source: string
  agent: string
  /** The time of entries before the first record that has one, in milliseconds since the epoch. */
  startMs: number
  /** The branch of the conversation; default 0. */
  trunk?: number
  /** The parent of a branch; null: the conversation. */
  parentOf?: (branch: number) => { branch: number; record: number } | null
}) {
  const { taskId, source, trunk = 0, parentOf = () => null } = about
  const runId: RunId = runIdOf(taskId, 1)
  const branched = createBranchedEntries({ taskId, trunk, parentOf })
  const foreign = createForeignRecords()
  const usage = createUsageTotal()
  const edited = createEditedFiles()
  const images: ReadImage[] = []
  let turns = 0
  let turn: OpenTurn | null = null
  let at = about.startMs
  let hasBegun = false
  let cwd = ''
  let firstCwd: string | null = null
  let gitBranch: string | null = null
  const calls = new Map<string, OpenCall>()
  const callIds = createIdTable()
  let model: string | null = null

  function emit(body: Record<string, unknown> & { type: string }, uuid?: EntryId): void {
    begin()
    branched.add(body, at, uuid)
  }

  function begin(): void {
    if (hasBegun) return
    hasBegun = true
    emit({ type: 'run-start', runId, run: 1, reason: 'prompt', agent: about.agent })
  }

  function setPlace(record: RecordPlace): void {
    at = record.atMs ?? at
    if (record.cwd !== null) {
      cwd = record.cwd
      firstCwd ??= cwd
      gitBranch = record.branch
    }
  }

  /** Emits preserved records, which follow the turn in which they were written. */
  function flushForeign(): void {
    const content = foreign.take()
    if (content !== null) emit({ type: 'foreign', source, content })
  }

  function closeTurn(): void {
    if (turn) {
      const now = at
      at = turn.at
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
          // Excludes usage that was already counted for an earlier record of the message.
          usage: turn.usage && usage.add(turn.messageId, turn.usage),
          ...(turn.stop !== null && { stop: turn.stop }),
        },
        turn.uuid,
      )
      at = now
      turn = null
    }
    if (!foreign.areQuiet) flushForeign()
  }

  function noteEdit(detail: ToolDetail | null | undefined): void {
    if (detail?.kind !== 'edit' || detail.change === 'unchanged') return
    edited.add(resolve(cwd, detail.path), at)
  }

  const imagePart = ({ mediaType, data }: BuiltImage) => {
    const sha256 = hash('sha256', data)
    images.push({ sha256, data })
    return { mediaType, sha256, bytes: data.length }
  }

  /** The turn of a model's record, opened if necessary. */
  function turnOf(messageId: string | null, uuid: unknown): OpenTurn {
    const isSame =
      messageId === null
        ? typeof uuid === 'string' && turn?.recordId === uuid
        : turn?.messageId === messageId
    if (turn && isSame) return turn
    closeTurn()
    turn = {
      messageId,
      recordId: uuid,
      turn: ++turns,
      parts: [],
      model: null,
      usage: null,
      stop: null,
      uuid: ownId(uuid),
      at,
      cwd,
      branch: gitBranch,
    }
    return turn
  }

  /** Keeps an id that is valid in Shiplog, else creates one (I3). */
  function ownId(uuid: unknown): EntryId {
    const parsed = entryIdSchema.safeParse(uuid)
    return parsed.success ? parsed.data : branched.newId()
  }

  return {
    setPlace,
    /** Begins the transcript at the current place, before its first entry. */
    begin,
    /** Switches to a branch for the following entries. */
    switchTo(target: number): void {
      if (target === branched.branch) return
      begin()
      closeTurn()
      flushForeign()
      branched.switchTo(target, at)
    },
    /** Marks that a branch forks after this record. */
    markForkPoint(record: number): void {
      branched.markForkPoint(record, turn?.uuid)
    },
    get branch() {
      return branched.branch
    },
    /** The working directory of the current record; empty if unknown. */
    get cwd() {
      return cwd
    },
    /** Time of the current record, in milliseconds since the epoch. */
    get atMs() {
      return at
    },
    addPrompt(parts: (string | BuiltImage)[], uuid: unknown): void {
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
    /** Adds text or reasoning of the model. Consecutive records with the same `messageId` form a turn. */
    addText(
      part: { type: 'text' | 'reasoning'; text: string; providerData?: ProviderData },
      origin: { messageId: string | null; uuid: unknown },
    ): void {
      turnOf(origin.messageId, origin.uuid).parts.push(part)
    },
    /** Sets the usage of the current message; a later call overrides it. */
    setUsage(
      messageId: string | null,
      facts: { usage: Usage | null; model: string | null; stop: string | null; uuid: unknown },
    ): void {
      const open = turnOf(messageId, facts.uuid)
      open.usage = facts.usage ?? open.usage
      open.model = facts.model ?? open.model
      open.stop = facts.stop ?? open.stop
    },
    beginCall(call: BuiltCall, origin: { messageId: string | null; uuid: unknown }): ToolCallId {
      const open = turnOf(origin.messageId, origin.uuid)
      const times = callIds.count(hashOf(call.callId))
      const bounded = call.callId.slice(0, 180) || `call-${turns}-${open.parts.length}`
      const id = (times === 1 ? bounded : `${bounded}#${times}`) as ToolCallId
      const begun = { id, messageUuid: open.uuid, turn: open.turn, name: call.name, at }
      setBounded(calls, call.callId, begun, openCallsMax)
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
    /** The open call with that id, as recorded; null: none. */
    openCall: (callId: string): { id: ToolCallId; name: string } | null =>
      calls.get(callId) ?? null,
    endCall(result: BuiltResult): boolean {
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
    setPlan(items: { text: string; status: 'pending' | 'in-progress' | 'completed' }[]): void {
      emit({ type: 'plan', runId, items })
    },
    addCompaction(summary: string): void {
      closeTurn()
      flushForeign()
      emit({ type: 'compaction', runId, summary, keptFromSeq: null })
    },
    setTitle(title: string): void {
      emit({ type: 'title', title })
    },
    addLink(url: string): void {
      emit({ type: 'pr-link', url, source: 'tool-output' })
    },
    /**
     * Preserves a record verbatim. A quiet record duplicates surrounding entries, so it may be placed after the turns
     * of the same prompt. `chars`: its length as JSON; computed if absent.
     */
    preserve(line: number, record: unknown, of: { isQuiet?: boolean; chars?: number } = {}): void {
      const { isQuiet = false, chars = JSON.stringify(record)?.length ?? 0 } = of
      if (!foreign.hasRoom(chars)) flushForeign()
      foreign.add(line, record, { chars, isQuiet })
    },
    /** Removes and returns the entries and images completed since the last call. */
    take(): { entries: ReadEntry[]; images: ReadImage[] } {
      return { entries: branched.take(), images: images.splice(0) }
    },
    /** Ends the transcript. `isComplete`: the agent finished its work. */
    end(isComplete: boolean): void {
      closeTurn()
      flushForeign()
      begin()
      branched.closeForks(at)
      const status = isComplete ? 'completed' : 'interrupted'
      const cause = isComplete ? null : unfinished
      emit({ type: 'run-end', runId, run: 1, status, cause })
    },
    facts: () => ({
      cwd,
      branch: gitBranch,
      model,
      usage: usage.total,
      turns,
      atMs: at,
      openCalls: calls.size,
      /** The working directory of the first record; empty if unknown. */
      firstCwd: firstCwd ?? '',
      edited: edited.list(),
    }),
  }
}

const isoOf = (ms: number): string => new Date(ms).toISOString()
