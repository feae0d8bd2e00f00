/**
 * RPCLink keeps one socket for life, so it is given this: the same four members, with a new WebSocket
 * behind them whenever the last one closed. While none is open it says CONNECTING, so that a call
 * waits for the next attempt instead of failing at once.
 */
import type { ConnectionState } from './connection.ts'

export type SocketForLink = Pick<
  WebSocket,
  'addEventListener' | 'removeEventListener' | 'send' | 'readyState'
>

/** The host's close code for a token it does not know: trying again would not help. */
export const closeCodeRefused = 4401

const retryDelayMsMin = 250
/** A host that is started again is found within this time. */
const retryDelayMsMax = 3_000

const connecting = 0
const open = 1
const closed = 3

export interface ReconnectingSocketOptions {
  openSocket(): WebSocket
  onState(state: ConnectionState): void
}

/** Opens at once. `close` ends it for good. */
export function createReconnectingSocket({
  openSocket,
  onState,
}: ReconnectingSocketOptions): SocketForLink & { close(): void } {
  const target = new EventTarget()
  let socket: WebSocket
  let readyState: SocketForLink['readyState'] = connecting
  let attempt = 0
  let ended = false
  let retry: ReturnType<typeof setTimeout> | undefined

  function connect(): void {
    socket = openSocket()
    socket.binaryType = 'arraybuffer'
    socket.addEventListener('open', () => {
      attempt = 0
      readyState = open
      onState({ kind: 'open' })
      target.dispatchEvent(new Event('open'))
    })
    socket.addEventListener('message', (event) => {
      target.dispatchEvent(new MessageEvent('message', { data: event.data }))
    })
    socket.addEventListener('close', (event) => lost(event.code))
  }

  function lost(code: number): void {
    const refused = code === closeCodeRefused
    readyState = refused || ended ? closed : connecting
    if (refused) onState({ kind: 'refused' })
    // Calls under way fail now; feeds are asked for again by the retry plugin.
    target.dispatchEvent(new Event('close'))
    if (refused || ended) return
    attempt++
    onState({ kind: 'lost', attempt })
    const delayMs = Math.min(retryDelayMsMax, retryDelayMsMin * 2 ** (attempt - 1))
    retry = setTimeout(connect, delayMs)
  }

  connect()
  return {
    addEventListener: target.addEventListener.bind(target) as WebSocket['addEventListener'],
    removeEventListener: target.removeEventListener.bind(
      target,
    ) as WebSocket['removeEventListener'],
    get readyState() {
      return readyState
    },
    send: (data) => socket.send(data),
    close() {
      ended = true
      clearTimeout(retry)
      socket.close()
    },
  }
}
