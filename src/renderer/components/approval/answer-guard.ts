/**
 * Keeps a click or key that was meant for something else from answering a request: one may take the place of another,
 * and its steps have their buttons in the same place.
 */
import { type MouseEvent, useEffect, useRef, useState } from 'react'

/** Longer than between two clicks of a double click, and than a click takes that was already begun. */
const settledMs = 600

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
 * browser clicks a button that was enabled while it was held down. A click by the keyboard has no press.
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
    // On the window, because not every browser tells a disabled button's ancestors.
    window.addEventListener('pointerdown', onPress, { capture: true })
    return () => window.removeEventListener('pointerdown', onPress, { capture: true })
  }, [])
  return ({ detail }) => detail === 0 || began.current
}
