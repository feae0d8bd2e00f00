/** The rows of one transcript item: a turn has several. Pure; an unchanged item returns the same rows. */
import { traitsOf } from '../../../../shared/agents/tool-traits.ts'
import { wasNotRun } from '../../../../shared/projections/tool-calls/tool-labels.ts'
import type { TranscriptItem } from '../../../../shared/projections/transcript/transcript-items.ts'
import type {
  ToolCallView,
  TurnBlock,
} from '../../../../shared/projections/transcript/turn-blocks.ts'
import type { OtherItem, Row, TurnItem } from './row.ts'

/** Fewer consecutive calls are as quick to read as separate rows. */
const groupCallsMin = 3
/** More consecutive cards are shown as a table. */
const cardsMax = 5

const rowsByItem = new WeakMap<TranscriptItem, Row[]>()

export function rowsOf(item: TurnItem | OtherItem): Row[] {
  const known = rowsByItem.get(item)
  if (known) return known
  const rows = item.kind === 'turn' ? turnRows(item) : otherRows(item)
  rowsByItem.set(item, rows)
  return rows
}

function otherRows(item: OtherItem): Row[] {
  // The first run begins with its prompt; only later ones need a row.
  if (item.kind === 'run-start' && item.run === 1) return []
  return [{ kind: 'item', key: item.key, seq: item.seq, at: item.at, item }]
}

function turnRows(turn: TurnItem): Row[] {
  const rows: Row[] = []
  const { key: turnKey, seq, messageSeq, at, blocks } = turn
  const place = { seq, messageSeq, turn: turn.turn, cwd: turn.cwd }
  for (let index = 0; index < blocks.length; index += 1) {
    const block = blocks[index] as TurnBlock
    // Keyed by position, so that a block keeps its row while it is streamed.
    const key = `${turnKey}:${index}`
    const live = turn.status === 'live' && index === blocks.length - 1
    if (block.kind === 'image') {
      rows.push({ kind: 'image', key, ...place, at, image: block })
      continue
    }
    if (block.kind !== 'tool') {
      if (block.text.trim() !== '')
        rows.push({ kind: block.kind, key, ...place, at, text: block.text, live })
      continue
    }
    if (isShownAsPlan(block.call)) continue
    const small = callsFrom(blocks, index, isSmall)
    const cards = callsFrom(blocks, index, startsTask)
    const startedAt = block.call.startedAt ?? at
    if (small.length >= groupCallsMin) {
      rows.push({ kind: 'calls', key, ...place, at: startedAt, calls: small })
      index += small.length - 1
    } else if (cards.length > cardsMax) {
      rows.push({ kind: 'cards', key, ...place, at: startedAt, calls: cards })
      index += cards.length - 1
    } else rows.push({ kind: 'call', key, ...place, at: startedAt, call: block.call })
  }
  if (turn.status === 'interrupted' && turn.at !== null)
    rows.push({ kind: 'turn-note', key: `${turnKey}:note`, ...place, at, note: cutNote(blocks) })
  else if (turn.status === 'live' && rows.length === 0)
    rows.push({ kind: 'turn-note', key: `${turnKey}:note`, ...place, at, note: 'working' })
  return rows
}

/** A turn whose calls were never tried has no output that was saved. */
const cutNote = (blocks: TurnBlock[]) =>
  blocks.every((block) => block.kind === 'tool' && wasNotRun(block.call))
    ? 'cut-before-anything'
    : 'cut-short'

function callsFrom(
  blocks: TurnBlock[],
  from: number,
  belongs: (call: ToolCallView) => boolean,
): ToolCallView[] {
  const calls: ToolCallView[] = []
  for (let index = from; index < blocks.length; index += 1) {
    const block = blocks[index] as TurnBlock
    if (block.kind !== 'tool' || !belongs(block.call)) break
    calls.push(block.call)
  }
  return calls
}

/**
 * Includes calls whose entries are on the previous page, because loading that page must not change
 * the groups.
 */
const isSmall = ({ state, name }: ToolCallView): boolean =>
  (state === 'ok' || state === 'not-loaded') && traitsOf(name)?.isReadOnly === true

/** The plan has its own row, with the same items. */
const isShownAsPlan = ({ name, state }: ToolCallView): boolean =>
  name === 'update_plan' && state === 'ok'

/** A call that failed without starting a task is a row of its own. */
const startsTask = ({ name, state, detail }: ToolCallView): boolean =>
  name === 'task' && !(state === 'error' && detail?.kind !== 'tasks')
