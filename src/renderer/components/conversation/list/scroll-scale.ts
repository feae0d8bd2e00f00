/** The geometry of a scroll bar over a whole transcript, of which only a part is laid out. Pure. */

const thumbPxMin = 32

/** The heights of a transcript before, in and after its loaded part, and that of the view. */
export interface Scale {
  headPx: number
  loadedPx: number
  tailPx: number
  viewPx: number
}

interface Thumb {
  topPx: number
  thumbPx: number
  /** The transcript's pixels for one of the rail, rounded, so that marks are placed again only when they would move. */
  pxPerRailPx: number
  /** The transcript's height in views. */
  screens: number
}

/** Returns null if the whole transcript is in view. `offsetPx`: of the view in the loaded part. */
export function thumbAt(scale: Scale, offsetPx: number, railPx: number): Thumb | null {
  const { headPx, viewPx } = scale
  const allPx = heightOf(scale)
  if (allPx <= viewPx + 1 || railPx === 0) return null
  const thumbPx = Math.max(thumbPxMin, (railPx * viewPx) / allPx)
  const fraction = clamped((headPx + offsetPx) / (allPx - viewPx), 0, 1)
  return {
    topPx: fraction * (railPx - thumbPx),
    thumbPx,
    pxPerRailPx: Math.round((allPx / railPx) * 10) / 10,
    screens: allPx / viewPx,
  }
}

/** Returns the top of the view in the whole transcript, for a thumb at this fraction of its way. */
export const offsetAt = (scale: Scale, fraction: number): number =>
  fraction * (heightOf(scale) - scale.viewPx)

/** Whether a view whose top is at `px` of the transcript is within the loaded part. */
export const isLoadedAt = ({ headPx, loadedPx, viewPx }: Scale, px: number): boolean =>
  px >= headPx && px <= headPx + loadedPx - viewPx

const heightOf = ({ headPx, loadedPx, tailPx }: Scale): number => headPx + loadedPx + tailPx

export const clamped = (value: number, min: number, max: number): number =>
  Math.min(max, Math.max(min, value))
