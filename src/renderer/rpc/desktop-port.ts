/**
 * The page's side of the desktop hand-over:
 *
 *   page     window.postMessage({ type: 'shiplog-connect' }, location.origin)
 *   preload  makes a MessageChannel, sends one end to the main process, and answers
 *            window.postMessage({ type: 'shiplog-port' }, location.origin, [port])
 *
 * The page sends the request, so either of the two may be ready first.
 */

const connectMessage = 'shiplog-connect'
const portMessage = 'shiplog-port'

/** Interval of repeated requests: a preload that is not listening yet misses the first one. */
const requestIntervalMs = 250

/**
 * Requests the port to the main process from the preload. Resolves to null if nothing answers within `waitMs`, which
 * means that the page is not shown by the desktop app.
 */
export function requestDesktopPort(waitMs: number): Promise<MessagePort | null> {
  return new Promise((resolve) => {
    const settle = (port: MessagePort | null): void => {
      clearInterval(interval)
      clearTimeout(timeout)
      window.removeEventListener('message', onMessage)
      resolve(port)
    }
    const onMessage = (event: MessageEvent): void => {
      // Accepts only messages of this page's own preload: another window or frame has another `source`.
      if (event.source !== window || event.data?.type !== portMessage) return
      const [port] = event.ports
      if (port) settle(port)
    }
    const request = (): void => window.postMessage({ type: connectMessage }, location.origin)
    window.addEventListener('message', onMessage)
    const interval = setInterval(request, requestIntervalMs)
    const timeout = setTimeout(() => settle(null), waitMs)
    request()
  })
}
