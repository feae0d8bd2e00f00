/** Creates the renderer's client; this is the only place that chooses between the desktop's host and the web host. */
import { createORPCClient, DynamicLink, ORPCError } from '@orpc/client'
import { RPCLink as MessagePortLink } from '@orpc/client/message-port'
import { ClientRetryPlugin } from '@orpc/client/plugins'
import { RPCLink as WebSocketLink } from '@orpc/client/websocket'
import type { ShiplogClient } from '../../shared/contract/index.ts'
import { type Connection, createConnection } from './connection.ts'
import { requestDesktopPort } from './desktop-port.ts'
import { createReconnectingSocket } from './reconnecting-socket.ts'
import { dropServiceWorkers } from './service-workers.ts'
import { shareToken, tokenOfOtherTab } from './tabs.ts'
import { keepToken, reloadForToken, takeCode, takeToken } from './token.ts'

interface ClientWithConnection {
  client: ShiplogClient
  connection: Connection
}

type Link = MessagePortLink<Record<never, never>> | WebSocketLink<Record<never, never>>

/** The web host's subprotocol. The token is passed as a second one, because a browser's WebSocket can't set headers. */
const protocol = 'shiplog.v1'
const feedRetryDelayMs = 300
/** A page over http belongs to the web host unless a preload answers, which takes a few milliseconds. */
const desktopWaitMs = 1_500
/** A page from the app's own scheme can only belong to the desktop app, whose main process may be slow to start. */
const desktopWaitMsMax = 60_000

/**
 * Returns the client at once; its calls wait for the connection. With a token, its own or that of another tab, it uses
 * the web host's WebSocket, else the desktop's MessagePort. With neither, `connection` reports that and calls stay
 * pending.
 */
export function createClient(): ClientWithConnection {
  const connection = createConnection()
  const code = takeCode(window)
  const token = takeToken(window)
  reloadForToken(window)
  const link = openLink(connection, code, token)
  return {
    client: createORPCClient<ShiplogClient>(new DynamicLink(() => link)),
    connection,
  }
}

async function openLink(
  connection: Connection,
  code: string | null,
  token: string | null,
): Promise<Link> {
  if (await dropServiceWorkers(window)) return new Promise(() => {}) // the page is reloaded
  const own = code === null ? token : ((await redeemCode(code)) ?? token)
  return own === null ? linkWithoutToken(connection) : webLink(connection, own)
}

/** Exchanges a single-use code for a token; null if the code is no longer valid. */
async function redeemCode(code: string): Promise<string | null> {
  const response = await fetch('/enter', { method: 'POST', body: code }).catch(() => null)
  if (!response?.ok) return null
  const token = await response.text()
  keepToken(token, window.sessionStorage)
  return token
}

async function linkWithoutToken(connection: Connection): Promise<Link> {
  const token = await tokenOfOtherTab()
  if (token === null) return desktopLink(connection)
  keepToken(token, window.sessionStorage)
  return webLink(connection, token)
}

async function webLink(connection: Connection, token: string): Promise<Link> {
  // Not while the host is away: another program may use its port, and a page from it could request the token.
  shareToken(token, () => connection.getState().kind === 'open')
  return createWebSocketLink(connection, () => {
    const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:'
    return new WebSocket(`${scheme}//${location.host}/rpc`, [protocol, `token.${token}`])
  }).link
}

/** `openSocket` is called again after each lost connection. */
export function createWebSocketLink(
  connection: Connection,
  openSocket: () => WebSocket,
): { link: WebSocketLink<Record<never, never>>; close(): void } {
  const socket = createReconnectingSocket({
    openSocket,
    onState: (state) => connection.setState(state, true),
  })
  const link = new WebSocketLink({ websocket: socket, plugins: [feedRetryPlugin()] })
  return { link, close: socket.close }
}

async function desktopLink(connection: Connection): Promise<Link> {
  const port = await requestDesktopPort(
    location.protocol === 'http:' ? desktopWaitMs : desktopWaitMsMax,
  )
  if (!port) {
    connection.setState({ kind: 'no-token' }, true)
    return new Promise(() => {})
  }
  port.addEventListener('close', () => connection.setState({ kind: 'lost', attempt: 1 }, true))
  port.start()
  connection.setState({ kind: 'open' }, true)
  return new MessagePortLink({ port, plugins: [feedRetryPlugin()] })
}

/**
 * Requests a feed whose connection was lost again, with its last event id, until it succeeds. Other calls fail once:
 * only the user can decide whether to repeat them. An error that the host returns, such as an unknown id, is not a lost
 * connection.
 */
const feedRetryPlugin = () =>
  new ClientRetryPlugin<Record<never, never>>({
    default: {
      retry: ({ path, input }) =>
        path[0] === 'feed' || isFeedOfLog(path, input) ? Number.POSITIVE_INFINITY : 0,
      retryDelay: feedRetryDelayMs,
      shouldRetry: ({ error }) => !(error instanceof ORPCError),
    },
  })

/** Whether it is a feed of a log that is open without being imported. */
const isFeedOfLog = (path: readonly string[], input: unknown): boolean =>
  path[0] === 'opened' && path[1] === 'call' && (input as { path?: string[] }).path?.[0] === 'feed'
