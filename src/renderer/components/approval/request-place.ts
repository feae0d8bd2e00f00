/**
 * Watches the place of a request in the window: a second click of two, whose first one closed a dialog, a sheet or a
 * row below, falls on whatever is there then.
 */
import { type RefObject, useEffect, useState } from 'react'

/** Longer than between two clicks of a double click, and than a click takes that was already begun. */
export const settledMs = 600

/** A change between two of these is found at the latest by the press that would answer. */
const lookEveryMs = 100

export interface RequestPlace {
  /** Whether a click would answer now, for the look of the buttons. */
  isStill: boolean
  /** Reports whether it has been in front of everything else in the focused window for a moment: a key may answer. */
  isInFront(): boolean
  /** Reports whether at the last press it had also been in the same place for a moment: a click may answer. */
  wasStillAtPress(): boolean
}

export function useRequestPlace(request: RefObject<HTMLElement | null>): RequestPlace {
  const [{ look, atPress }] = useState(() => ({ look: createLook(), atPress: { isStill: false } }))
  const [isStill, setIsStill] = useState(false)
  useEffect(() => {
    const update = () => {
      const seen = look(request.current)
      setIsStill(seen.isStill)
      return seen
    }
    // Before anything reacts to them: what they close still covers the request.
    const onPress = () => {
      atPress.isStill = update().isStill
    }
    update()
    const timer = setInterval(update, lookEveryMs)
    const options = { capture: true }
    window.addEventListener('pointerdown', onPress, options)
    window.addEventListener('keydown', update, options)
    return () => {
      clearInterval(timer)
      window.removeEventListener('pointerdown', onPress, options)
      window.removeEventListener('keydown', update, options)
    }
  }, [request, look, atPress])
  return {
    isStill,
    isInFront: () => look(request.current).isInFront,
    wasStillAtPress: () => atPress.isStill,
  }
}

/** Returns a function that looks where the request is, and compares it with what it saw before. */
function createLook() {
  const front = sinceChanged()
  const place = sinceChanged()
  return (element: HTMLElement | null): { isInFront: boolean; isStill: boolean } => {
    if (!element) return { isInFront: false, isStill: false }
    const isUncovered = !isCovered(element)
    // The click that brings the window to the front was not aimed at anything in it.
    const inFrontForMs = front(`${isUncovered} ${document.hasFocus()}`)
    const inPlaceForMs = place(placeOf(element))
    const isInFront = isUncovered && inFrontForMs >= settledMs
    return { isInFront, isStill: isInFront && inPlaceForMs >= settledMs }
  }
}

/** Returns a function that reports for how many milliseconds a value has been the same. */
function sinceChanged(): (value: string) => number {
  let last: string | null = null
  let sinceMs = 0
  return (value) => {
    const nowMs = performance.now()
    if (value !== last) sinceMs = nowMs
    last = value
    return nowMs - sinceMs
  }
}

/** The user's own scrolling in it is not a movement. */
function placeOf(element: HTMLElement): string {
  const { x, y, width, height } = element.getBoundingClientRect()
  return [x, y, width, height, element.scrollHeight].map(Math.round).join(' ')
}

/** Whether something lies over one of its buttons, or over its middle. */
function isCovered(element: HTMLElement): boolean {
  const box = element.getBoundingClientRect()
  const middles = [element, ...element.querySelectorAll('button')]
    .map((one) => one.getBoundingClientRect())
    .map(({ x, y, width, height }) => [x + width / 2, y + height / 2] as const)
  return middles.some(([x, y]) => {
    const isScrolledAway = x < box.left || x > box.right || y < box.top || y > box.bottom
    return !isScrolledAway && !element.contains(document.elementFromPoint(x, y))
  })
}
