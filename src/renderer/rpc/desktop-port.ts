/**
 * The desktop hand-over, the whole of it on this side:
 *
 *   page     window.postMessage({ type: 'shiplog-connect' }, location.origin)
 *   preload  makes a MessageChannel, sends one end to the main process, and answers
 *            window.postMessage({ type: 'shiplog-port' }, location.origin, [port])
 *
 * The page asks, so it does not matter which of the two is ready first.
 */

const connectMessage = 'shiplog-connect'
const portMessage = 'shiplog-port'

/** How often the page asks again: a preload that was not listening yet missed the first question. */
const askAgainMs = 250

/**
 * Asks the preload for the port to the main process. Resolves to null when nobody has answered within
 * `waitMs`, so when the page is not shown by the desktop app.
 */
export function requestDesktopPort(waitMs: number): Promise<MessagePort | null> {
  return new Promise((resolve) => {
    const settle = (port: MessagePort | null): void => {
      clearInterval(asking)
      clearTimeout(giveUp)
      window.removeEventListener('message', onMessage)
      resolve(port)
    }
    const onMessage = (event: MessageEvent): void => {
      // Only this page's own preload: another window or frame has another `source`.
      if (event.source !== window || event.data?.type !== portMessage) return
      const [port] = event.ports
      if (port) settle(port)
    }
    const ask = (): void => window.postMessage({ type: connectMessage }, location.origin)
    window.addEventListener('message', onMessage)
    const asking = setInterval(ask, askAgainMs)
    const giveUp = setTimeout(() => settle(null), waitMs)
    ask()
  })
}
