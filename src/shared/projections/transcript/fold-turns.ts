/** Folds messages, calls and results into turns. */

import type { PermissionAnswer } from '../../agents/agent-records.ts'
import type { MessageEntry } from '../../records/entry-types/messages.ts'
import type { EntryId, RunId, ToolCallId } from '../../records/ids.ts'
import type { TranscriptFold } from './transcript-fold.ts'
import type { TurnItem } from './transcript-items.ts'
import { placeCalls, type TurnBlock, withPermission } from './turn-blocks.ts'

/** Marks calls without a result as `unknown` at a run's start or end: no tool outlives its run (S3). */
export function endRunningCalls(fold: TranscriptFold): void {
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

export function foldMessage(fold: TranscriptFold, entry: MessageEntry): void {
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

export function changeTurn(
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

/** A turn counts as interrupted until its message is read. */
export function newTurn(uuid: EntryId, seq: number, turn: number, runId: RunId): TurnItem {
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

/** Adds an answer to its call. Returns false if no open turn has that call. */
export function addPermission(
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
