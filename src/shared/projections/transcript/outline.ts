/**
 * Folds entries in file order into the outline: prompts, turns with their numbers of calls, and runs. Pure. The fold
 * keeps only the items that the caller has not removed.
 */
import { type OutlineItem, outlineTextCharsMax } from '../../contract/transcripts/transcripts.ts'
import type { Entry } from '../../records/entries.ts'
import type { MessageEntry } from '../../records/entry-types/messages.ts'
import { counted } from '../../text/counted.ts'
import { isFailedCall } from '../tool-calls/failed-call.ts'

interface OutlineFold {
  items: OutlineItem[]
  /** The turn whose message has not been written yet. */
  open: { seq: number; at: number; turn: number; calls: number; failedCalls: number } | null
}

export const emptyOutline = (): OutlineFold => ({ items: [], open: null })

/** Folds one entry into `fold`, in place. */
export function addToOutline(fold: OutlineFold, entry: Entry): void {
  const { seq, at } = entry
  switch (entry.type) {
    case 'message':
      addMessage(fold, entry)
      break
    case 'tool-call':
      if (fold.open?.turn !== entry.turn) closeOutline(fold)
      fold.open ??= { seq, at, turn: entry.turn, calls: 0, failedCalls: 0 }
      fold.open.calls++
      break
    case 'tool-result':
      if (fold.open?.turn === entry.turn && isFailedCall(entry)) fold.open.failedCalls++
      break
    case 'run-start':
      closeOutline(fold)
      fold.items.push({ kind: 'run', seq, at, run: entry.run, reason: entry.reason })
      break
    case 'run-end':
      closeOutline(fold)
      fold.items.push({ kind: 'run-end', seq, at, run: entry.run, status: entry.status })
      break
    default:
  }
}

/** Adds the open turn, whose message was never written, as an item. */
export function closeOutline(fold: OutlineFold): void {
  const { open } = fold
  fold.open = null
  if (open) fold.items.push({ kind: 'turn', ...open, status: 'interrupted', text: '' })
}

function addMessage(fold: OutlineFold, entry: MessageEntry): void {
  const { seq, at, role, turn, status } = entry
  if (entry.by === 'shiplog') return
  const text = beginningOf(entry)
  if (role === 'user') {
    closeOutline(fold)
    fold.items.push({ kind: 'prompt', seq, at, text })
    return
  }
  if (turn === null) return
  if (fold.open?.turn !== turn) closeOutline(fold)
  const { calls = 0, failedCalls = 0 } = fold.open ?? {}
  fold.open = null
  fold.items.push({ kind: 'turn', seq, at, turn, calls, failedCalls, status, text })
}

function beginningOf({ parts }: MessageEntry): string {
  const said = parts.find((part) => part.type === 'text' && part.text.trim() !== '')
  const images = parts.filter((part) => part.type === 'image').length
  const shown = images > 0 ? `[${counted(images, 'image')}]` : ''
  const text = said?.type === 'text' ? said.text.trim().slice(0, outlineTextCharsMax * 4) : shown
  return text.replace(/\s+/g, ' ').slice(0, outlineTextCharsMax).toWellFormed()
}
