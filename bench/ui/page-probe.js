/** Runs in the page, so that its figures do not include the latency to the bench. */
;(() => {
  const afterPaint = (work) =>
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => work(performance.now())
      port2.postMessage(null)
    })

  /** Records the milliseconds between frames until `stop` is called. */
  function frames() {
    const times = []
    let running = true
    requestAnimationFrame(function next(now) {
      times.push(now)
      if (running) requestAnimationFrame(next)
    })
    return {
      stop() {
        running = false
        return times.slice(1).map((time, index) => time - times[index])
      },
    }
  }

  /** Records the milliseconds from each event of this type to the next painted frame. */
  function toPaint(type) {
    const taken = []
    const onEvent = (event) => afterPaint((now) => taken.push(now - event.timeStamp))
    window.addEventListener(type, onEvent, true)
    return {
      stop() {
        window.removeEventListener(type, onEvent, true)
        return taken
      },
    }
  }

  /**
   * Milliseconds from the next click to the painted frame in which `isThere` returns true, counted from the event's
   * time stamp, not from when its handlers run.
   */
  function clickTo(isThere) {
    return new Promise((resolve) => {
      window.addEventListener(
        'click',
        ({ timeStamp }) => {
          // Checked after each paint, because what a frame renders does not exist yet when the frame begins.
          afterPaint(function look(now) {
            if (isThere()) resolve(now - timeStamp)
            else afterPaint(look)
          })
        },
        { capture: true, once: true },
      )
    })
  }

  function rowsInView(within) {
    const rows = [...(document.querySelector(within)?.querySelectorAll('article[data-row]') ?? [])]
    return rows.flatMap((row) => {
      const { top, bottom, height } = row.getBoundingClientRect()
      const isSeen = height > 0 && bottom > 0 && top < innerHeight && row.textContent !== ''
      return isSeen ? [Number(row.dataset.seq)] : []
    })
  }

  window.benchProbe = { afterPaint, frames, toPaint, clickTo, rowsInView }
})()
