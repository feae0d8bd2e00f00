/** Runs in the page: what it says of itself is not delayed by the way to the bench. */
;(() => {
  const afterPaint = (work) =>
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => work(performance.now())
      port2.postMessage(null)
    })

  /** Milliseconds between frames until `stop` is called. */
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

  /** Milliseconds from each event of this kind to the frame that was painted after it. */
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
   * Milliseconds from the next click to the frame in which `isThere` holds, painted. The click's own time counts, not
   * when its handlers run.
   */
  function clickTo(isThere) {
    return new Promise((resolve) => {
      window.addEventListener(
        'click',
        ({ timeStamp }) => {
          // After each paint: what is rendered in a frame is not there yet when the frame begins.
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
