/**
 * Folds entries into the items of a transcript. Pure and incremental: adding entries one by one gives the same result
 * as adding them all at once. Items are replaced, never changed, so views can compare them by identity.
 */

import { assertNever } from '../../assert-never.ts'
import type { Entry } from '../../records/entries.ts'
import { itemOf, notesOfRun, promptItem } from './entry-items.ts'
import { addPermission, changeTurn, endRunningCalls, foldMessage } from './fold-turns.ts'
import type { TranscriptFold } from './transcript-fold.ts'
import { addCall, addResult, imageRefOf } from './turn-blocks.ts'

/** Folds entries in place, in file order (J9). Entries that were folded before are ignored. */
export function foldEntries(fold: TranscriptFold, entries: Iterable<Entry>): TranscriptFold {
  for (const entry of entries) {
    if (entry.seq <= fold.lastSeq) continue
    foldEntry(fold, entry)
    fold.lastSeq = entry.seq
  }
  return fold
}

function foldEntry(fold: TranscriptFold, entry: Entry): void {
  const { items } = fold
  const place = { key: entry.uuid, seq: entry.seq, at: new Date(entry.at).toISOString() }
  switch (entry.type) {
    case 'message':
      if (entry.by !== 'shiplog' && entry.role === 'assistant') foldMessage(fold, entry)
      else items.push(promptItem(entry, place))
      return
    case 'tool-call':
      return changeTurn(fold, entry, (turn) => ({
        ...turn,
        blocks: addCall(turn.blocks, entry, place.at),
      }))
    case 'tool-result':
      return changeTurn(fold, entry, (turn) => ({ ...turn, blocks: addResult(turn.blocks, entry) }))
    case 'permission':
      // A question without an answer is shown from the feed of pending questions.
      if (entry.answer === null || addPermission(fold, entry.callId, entry.answer)) return
      items.push(itemOf({ ...entry, answer: entry.answer }, place))
      return
    case 'run-start':
      endRunningCalls(fold)
      items.push(itemOf(entry, place), ...notesOfRun(entry, place))
      return
    case 'run-end':
      endRunningCalls(fold)
      items.push(itemOf(entry, place))
      return
    case 'compaction': {
      const keptFromSeq = entry.keptFromSeq ?? entry.seq
      items.push({
        kind: 'compaction',
        ...place,
        summary: entry.summary,
        keptFromSeq,
        replacedFromSeq: fold.keptFromSeq,
        images: (entry.images ?? []).map(imageRefOf),
      })
      fold.keptFromSeq = keptFromSeq
      return
    }
    case 'title':
      // The header shows it.
      fold.title = entry.title
      return
    case 'file-history-snapshot':
    case 'attribution-snapshot':
      // Shown with the edit that caused them.
      return
    case 'workspace-snapshot':
      // Only drift reads it.
      return
    case 'resume':
    case 'worktree-state':
    case 'pr-link':
    case 'set-up':
    case 'summary':
    case 'plan':
    case 'foreign':
    case 'retrying':
    case 'agent-session':
    case 'fork-start':
    case 'fork-end':
    case 'snapshot-failed':
    case 'unknown':
      items.push(itemOf(entry, place))
      return
    default:
      assertNever(entry)
  }
}
