/**
 * A socket for RPCLink, which never replaces its socket: the four members that it uses, on a new WebSocket whenever
 * the last one closed. Its state is CONNECTING while none is open, so that calls wait for the next attempt instead of
 * failing at once.
 */
import type { ConnectionState } from './connection.ts'

type SocketForLink = Pick<
  WebSocket,
  'addEventListener' | 'removeEventListener' | 'send' | 'readyState'
>

/** The host's close code for an unknown token; retrying would not help. */
export const closeCodeRefused = 4401

const retryDelayMsMin = 250
/** A restarted host is found within this time. */
const retryDelayMsMax = 3_000

/**
 * A host that does not know the token accepts the socket and closes it at once. So the connection counts as restored
 * only after the first message, or if the socket is still open after this time.
 */
const refusalDelayMsMax = 1_000

const connecting = 0
const open = 1
const closed = 3

interface ReconnectingSocketOptions {
  openSocket(): WebSocket
  onState(state: ConnectionState): void
}

/** Opens at once. `close` is final. */
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
  let proof: ReturnType<typeof setTimeout> | undefined

  function connect(): void {
    retry = undefined
    socket = openSocket()
    socket.binaryType = 'arraybuffer'
    socket.addEventListener('open', () => {
      readyState = open
      if (attempt === 0) onState({ kind: 'open' })
      else proof = setTimeout(isBack, refusalDelayMsMax)
      target.dispatchEvent(new Event('open'))
    })
    socket.addEventListener('message', (event) => {
      if (attempt > 0) isBack()
      target.dispatchEvent(new MessageEvent('message', { data: event.data }))
    })
    socket.addEventListener('close', (event) => lost(event.code))
  }

  function tryNow(): void {
    if (retry === undefined) return // an attempt is in progress
    clearTimeout(retry)
    connect()
  }

  function isBack(): void {
    clearTimeout(proof)
    attempt = 0
    onState({ kind: 'open' })
  }

  function lost(code: number): void {
    clearTimeout(proof)
    const refused = code === closeCodeRefused
    readyState = refused || ended ? closed : connecting
    if (refused) onState({ kind: 'refused' })
    // Pending calls fail now; the retry plugin requests feeds again.
    target.dispatchEvent(new Event('close'))
    if (refused || ended) return
    attempt++
    onState({ kind: 'lost', attempt, tryNow })
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
      clearTimeout(proof)
      socket.close()
    },
  }
}
