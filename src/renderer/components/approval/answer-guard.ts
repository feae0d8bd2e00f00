/**
 * Keeps a click or key that was meant for something else from answering a request: one may take the place of another,
 * and its steps have their buttons in the same place.
 */
import { type MouseEvent, useEffect, useRef, useState } from 'react'
import { type RequestPlace, settledMs } from './request-place.ts'

/** False at first, and for a moment after each change of `shown`. */
export function useIsSettled(shown: unknown): boolean {
  const [settled, setSettled] = useState<{ on: unknown } | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ on: shown }), settledMs)
    return () => clearTimeout(timer)
  }, [shown])
  return settled !== null && settled.on === shown
}

/**
 * Returns a function that reports whether a click may answer: also its press must have begun while `answerable`. A
 * browser clicks a button that was enabled while it was held down. The second press of a double click began with the
 * first one, which was for what was there before. A click by the keyboard has no press.
 */
export function useOwnPress(answerable: boolean): (click: MouseEvent) => boolean {
  const current = useRef(answerable)
  const began = useRef(false)
  useEffect(() => {
    current.current = answerable
  }, [answerable])
  useEffect(() => {
    const onPress = () => {
      began.current = current.current
    }
    // A `pointerdown` does not have the count.
    const onMouseDown = ({ detail }: globalThis.MouseEvent) => {
      if (detail > 1) began.current = false
    }
    // On the window, because not every browser tells a disabled button's ancestors.
    const options = { capture: true }
    window.addEventListener('pointerdown', onPress, options)
    window.addEventListener('mousedown', onMouseDown, options)
    return () => {
      window.removeEventListener('pointerdown', onPress, options)
      window.removeEventListener('mousedown', onMouseDown, options)
    }
  }, [])
  return ({ detail }) => detail === 0 || began.current
}

export interface AnswerGuard {
  /** False while a click would not answer, for the look of the buttons. */
  isStill: boolean
  /** Reports whether a click, or a key without one, was meant for this request as it is shown. */
  isMeant(click: MouseEvent | null): boolean
}

/** Guards answers of the request at that place. `answerable`: whether their buttons are enabled. */
export function useAnswerGuard(place: RequestPlace, answerable: boolean): AnswerGuard {
  const isOwnPress = useOwnPress(answerable)
  return {
    isStill: place.isStill,
    isMeant(click) {
      if (click === null || click.detail === 0) return place.isInFront()
      return place.wasStillAtPress() && isOwnPress(click)
    },
  }
}
