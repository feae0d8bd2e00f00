/** The WebSockets of the web host: one ORPC peer each, with back-pressure, heartbeat and an end. */
import { type AnyRouter, ORPCError } from '@orpc/server'
import { RPCHandler } from '@orpc/server/ws'
import type { WebSocket } from 'ws'
import type { CallContext } from '../../../shared/contract/grants.ts'

/** A laptop that slept or a cable pulled closes nothing: two missed beats, and its agents' feeds end. */
const heartbeatIntervalMs = 30_000
/** A browser answers a close at once; one that does not is cut off. */
const closeHandshakeMsMax = 1_000
/** Calls are aborted when their socket closes; one that does not listen must not hold up the exit. */
const callsEndMsMax = 2_000
/**
 * A page has one for each open transcript, a command one for each agent that it follows. Every record is sent to each
 * of them: with 3,000 of one connection it took a second, for everybody.
 */
const feedsMaxDefault = 500
/** Limit for all connections together: a program that may open one connection may open a hundred. */
const feedsAllMaxDefault = 2_000
/** The last of them are for windows: whatever agents and commands have open, a user can open the app. */
const feedsOfWindowsMinDefault = 500

/** What belongs to one connection, beside its grant. */
interface ConnectionContext extends CallContext {
  /** The feeds that it has open. */
  feeds: { open: number }
}

interface Connections {
  /** Serves the router on an open socket until it closes. */
  accept(socket: WebSocket, context: CallContext): void
  isUsed(): boolean
  /** Resolves as soon as no socket is open. */
  unused(): Promise<void>
  /** Closes every socket and waits, for a bounded time, until their calls and iterators have ended. */
  close(): Promise<void>
}

export function createConnections(
  router: AnyRouter,
  {
    heartbeatMs = heartbeatIntervalMs,
    feedsMax = feedsMaxDefault,
    feedsAllMax = feedsAllMaxDefault,
    feedsOfWindowsMin = feedsOfWindowsMinDefault,
  } = {},
): Connections {
  const all = { open: 0 }
  /** Open feeds of agents and commands. */
  const others = { open: 0 }
  const handler = new RPCHandler<ConnectionContext>(router, {
    clientInterceptors: [
      async ({ next, context: { grant, feeds } }) => {
        const answer = await next()
        if (!isFeed(answer)) return answer
        const limits: FeedLimit[] = [
          { feeds, max: feedsMax, refusal: ownFeedsOpen },
          { feeds: all, max: feedsAllMax, refusal: allFeedsOpen },
        ]
        if (grant !== 'decide')
          limits.push({
            feeds: others,
            max: feedsAllMax - feedsOfWindowsMin,
            refusal: othersFeedsOpen,
          })
        return limited(answer, limits)
      },
    ],
  })
  const open = new Map<WebSocket, { alive: boolean }>()
  const calls = new Set<Promise<void>>()
  let emptied = Promise.withResolvers<void>()

  const heartbeat = setInterval(() => {
    for (const [socket, state] of open) {
      if (!state.alive) socket.terminate()
      state.alive = false
      socket.ping()
    }
  }, heartbeatMs)
  heartbeat.unref()

  return {
    accept(socket, context) {
      const state = { alive: true }
      open.set(socket, state)
      socket.on('pong', () => {
        state.alive = true
      })
      // An error (a frame over the limit, a reset) is always followed by a close.
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        if (open.size > 0) return
        emptied.resolve()
        emptied = Promise.withResolvers()
      })
      void handler.upgrade(tracked(socket, calls), { context: { ...context, feeds: { open: 0 } } })
    },

    isUsed: () => open.size > 0,

    async unused() {
      if (open.size > 0) await emptied.promise
    },

    async close() {
      clearInterval(heartbeat)
      await Promise.all([...open.keys()].map(closeSocket))
      await within(callsEndMsMax, Promise.all(calls))
    },
  }
}

const isFeed = (answer: unknown): answer is AsyncIterable<unknown> =>
  typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer

interface FeedLimit {
  feeds: ConnectionContext['feeds']
  max: number
  refusal: (max: number) => string
}

const ownFeedsOpen = (max: number) =>
  `This connection has ${max} feeds open, the most that one may have. Close some of them, or open another connection.`
const allFeedsOpen = (max: number) =>
  `All connections to Shiplog together have ${max} feeds open, the most that it serves. Close windows, or end commands that follow agents, and try again.`
const othersFeedsOpen = (max: number) =>
  `The commands connected to Shiplog together have ${max} feeds open, the most that it serves beside its windows. End commands that follow agents, and try again.`

/** The feed, which fails at once if a limit is reached. */
async function* limited(
  feed: AsyncIterable<unknown>,
  limits: FeedLimit[],
): AsyncGenerator<unknown> {
  const reached = limits.find(({ feeds, max }) => feeds.open >= max)
  if (reached)
    throw new ORPCError('REFUSED', {
      message: reached.refusal(reached.max),
      data: { reason: 'in-use' },
    })
  for (const { feeds } of limits) feeds.open++
  try {
    yield* feed
  } finally {
    for (const { feeds } of limits) feeds.open--
  }
}

/** The socket as ORPC sees it: sends that wait, and calls that can be waited for. */
function tracked(
  socket: WebSocket,
  calls: Set<Promise<void>>,
): Pick<WebSocket, 'addEventListener' | 'send'> {
  return {
    // ORPC awaits what `send` returns. A promise that settles once the frame has left keeps a producer
    // from running ahead of a slow reader; once the socket is closed it resolves, never rejects, for
    // a reader that left is no fault of the call.
    send: (message: string | Uint8Array) =>
      new Promise<void>((sent) => socket.send(message, () => sent())),
    addEventListener: ((type: string, listener: (event: unknown) => unknown) => {
      socket.addEventListener(type as 'message', (event) => {
        const call = Promise.resolve(listener(event)).then(
          () => {},
          () => {}, // ORPC has logged it
        )
        calls.add(call)
        void call.then(() => calls.delete(call))
      })
    }) as WebSocket['addEventListener'],
  }
}

function closeSocket(socket: WebSocket): Promise<void> {
  return new Promise((closed) => {
    if (socket.readyState === socket.CLOSED) return closed()
    const cutOff = setTimeout(() => socket.terminate(), closeHandshakeMsMax)
    socket.once('close', () => {
      clearTimeout(cutOff)
      closed()
    })
    socket.close(1001, 'Shiplog is closing')
  })
}

function within(limitMs: number, work: Promise<unknown>): Promise<unknown> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, limitMs)
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
