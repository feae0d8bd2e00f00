/**
 * The height of a whole transcript of which only a window is laid out: measured stretches are
 * remembered, others have the average height. Pure.
 */

/** Entries of one stretch: small against a window of the list, large against a transcript. */
const stretchEntries = 100
/** Until something is measured. */
const entryPxAtFirst = 40

export interface TranscriptHeights {
  /**
   * Remembers the stretches within the entries `firstSeq` to `lastSeq`, which are laid out;
   * `startOf(seq)` is where the entry begins, in pixels from any origin.
   */
  remember(firstSeq: number, lastSeq: number, startOf: (seq: number) => number): void
  /** The height of the entries `firstSeq` to `lastSeq`, in pixels; 0 if there are none. */
  between(firstSeq: number, lastSeq: number): number
  /** The entry that is `px` below the beginning of entry `firstSeq`, at most `lastSeq`. */
  seqAt(px: number, firstSeq: number, lastSeq: number): number
}

export function createTranscriptHeights(): TranscriptHeights {
  const heights = new Map<number, number>()
  let sumPx = 0
  let entryPx = entryPxAtFirst
  const stretchOf = (seq: number): number => Math.floor((seq - 1) / stretchEntries)
  const pxOf = (stretch: number): number => heights.get(stretch) ?? entryPx * stretchEntries

  return {
    remember(firstSeq, lastSeq, startOf) {
      if (lastSeq <= firstSeq) return
      for (
        let stretch = stretchOf(firstSeq + stretchEntries - 1);
        (stretch + 1) * stretchEntries <= lastSeq;
        stretch += 1
      ) {
        const first = stretch * stretchEntries + 1
        const px = startOf(first + stretchEntries) - startOf(first)
        sumPx += px - (heights.get(stretch) ?? 0)
        heights.set(stretch, px)
      }
      // A transcript that is too short to have a stretch has a window to judge by.
      entryPx =
        heights.size > 0
          ? sumPx / (heights.size * stretchEntries)
          : (startOf(lastSeq) - startOf(firstSeq)) / (lastSeq - firstSeq)
    },
    between(firstSeq, lastSeq) {
      let px = 0
      for (let seq = firstSeq; seq <= lastSeq; ) {
        const stretch = stretchOf(seq)
        const next = Math.min(lastSeq, (stretch + 1) * stretchEntries) + 1
        px += (pxOf(stretch) * (next - seq)) / stretchEntries
        seq = next
      }
      return px
    },
    seqAt(px, firstSeq, lastSeq) {
      let leftPx = px
      for (let seq = firstSeq; seq <= lastSeq; ) {
        const stretch = stretchOf(seq)
        const next = Math.min(lastSeq, (stretch + 1) * stretchEntries) + 1
        const onePx = pxOf(stretch) / stretchEntries
        if (leftPx < onePx * (next - seq))
          return Math.max(firstSeq, seq + Math.floor(leftPx / onePx))
        leftPx -= onePx * (next - seq)
        seq = next
      }
      return Math.max(firstSeq, lastSeq)
    },
  }
}
