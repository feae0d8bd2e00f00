import { createStore, type StoreApi } from 'zustand/vanilla'

/** The entry at the top of a transcript's view, and whether the end is in view. */
export interface ReadingPosition {
  seq: number
  atEnd: boolean
}

export const createReadingPosition = (): StoreApi<ReadingPosition> =>
  createStore(() => ({ seq: 0, atEnd: false }))

/** The entry at which another view shows the same place; undefined at the start, and at the end, which a live view follows. */
export function seqOf(reading: StoreApi<ReadingPosition>): number | undefined {
  const { seq, atEnd } = reading.getState()
  return seq > 2 && !atEnd ? seq : undefined
}
