/** The items of a transcript while its agent works: the message in progress, and the output of running calls. */

import type { CallProgress } from '../../agents/agent-records.ts'
import type { PartialMessage } from '../../records/entry-types/messages.ts'
import type { ToolCallId } from '../../records/ids.ts'
import { newTurn } from './fold-turns.ts'
import type { TranscriptFold } from './transcript-fold.ts'
import type { TranscriptItem, TurnItem } from './transcript-items.ts'
import { placeCalls, type TurnBlock, textLength } from './turn-blocks.ts'

/**
 * Returns the items with the message in progress. If the journal has the message too, the one with more text wins
 * (A8).
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

/** Returns the items with the output of running calls so far. */
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
    const progress = running.get(block.call.callId)
    if (!progress) return block
    const { title = block.call.title, output } = progress
    return { kind: 'tool', call: { ...block.call, title, output: output || null } }
  }
}
