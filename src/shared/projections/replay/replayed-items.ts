/**
 * A transcript as it was shown live at a moment: without later entries, and with a call still running if its result came
 * later. Pure. Unchanged items keep their identity.
 */
import type { TranscriptItem } from '../transcript/transcript-items.ts'
import type { ToolCallView, TurnBlock } from '../transcript/turn-blocks.ts'

/** `seq`: the last entry to include. */
export function replayedItems(items: TranscriptItem[], seq: number): TranscriptItem[] {
  const shown: TranscriptItem[] = []
  for (const item of items) {
    if (item.seq > seq) continue
    shown.push(item.kind === 'turn' ? replayedTurn(item, seq) : item)
  }
  return shown.length === items.length && shown.every((item, at) => item === items[at])
    ? items
    : shown
}

type TurnItem = Extract<TranscriptItem, { kind: 'turn' }>

function replayedTurn(turn: TurnItem, seq: number): TurnItem {
  const blocks: TurnBlock[] = []
  let isCut = false
  for (const block of turn.blocks) {
    // Text after a call was written after its result.
    if (block.kind !== 'tool') {
      if (!isCut) blocks.push(block)
      continue
    }
    if ((block.call.seq ?? 0) > seq) return { ...turn, status: 'live', blocks }
    const isOpen = (block.call.resultSeq ?? 0) > seq
    isCut ||= isOpen
    blocks.push(isOpen ? { kind: 'tool', call: stillRunning(block.call) } : block)
  }
  return isCut ? { ...turn, status: 'live', blocks } : turn
}

const stillRunning = (call: ToolCallView): ToolCallView => ({
  ...call,
  state: 'running',
  output: null,
  images: [],
  detail: null,
  durationMs: null,
  // A live view counts the time from it.
  startedAt: null,
})
