/** The process that holds the data directory, as another process of this machine calls it. */
import { stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import { WebSocket } from 'ws'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import { readLeaseHolder } from '../../lease/lease.ts'
import type { LeaseHolder } from '../../lease/lease-holder.ts'
import { subprotocolsFor } from '../web/access.ts'
import { refusalCodes } from '../web/rpc-server.ts'

/** The process that holds the data directory; null if no live one does. */
export const readHolder: (dataDir: string) => Promise<LeaseHolder | null> = readLeaseHolder

export interface HolderConnection {
  client: ShiplogClient
  isOpen(): boolean
  /** Resolves once the connection is lost, and why. Never when it was closed from here. */
  lost: Promise<HolderError>
  close(): void
}

export type HolderErrorKind =
  /** It does not answer, or not yet: it starts, ends, or runs a short command. */
  | 'holder-not-listening'
  | 'holder-elsewhere'
  /** The data directory is a copy that was made while the holder ran: it holds the original. */
  | 'holder-of-another-directory'
  | 'holder-refused'
  | 'holder-other-version'
  /** It answered once and then stopped. Everything that it had acknowledged is kept. */
  | 'holder-lost'

/** Why the holder can't be called. The message contains the remedy. */
export class HolderError extends Error {
  readonly kind: HolderErrorKind
  readonly holder: LeaseHolder

  constructor(kind: HolderErrorKind, holder: LeaseHolder, message: string) {
    super(message)
    this.name = 'HolderError'
    this.kind = kind
    this.holder = holder
  }
}

/** A process that was stopped (Ctrl-Z) takes a connection and never answers. */
const answerMsMax = 5_000
/** The close code of a host that exits normally. */
const goingAway = 1001

interface HolderOptions {
  dataDir: string
  version: string
  waitMsMax?: number
}

/** `process 4711 (the desktop app)`: how a user finds it. */
export function nameOf({ pid, host }: Pick<LeaseHolder, 'pid' | 'host'>): string {
  const names = { desktop: 'the desktop app', web: '`shiplog serve`', cli: 'the command line' }
  return `process ${pid} (${names[host]})`
}

/**
 * Resolves once it has accepted the connection and answered. Throws HolderError. `dataDir`: where its lease was read;
 * `version`: of this program; `waitMsMax`: for the answer.
 */
export async function connectToHolder(
  holder: LeaseHolder,
  { dataDir, version, waitMsMax = answerMsMax }: HolderOptions,
): Promise<HolderConnection> {
  if (holder.hostName !== hostname()) {
    throw new HolderError(
      'holder-elsewhere',
      holder,
      `the data directory is in use on the machine ${holder.hostName}, by ${nameOf(holder)}; only commands of that machine can reach it`,
    )
  }
  const address = addressOf(holder)
  if (address === null) throw notListening(holder, 'it takes no calls')
  const socket = new WebSocket(address.socket, subprotocolsFor(address.token, version), {
    origin: address.origin,
    perMessageDeflate: false,
  })
  const ended = endOf(socket)
  const client = createORPCClient<ShiplogClient>(new RPCLink({ websocket: socket }))
  // An open socket proves nothing yet: a refusal is reported by its close code. An answer proves it.
  const first = client.app.info().then(
    (info) => info,
    () => ended,
  )
  let late: string | undefined
  const timer = setTimeout(() => {
    late = `no answer within ${waitMsMax} ms`
    socket.terminate()
  }, waitMsMax)
  const outcome = await Promise.race([first, ended])
  clearTimeout(timer)
  if ('code' in outcome) {
    socket.terminate()
    throw late ? notListening(holder, late) : refusalOf(holder, outcome, version)
  }
  if (await isOtherDirectory(outcome.dataDir, dataDir)) {
    socket.terminate()
    throw otherDirectory(holder, outcome.dataDir, dataDir)
  }
  const { promise: lost, resolve } = Promise.withResolvers<HolderError>()
  let closedHere = false
  void ended.then((end) => closedHere || resolve(lossOf(holder, end)))
  return {
    client,
    isOpen: () => socket.readyState === WebSocket.OPEN,
    lost,
    close() {
      closedHere = true
      socket.close()
    },
  }
}

interface End {
  /** Close code of the WebSocket; 1006: closed without a reason. */
  code: number
  reason: string
}

function endOf(socket: WebSocket): Promise<End> {
  return new Promise((resolve) => {
    let failure = ''
    socket.on('error', (error) => {
      failure = error.message
    })
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) || failure }))
  })
}

/** The endpoint that lease.json names; null if it names none, or nothing that could be one. */
function addressOf({ endpoint }: LeaseHolder): {
  socket: string
  origin: string
  token: string
} | null {
  if (endpoint === null || !URL.canParse(endpoint)) return null
  const { protocol, host, origin, hash } = new URL(endpoint)
  const token = /^#token=([\w-]+)$/.exec(hash)?.[1]
  if (protocol !== 'http:' || token === undefined) return null
  return { socket: `ws://${host}/rpc`, origin, token }
}

function refusalOf(holder: LeaseHolder, { code, reason }: End, version: string): HolderError {
  const who = nameOf(holder)
  if (code === refusalCodes.otherVersion) {
    return new HolderError(
      'holder-other-version',
      holder,
      `the data directory is in use by ${who}, which is Shiplog ${reason}; this is ${version}. Close it, or use the shiplog that it came with`,
    )
  }
  if (code === refusalCodes.wrongToken) {
    return new HolderError(
      'holder-refused',
      holder,
      `the data directory is in use by ${who}, which does not know the token in lease.json. Close it and try again`,
    )
  }
  return notListening(holder, reason || `the connection was closed (${code})`)
}

/** Two paths may name one directory. One that this process can't see, as in another container, is not compared. */
async function isOtherDirectory(theirs: string, ours: string): Promise<boolean> {
  try {
    const [a, b] = await Promise.all([stat(theirs), stat(ours)])
    return a.ino !== b.ino || a.dev !== b.dev
  } catch {
    return false
  }
}

const otherDirectory = (holder: LeaseHolder, theirs: string, ours: string): HolderError =>
  new HolderError(
    'holder-of-another-directory',
    holder,
    `${ours} looks like a copy of ${theirs}: its lease.json names ${nameOf(holder)}, which uses the original. Close that, or delete lease.json in the copy, and try again`,
  )

const notListening = (holder: LeaseHolder, why: string): HolderError =>
  new HolderError(
    'holder-not-listening',
    holder,
    `the data directory is in use by ${nameOf(holder)}, which can't be reached: ${why}. Wait for it to end, or close it, and try again`,
  )

function lossOf(holder: LeaseHolder, { code }: End): HolderError {
  const what = code === goingAway ? 'was closed' : 'ended or could not be reached any more'
  return new HolderError(
    'holder-lost',
    holder,
    `${nameOf(holder)} ${what} before it had answered. What it had recorded is kept; \`shiplog tasks list\` shows how things stand`,
  )
}
