/** Runs `publish` once for all requests that arrive before it runs. */
export type Schedule = (publish: () => void) => { request(): void; cancel(): void }

/** A hidden tab gets no frames, but its queue must not grow until it is visible again. */
const hiddenTabDelayMs = 250
/** Feeds emit hundreds of events a second. Nobody reads more than 30 states of a text in one, and each delays a key. */
const publishEveryMs = 30
/** Longer than a frame: a key that was pressed since the last one is painted in the next one. */
const keyPaintMs = 20

/**
 * Publishes with a frame, in at most every second one, and leaves the first frame after a key press to what was typed.
 * `page`: receives the key presses.
 */
export function framesOf(page: Pick<EventTarget, 'addEventListener'>): Schedule {
  let keyPressedAt = Number.NEGATIVE_INFINITY
  const onKey = (): void => {
    keyPressedAt = performance.now()
  }
  page.addEventListener('keydown', onKey, { capture: true, passive: true })

  return (publish) => {
    let frame: number | null = null
    let timer: ReturnType<typeof setTimeout> | null = null
    let publishedAt = Number.NEGATIVE_INFINITY
    const cancel = (): void => {
      if (frame !== null) cancelAnimationFrame(frame)
      if (timer !== null) clearTimeout(timer)
      frame = null
      timer = null
    }
    const run = (): void => {
      cancel()
      publishedAt = performance.now()
      publish()
    }
    return {
      request() {
        if (frame !== null) return
        let hasWaitedForKey = false
        const onFrame = (): void => {
          const now = performance.now()
          const waitsForKey = !hasWaitedForKey && now - keyPressedAt < keyPaintMs
          if (waitsForKey || now - publishedAt < publishEveryMs) {
            hasWaitedForKey ||= waitsForKey
            frame = requestAnimationFrame(onFrame)
          } else run()
        }
        frame = requestAnimationFrame(onFrame)
        timer = setTimeout(run, hiddenTabDelayMs)
      },
      cancel,
    }
  }
}

/** Tests that run without a page have no events. */
export const withFrames = framesOf(
  'addEventListener' in globalThis ? globalThis : new EventTarget(),
)
