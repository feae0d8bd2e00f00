/** Runs `publish` once for all requests that arrive before it runs. */
export type Schedule = (publish: () => void) => { request(): void; cancel(): void }

/** A hidden tab gets no frames, but its queue must not grow until it is visible again. */
const hiddenTabDelayMs = 250

/** At most once a frame, because a feed may emit hundreds of events between two frames. */
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
