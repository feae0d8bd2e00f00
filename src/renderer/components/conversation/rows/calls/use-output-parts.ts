import { useContext, useEffect, useRef, useState } from 'react'
import { messageOf } from '../../../../../shared/error-message.ts'
import { matchStarts } from '../../../../../shared/text/find-pattern.ts'
import { terminalText } from '../../../../../shared/text/terminal-text.ts'
import { FoundMatchContext } from '../../find/find-places.ts'
import { FoldContext } from '../../fold-state.ts'
import { TaskActionsContext } from '../../task-lookup.ts'
import { stepKey, stepThrough } from '../text-cut.ts'

interface ShownPart {
  text: string
  /** The offsets of this part and those before it, in bytes. */
  offsets: number[]
  next: number | null
}

interface OutputParts {
  part: ShownPart | null
  busy: boolean
  problem: string | null
  /** Matches before the shown part; Infinity while its part is read; null: no match is in this output. */
  matchesBefore: number | null
  /** Reads the part at the last of `offsets`. */
  show(offsets: number[]): void
  close(): void
}

/** The fold of the text of a part. */
export const partKey = (foldKey: string, offset: number): string => `${foldKey}:${offset}`

/** The parts of a stored output. A match of the search in the entry `seq` opens the part that it is in. */
export function useOutputParts(sha256: string, seq: number | null, foldKey: string): OutputParts {
  const { readOutput } = useContext(TaskActionsContext)
  const folds = useContext(FoldContext)
  const found = useContext(FoundMatchContext)
  const match = found !== null && found.seq === seq ? found : null
  const [part, setPart] = useState<ShownPart | null>(null)
  const [before, setBefore] = useState<number | null>(null)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  /** Cached counts of the parts that were read for one pattern, so that the next match is found at once. */
  const counted = useRef<{ pattern: string; parts: Map<number, { next: number; count: number }> }>({
    pattern: '',
    parts: new Map(),
  })

  const work = async (read: () => Promise<void>, isWanted = () => true) => {
    setBusy(true)
    setProblem(null)
    try {
      await read()
    } catch (error) {
      if (isWanted()) setProblem(messageOf(error))
    }
    if (isWanted()) setBusy(false)
  }

  const show = (offsets: number[]) =>
    void work(async () => {
      if (!readOutput) return
      const { text, nextOffset } = await readOutput(sha256, offsets.at(-1) ?? 0)
      setPart({ text, offsets, next: nextOffset })
      setBefore(null)
    })

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each match
  useEffect(() => {
    if (!match || !readOutput) return
    let isWanted = true
    const { pattern, nth } = match
    const key = `${pattern.source} ${pattern.flags}`
    if (counted.current.pattern !== key) counted.current = { pattern: key, parts: new Map() }
    const { parts } = counted.current
    setBefore(null)
    const find = async () => {
      let matches = 0
      const offsets = [0]
      for (;;) {
        const offset = offsets.at(-1) ?? 0
        const known = parts.get(offset)
        if (known && matches + known.count <= nth) {
          matches += known.count
          offsets.push(known.next)
          continue
        }
        const { text, nextOffset: next } = await readOutput(sha256, offset)
        if (!isWanted) return
        const printed = terminalText(text)
        const starts = matchStarts(pattern, printed)
        if (next !== null) parts.set(offset, { next, count: starts.length })
        const start = starts[nth - matches]
        if (start === undefined && next !== null) continue
        const fold = partKey(foldKey, offset)
        const step = start === undefined ? 0 : stepThrough(printed, start)
        if (step > 0) folds.unfold([stepKey(fold, step)])
        setPart({ text, offsets, next })
        setBefore(matches)
        return
      }
    }
    void work(find, () => isWanted)
    return () => {
      isWanted = false
    }
  }, [match, sha256])

  return {
    part,
    busy,
    problem,
    show,
    matchesBefore: match ? (before ?? Number.POSITIVE_INFINITY) : null,
    close: () => setPart(null),
  }
}
