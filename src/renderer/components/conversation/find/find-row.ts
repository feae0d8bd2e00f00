/** Finds the row that shows a match of a search, and the folds that hide it. Pure. */
import type { SearchKind } from '../../../../shared/contract/search.ts'
import type { ToolCallView } from '../../../../shared/projections/transcript/turn-blocks.ts'
import { matchStarts } from '../../../../shared/text/find-pattern.ts'
import { markdownPieces } from '../../text/index.ts'
import { textKey } from '../rows/json-value.tsx'
import { callsOf, type Row } from '../rows/row.ts'
import { stepKey, stepThrough } from '../rows/text-cut.ts'
import { type DiffMatch, matchInDiff } from './diff-match.ts'

interface Match {
  /** The entry, and which text of it. */
  seq: number
  kind: SearchKind
  /** Its position among the matches in that text, from 0. */
  nth: number
}

interface MatchPlace {
  rowKey: string
  /** The row that shows the text: the same, or one inside it. */
  partKey: string
  /** Its position among the matches of the same text in that part, from 0. */
  nth: number
  folds: string[]
  /** The line of the diff, for an edit that is shown as one. */
  inDiff?: DiffMatch | null
}

/**
 * `pattern` is a global expression that finds the matches in the text of a row. Returns null if the entry has no row.
 */
export function placeOfMatch(
  rows: readonly Row[],
  match: Match,
  pattern: RegExp,
): MatchPlace | null {
  const { seq, kind, nth } = match
  const last = rows.findLastIndex((row) => row.seq <= seq && row.kind !== 'damage')
  const groupSeq = rows[last]?.seq
  if (groupSeq === undefined) return null
  const group = rows.filter((row) => row.seq === groupSeq && row.kind !== 'mark')
  const parts = group.flatMap((row) =>
    row.kind === 'attempt'
      ? row.rows.map((part) => ({ rowKey: row.key, part, outer: [row.key] }))
      : [{ rowKey: row.key, part: row, outer: [] }],
  )
  for (const { rowKey, part, outer } of parts) {
    const call = callsOf(part).find((one) => one.seq === seq || one.resultSeq === seq)
    if (!call) continue
    const folds = [...outer, ...foldsOfCall(part, call, match, pattern)]
    const { detail } = call
    const isDiff = detail?.kind === 'edit' && detail.patch !== null && seq === call.seq
    const inDiff = isDiff ? matchInDiff(call.input, nth, pattern) : null
    return { rowKey, partKey: part.key, nth, folds, inDiff }
  }
  let before = 0
  const wanted = kind === 'reasoning' ? 'reasoning' : 'text'
  for (const { rowKey, part, outer } of parts) {
    if (part.kind !== wanted) continue
    const positions = matchStarts(pattern, part.text)
    if (nth < before + positions.length) {
      const position = positions[nth - before] ?? 0
      const folds = part.kind === 'reasoning' ? [part.key] : piecesUntil(part, position)
      return { rowKey, partKey: part.key, nth: nth - before, folds: [...outer, ...folds] }
    }
    before += positions.length
  }
  const row = group[0]
  return row ? { rowKey: row.key, partKey: row.key, nth, folds: foldsOfItem(row) } : null
}

function foldsOfCall(row: Row, call: ToolCallView, { seq, nth }: Match, pattern: RegExp): string[] {
  const folds = row.kind === 'call' ? [call.callId] : [row.key, call.callId]
  if (seq !== call.resultSeq) {
    const inputKey = `${call.callId}:input`
    return [...folds, inputKey, textKey(inputKey), `${call.callId}:diff`]
  }
  const output = call.output ?? ''
  const position = matchStarts(pattern, output)[nth]
  const foldKey = `${call.callId}:output`
  const step = position === undefined ? 0 : stepThrough(output, position)
  return [...folds, textKey(foldKey), ...(step > 0 ? [stepKey(foldKey, step)] : [])]
}

/** The folds of rows of other kinds; keys that a row does not have are ignored. */
const foldsOfItem = ({ key }: Row): string[] => [
  key,
  `${key}:drift`,
  `${key}:cause`,
  `${key}:json`,
  textKey(`${key}:json`),
]

/** Returns the folds of the pieces up to `position`: long Markdown is shown in pieces. */
function piecesUntil({ key, text }: { key: string; text: string }, position: number): string[] {
  const folds: string[] = []
  let end = 0
  for (const [index, piece] of markdownPieces(text).entries()) {
    if (index > 0) folds.push(`${key}:piece:${index}`)
    end += piece.length
    if (position < end) return folds
  }
  return folds
}
