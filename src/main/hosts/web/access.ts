/**
 * Access control of the web host. A page of another site can send requests to loopback too, and can make its own host
 * name point here (DNS rebinding); it can't choose the Host and Origin headers that the browser sends for it, and
 * does not know the token.
 */
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import type { Grant } from '../../../shared/contract/grants.ts'

/** Sent by both sides, so that a page of another version of the protocol is detected. */
export const protocolName = 'shiplog.v1'
/** A browser can't add a header to a WebSocket, so the token comes as one of its subprotocols. */
const tokenPrefix = 'token.'
/** The program's version, from a client that must be of the same one; a page came from here anyway. */
const versionPrefix = 'version.'

type Access =
  | Grant
  | 'wrong-host'
  | 'wrong-origin'
  | 'wrong-protocol'
  | 'wrong-token'
  | 'other-version'

export interface AccessRules {
  /** Whether the request was made to a name of this host. */
  isOwnHost(request: IncomingMessage): boolean
  /** Whether the request comes from a page of this host: a browser sends the page's origin. */
  isOwnOrigin(request: IncomingMessage): boolean
  /** Checks an upgrade in the order Host, Origin, protocol, token, version. */
  checkUpgrade(request: IncomingMessage): Access
}

/** `port`: the one listened on. `address`: as `startWebHost` was given it. */
export function createAccessRules(options: {
  address: string
  port: number
  /** The permissions of a token; null if the token is unknown. */
  grantOf(token: string): Grant | null
  version?: string | undefined
}): AccessRules {
  const ownNames = namesOf(options.address)

  const isOwnHost = (request: IncomingMessage): boolean => {
    const host = request.headers.host?.toLowerCase()
    return host !== undefined && [...ownNames()].some((name) => isNamed(host, name, options.port))
  }

  // The page must come from here, and from the very name it now connects to.
  const isOwnOrigin = (request: IncomingMessage): boolean =>
    request.headers.origin?.toLowerCase() === `http://${request.headers.host?.toLowerCase()}`

  return {
    isOwnHost,
    isOwnOrigin,
    checkUpgrade(request) {
      if (!isOwnHost(request)) return 'wrong-host'
      if (!isOwnOrigin(request)) return 'wrong-origin'
      const offered = subprotocolsOf(request)
      if (!offered.includes(protocolName)) return 'wrong-protocol'
      const grant = options.grantOf(valueWithPrefix(offered, tokenPrefix) ?? '')
      if (grant === null) return 'wrong-token'
      const version = valueWithPrefix(offered, versionPrefix)
      const isOther = version !== undefined && version !== (options.version ?? version)
      return isOther ? 'other-version' : grant
    },
  }
}

/** The credentials of a client that is no page. */
export function subprotocolsFor(token: string, version: string): string[] {
  return [protocolName, tokenPrefix + token, versionPrefix + version]
}

/** Whether only this machine can reach the address. */
export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address)
}

/**
 * Host names that a user may have typed for the address. Another machine's browser reaches a wildcard address by any
 * address of this machine; those are safe, for a rebound name is never a bare IP address.
 */
function namesOf(address: string): () => Set<string> {
  const loopback = ['localhost', '127.0.0.1', '[::1]']
  if (isLoopback(address)) return () => new Set([...loopback, inUrl(address)])
  if (address !== '0.0.0.0' && address !== '::') return () => new Set([inUrl(address)])
  // Read each time: a laptop changes networks.
  return () =>
    new Set([
      ...loopback,
      hostname().toLowerCase(),
      ...Object.values(networkInterfaces()).flatMap((list = []) =>
        list.map((entry) => inUrl(entry.address)),
      ),
    ])
}

function isNamed(host: string, name: string, port: number): boolean {
  return host === `${name}:${port}` || (port === 80 && host === name)
}

/** An address in URL form: IPv6 in brackets. */
export function inUrl(address: string): string {
  return isIP(address) === 6 ? `[${address.toLowerCase()}]` : address.toLowerCase()
}

function subprotocolsOf(request: IncomingMessage): string[] {
  return (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
}

function valueWithPrefix(offered: string[], prefix: string): string | undefined {
  return offered.find((name) => name.startsWith(prefix))?.slice(prefix.length)
}
