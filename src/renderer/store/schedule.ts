/** Runs `publish` soon, once, however often it is asked to until then. */
export type Schedule = (publish: () => void) => { request(): void; cancel(): void }

/** A hidden tab is given no frames; its memory must not grow until it is looked at again. */
const hiddenTabDelayMs = 250

/** At most once a frame: a feed may bring hundreds of events between two. */
export const perFrame: Schedule = (publish) => {
  let frame: number | null = null
  let timer: ReturnType<typeof setTimeout> | null = null
  const cancel = (): void => {
    if (frame !== null) cancelAnimationFrame(frame)
    if (timer !== null) clearTimeout(timer)
    frame = null
    timer = null
  }
  const run = (): void => {
    cancel()
    publish()
  }
  return {
    request() {
      if (frame !== null) return
      frame = requestAnimationFrame(run)
      timer = setTimeout(run, hiddenTabDelayMs)
    },
    cancel,
  }
}
