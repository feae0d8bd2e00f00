/**
 * Folds entries into what a conversation or transcript shows. Pure and incremental: adding entries one
 * by one gives what adding them all at once gives. Items are replaced, never changed, so a view may
 * compare them by identity.
 */

import type {
  CallProgress,
  ImageRef,
  PermissionAnswer,
  PlanItem,
} from '../../agents/agent-records.ts'
import { assertNever } from '../../assert-never.ts'
import type { Cause } from '../../records/causes.ts'
import type { Entry, MessageEntry, PartialMessage, UnknownEntry } from '../../records/entries.ts'
import type { EntryId, RunId, ToolCallId } from '../../records/ids.ts'
import { formatRunSandbox } from '../../records/sandbox.ts'
import { permissionText } from '../../text/permission-text.ts'
import {
  addCall,
  addResult,
  imageRefOf,
  placeCalls,
  type TurnBlock,
  textLength,
  withPermission,
} from './turn-blocks.ts'

export type TranscriptItem =
  | {
      kind: 'prompt'
      key: string
      seq: number
      text: string
      images: ImageRef[]
      /** A person sent it to the agent while it ran. */
      toRunning: boolean
      at: string
      cwd: string
      gitBranch: string | null
    }
  | {
      kind: 'turn'
      /** The message's uuid, the same while it is in progress and after. */
      key: string
      seq: number
      turn: number
      runId: RunId
      status: 'complete' | 'interrupted' | 'superseded' | 'live'
      blocks: TurnBlock[]
      /** Of the message itself, which comes after its calls; null: was not read, or is not there yet. */
      messageSeq: number | null
      /** Null while no part of the message itself has been read. */
      at: string | null
      cwd: string | null
      gitBranch: string | null
    }
  | {
      kind: 'run-start'
      key: string
      seq: number
      run: number
      reason: 'prompt' | 'resume' | 'retry'
      at: string
    }
  | {
      kind: 'run-end'
      key: string
      seq: number
      run: number
      status: 'completed' | 'interrupted' | 'failed'
      cause: Cause | null
      at: string
    }
  | { kind: 'resume'; key: string; seq: number; drift: string[]; at: string }
  | {
      kind: 'worktree'
      key: string
      seq: number
      path: string | null
      branch: string | null
      at: string
    }
  | { kind: 'pr-link'; key: string; seq: number; url: string; at: string }
  | { kind: 'summary'; key: string; seq: number; text: string; at: string }
  | { kind: 'plan'; key: string; seq: number; items: PlanItem[]; at: string }
  | {
      kind: 'compaction'
      key: string
      seq: number
      summary: string
      /** The first entry that the agent still has as it was; the ones before it were replaced by the summary. */
      keptFromSeq: number
      /** Those before this one were replaced by an earlier compaction; 1 if none was folded. */
      replacedFromSeq: number
      /** Of the prompts that the summary repeats. */
      images: ImageRef[]
      at: string
    }
  /** An attempt at a turn failed and was made again; a superseded turn before it has what it said. */
  | {
      kind: 'retry'
      key: string
      seq: number
      turn: number
      cause: Cause
      /** When the next attempt was due; null: at once. */
      untilMs: number | null
      at: string
    }
  /** A branch of the conversation that was left again, from its start to its end. */
  | { kind: 'fork'; key: string; seq: number; edge: 'start' | 'end'; at: string }
  | {
      kind: 'foreign'
      key: string
      seq: number
      source: string
      content: unknown
      at: string
    }
  | { kind: 'note'; key: string; seq: number; about: NoteSubject; text: string; at: string }
  | { kind: 'unknown'; key: string; seq: number; entry: UnknownEntry; at: string }

/** The subject of a note. `message`: a message from Shiplog to the agent. */
export type NoteSubject =
  | 'message'
  | 'withheld'
  | 'sandbox'
  | 'set-up'
  | 'set-up-skipped'
  | 'permission'
  | 'agent-session'
  | 'agent-notice'
  | 'agent-warning'
  | 'snapshot-failed'

type TurnItem = Extract<TranscriptItem, { kind: 'turn' }>

export interface TranscriptFold {
  items: TranscriptItem[]
  /** Of the last entry folded; 0 for none. */
  lastSeq: number
  title: string | null
  /** Of the last compaction; 1 before the first. */
  keptFromSeq: number
  /** Where a turn stands in `items`, by message uuid. */
  turnIndex: Map<EntryId, number>
  /** Turns with a call that has no result yet, as positions in `items`. */
  openTurns: Set<number>
}

export const emptyTranscript = (): TranscriptFold => ({
  items: [],
  lastSeq: 0,
  title: null,
  keptFromSeq: 1,
  turnIndex: new Map(),
  openTurns: new Set(),
})

/** Folds entries in place, in file order (J9). An entry that was folded already is passed over. */
export function foldEntries(fold: TranscriptFold, entries: Iterable<Entry>): TranscriptFold {
  for (const entry of entries) {
    if (entry.seq <= fold.lastSeq) continue
    foldEntry(fold, entry)
    fold.lastSeq = entry.seq
  }
  return fold
}

/**
 * The items with the message in progress in its place: what is in `partial` and what is already in the
 * journal are merged by position, the longer one wins (A8).
 */
export function withPartial(
  fold: TranscriptFold,
  partial: PartialMessage | null,
  live: boolean,
): TranscriptItem[] {
  if (!partial) return fold.items
  const index = fold.turnIndex.get(partial.uuid)
  const known = index === undefined ? undefined : (fold.items[index] as TurnItem)
  if (known && known.at !== null && textLength(known.blocks) >= textLength(partial.parts))
    return fold.items
  const item: TurnItem = {
    ...(known ?? newTurn(partial.uuid, fold.lastSeq + 1, partial.turn ?? 1, partial.runId)),
    status: live ? 'live' : 'interrupted',
    blocks: placeCalls(partial.parts, known?.blocks ?? []),
    at: partial.timestamp,
    cwd: partial.cwd,
    gitBranch: partial.gitBranch,
  }
  if (index === undefined) return [...fold.items, item]
  return fold.items.with(index, item)
}

/** The items with what calls that run have printed. */
export function withProgress(
  items: TranscriptItem[],
  running: ReadonlyMap<ToolCallId, CallProgress>,
): TranscriptItem[] {
  if (running.size === 0) return items
  return items.map((item) => {
    if (item.kind !== 'turn') return item
    const runs = (block: TurnBlock) =>
      block.kind === 'tool' && block.call.state === 'running' && running.has(block.call.callId)
    return item.blocks.some(runs) ? { ...item, blocks: item.blocks.map(progressed) } : item
  })

  function progressed(block: TurnBlock): TurnBlock {
    if (block.kind !== 'tool' || block.call.state !== 'running') return block
    const news = running.get(block.call.callId)
    if (!news) return block
    const { title = block.call.title, output } = news
    return { kind: 'tool', call: { ...block.call, title, output: output || null } }
  }
}

function foldEntry(fold: TranscriptFold, entry: Entry): void {
  const at = new Date(entry.at).toISOString()
  const { seq } = entry
  const key = entry.uuid
  switch (entry.type) {
    case 'message':
      if (entry.by === 'shiplog') {
        const text = `Shiplog told the agent: ${textOf(entry)}`
        return void fold.items.push({ kind: 'note', key, seq, about: 'message', text, at })
      }
      return entry.role === 'user'
        ? void fold.items.push(promptItem(entry))
        : foldMessage(fold, entry)
    case 'tool-call':
      return changeTurn(fold, entry, (turn) => ({
        ...turn,
        blocks: addCall(turn.blocks, entry, at),
      }))
    case 'tool-result':
      return changeTurn(fold, entry, (turn) => ({ ...turn, blocks: addResult(turn.blocks, entry) }))
    case 'run-start':
      loseRunningCalls(fold)
      fold.items.push({ kind: 'run-start', key, seq, run: entry.run, reason: entry.reason, at })
      if (entry.withheld?.length)
        fold.items.push({
          kind: 'note',
          key: `${key}:withheld`,
          seq,
          about: 'withheld',
          text: `Withheld from the agents: ${entry.withheld.join(', ')}`,
          at,
        })
      if (entry.sandbox)
        fold.items.push({
          ...{ kind: 'note', key: `${key}:sandbox`, seq, about: 'sandbox', at },
          text: formatRunSandbox(entry.sandbox),
        })
      return
    case 'run-end':
      loseRunningCalls(fold)
      fold.items.push({
        kind: 'run-end',
        key,
        seq,
        run: entry.run,
        status: entry.status,
        cause: entry.cause,
        at,
      })
      return
    case 'resume':
      fold.items.push({ kind: 'resume', key, seq, drift: entry.drift, at })
      return
    case 'worktree-state': {
      const { worktreePath = null, worktreeBranch = null } = entry.worktreeSession ?? {}
      fold.items.push({
        kind: 'worktree',
        key,
        seq,
        path: worktreePath,
        branch: worktreeBranch,
        at,
      })
      return
    }
    case 'pr-link':
      fold.items.push({ kind: 'pr-link', key, seq, url: entry.url, at })
      return
    case 'set-up':
      fold.items.push({
        ...{ kind: 'note', key, seq, at, text: setUpText(entry) },
        about: entry.changed.length === 0 ? 'set-up' : 'set-up-skipped',
      })
      return
    case 'summary':
      fold.items.push({ kind: 'summary', key, seq, text: entry.text, at })
      return
    case 'plan':
      fold.items.push({ kind: 'plan', key, seq, items: entry.items, at })
      return
    case 'compaction':
      fold.items.push({
        ...{ kind: 'compaction', key, seq, summary: entry.summary, at },
        keptFromSeq: entry.keptFromSeq ?? seq,
        replacedFromSeq: fold.keptFromSeq,
        images: (entry.images ?? []).map(imageRefOf),
      })
      fold.keptFromSeq = entry.keptFromSeq ?? seq
      return
    case 'foreign': {
      const notice = noticeOf(entry)
      if (notice) return void fold.items.push({ kind: 'note', key, seq, ...notice, at })
      fold.items.push({
        kind: 'foreign',
        key,
        seq,
        source: entry.source,
        content: entry.content,
        at,
      })
      return
    }
    case 'permission':
      // A question without an answer is shown from the feed of pending questions.
      if (entry.answer === null || addPermission(fold, entry.callId, entry.answer)) return
      fold.items.push({
        kind: 'note',
        key,
        seq,
        about: 'permission',
        text: permissionText(entry.question, entry.answer),
        at,
      })
      return
    case 'retrying': {
      const { turn, cause, untilMs } = entry
      fold.items.push({ kind: 'retry', key, seq, turn, cause, untilMs, at })
      return
    }
    case 'agent-session': {
      const text = `Session ${entry.ref.id} of ${entry.ref.agent}`
      fold.items.push({ kind: 'note', key, seq, about: 'agent-session', text, at })
      return
    }
    case 'fork-start':
    case 'fork-end': {
      const edge = entry.type === 'fork-start' ? 'start' : 'end'
      fold.items.push({ kind: 'fork', key, seq, edge, at })
      return
    }
    case 'title':
      // The header shows it.
      fold.title = entry.title
      return
    case 'unknown':
      fold.items.push({ kind: 'unknown', key, seq, entry, at })
      return
    case 'file-history-snapshot':
    case 'attribution-snapshot':
      return // shown with the edit that caused them, not as items of their own
    case 'snapshot-failed':
      fold.items.push({
        ...{ kind: 'note', key, seq, about: 'snapshot-failed', at },
        text: snapshotFailedText(entry.reason),
      })
      return
    case 'workspace-snapshot':
      return // for drift, not for reading
    default:
      assertNever(entry)
  }
}

/** No tool outlives its run: a call without a result has an unknown outcome once the run is over (S3). */
function loseRunningCalls(fold: TranscriptFold): void {
  const { openTurns } = fold
  for (const index of openTurns) {
    const turn = fold.items[index] as TurnItem
    const blocks = turn.blocks.map(
      (block): TurnBlock =>
        block.kind === 'tool' && block.call.state === 'running'
          ? { kind: 'tool', call: { ...block.call, state: 'unknown' } }
          : block,
    )
    fold.items[index] = { ...turn, blocks }
  }
  openTurns.clear()
}

const textOf = ({ parts }: MessageEntry): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('')

function promptItem(entry: MessageEntry): TranscriptItem {
  return {
    kind: 'prompt',
    key: entry.uuid,
    seq: entry.seq,
    text: textOf(entry),
    images: entry.parts.flatMap((part) => (part.type === 'image' ? [imageRefOf(part)] : [])),
    toRunning: entry.promptId !== undefined,
    at: entry.timestamp,
    cwd: entry.cwd,
    gitBranch: entry.gitBranch,
  }
}

function foldMessage(fold: TranscriptFold, entry: MessageEntry): void {
  changeTurn(
    fold,
    { messageUuid: entry.uuid, seq: entry.seq, turn: entry.turn ?? 1, runId: entry.runId },
    (turn) => ({
      ...turn,
      status: entry.status,
      messageSeq: entry.seq,
      blocks: placeCalls(entry.parts, turn.blocks),
      at: entry.timestamp,
      cwd: entry.cwd,
      gitBranch: entry.gitBranch,
    }),
  )
}

function changeTurn(
  fold: TranscriptFold,
  of: { messageUuid: EntryId; seq: number; turn: number; runId: RunId },
  make: (turn: TurnItem) => TurnItem,
): void {
  const index = fold.turnIndex.get(of.messageUuid) ?? fold.items.length
  const known = fold.items[index] as TurnItem | undefined
  const turn = make(known ?? newTurn(of.messageUuid, of.seq, of.turn, of.runId))
  fold.turnIndex.set(of.messageUuid, index)
  fold.items[index] = turn
  const running = turn.blocks.some(
    (block) => block.kind === 'tool' && block.call.state === 'running',
  )
  if (running) fold.openTurns.add(index)
  else fold.openTurns.delete(index)
}

/** A turn whose message has not been read yet counts as cut short until it has. */
function newTurn(uuid: EntryId, seq: number, turn: number, runId: RunId): TurnItem {
  return {
    kind: 'turn',
    key: uuid,
    seq,
    turn,
    runId,
    status: 'interrupted',
    blocks: [],
    messageSeq: null,
    at: null,
    cwd: null,
    gitBranch: null,
  }
}

/** False: the call is not known, so that the answer has to stand by itself. */
function addPermission(
  fold: TranscriptFold,
  callId: ToolCallId | null,
  permission: PermissionAnswer,
): boolean {
  if (callId === null) return false
  for (const index of fold.openTurns) {
    const turn = fold.items[index] as TurnItem
    const blocks = withPermission(turn.blocks, callId, permission)
    if (blocks === null) continue
    fold.items[index] = { ...turn, blocks }
    return true
  }
  return false
}

/** One sentence for a person. */
const snapshotFailedText = (reason: string): string =>
  `The files could not be recorded here: ${reason}`

function setUpText({ changed, command }: Extract<Entry, { type: 'set-up' }>): string {
  const [first = ''] = command.split('\n', 1)
  return changed.length === 0
    ? `Set up with ${first}`
    : `Set-up was not run: agents changed ${changed.join(', ')} since it was allowed. An agent can run it as any command.`
}

/** A notice of an installed agent, by its protocol (ACP): a title for the person, and more about it. */
function noticeOf({ source, content }: Extract<Entry, { type: 'foreign' }>) {
  if (!source.startsWith('acp:') || content === null || typeof content !== 'object') return null
  const { sessionUpdate, title, description, severity } = content as Record<string, unknown>
  if (sessionUpdate !== 'notice' || typeof title !== 'string' || title.trim() === '') return null
  const more = typeof description === 'string' && description !== '' ? `\n${description}` : ''
  const isWarning = severity === 'warning' || severity === 'error'
  return { about: isWarning ? 'agent-warning' : 'agent-notice', text: title + more } as const
}
