/** Holds rows in their places while the pointer may be on its way to one of them. */
import { useEffect, useRef, useState } from 'react'

/** A pointer that rests for longer was left there. */
const restMs = 5_000

/** Returns whether the pointer moves over an element, and the handlers of that element. */
export function usePointerInside() {
  const [isInside, setIsInside] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const leave = () => {
    clearTimeout(timer.current)
    setIsInside(false)
  }
  const enter = () => {
    clearTimeout(timer.current)
    timer.current = setTimeout(leave, restMs)
    setIsInside(true)
  }
  return {
    isInside,
    handlers: { onPointerMove: enter, onPointerDown: enter, onPointerLeave: leave },
  }
}

interface HeldRow<Item> {
  item: Item
  /** It is only there so that the others keep their places. */
  isGone: boolean
}

/** Returns the items; while `isHeld`, with those that are gone in their places, and new ones at the end. */
export function useHeldRows<Item extends { key: string }>(
  items: readonly Item[],
  isHeld: boolean,
): HeldRow<Item>[] {
  const [held, setHeld] = useState<readonly Item[] | null>(null)
  const now = new Map(items.map((item) => [item.key, item]))
  const order = isHeld
    ? [...(held ?? []), ...items.filter(({ key }) => !held?.some((one) => one.key === key))]
    : null
  if (order?.length !== held?.length) setHeld(order)
  return (order ?? items).map((item) => ({
    item: now.get(item.key) ?? item,
    isGone: !now.has(item.key),
  }))
}
