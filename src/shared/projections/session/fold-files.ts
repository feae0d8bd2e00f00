/** Folds the changes of a session in its working directory. */
import type { Entry } from '../../records/entries.ts'
import { type ChangedFile, filesMax, listedMax, type SessionState } from './session-state.ts'

/** The characters of all listed paths; see `filesMax`. */
const filePathCharsMax = 2_000_000

export function foldTree(
  state: SessionState,
  entry: Extract<Entry, { type: 'workspace-snapshot' }>,
): void {
  const { seq, at, head, branch, tree, turn, changed } = entry
  markAllChanged(state, entry)
  // At the start of a run, it only records the state that was found.
  const isOwn = turn !== null || changed.length > 0
  const from = state.tree ? state.tree.head : null
  const isKnown = state.tree === null || from !== null
  if (isOwn && isKnown && head !== null && head !== from) {
    state.headMoves.push({ from, to: head })
    if (state.headMoves.length > listedMax) state.headMoves.shift()
  }
  state.tree = { seq, at, head, branch, tree }
  state.sinceTree = { written: new Map(), unclearCalls: new Set(), anyFile: false }
}

export function markAllChanged(
  state: SessionState,
  { changed, changedMore, at }: Extract<Entry, { type: 'workspace-snapshot' }>,
): void {
  for (const path of changed) markChanged(state, path, at, {})
  state.filesCut ||= changedMore > 0
}

export function markChanged(
  state: SessionState,
  path: string,
  at: number,
  marks: Partial<Pick<ChangedFile, 'writtenSeq' | 'attributedSeq'>>,
): void {
  const { files } = state
  const known = files.get(path)
  if (known) files.delete(path)
  else state.filePathChars += path.length
  const changedAt = Math.max(known?.changedAt ?? at, at)
  files.set(path, { writtenSeq: 0, attributedSeq: 0, ...known, ...marks, changedAt })
  while (files.size > filesMax || state.filePathChars > filePathCharsMax) {
    const [oldest] = files.keys()
    if (oldest === undefined) break
    files.delete(oldest)
    state.filePathChars -= oldest.length
    state.filesCut = true
  }
}
