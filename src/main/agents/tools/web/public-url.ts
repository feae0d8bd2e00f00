/**
 * Opens addresses of the public internet only: a page must not make an agent reach services of this machine or its
 * network. The check is of the very address that is connected to, so a name can't resolve differently afterwards.
 */
import { type LookupAddress, lookup as lookupName } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, type LookupFunction } from 'node:net'

export interface PublicUrlOptions {
  /** Resolves a name to all its addresses, like `lookup` of `node:dns` with `all`. */
  lookup?: (
    name: string,
    done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
  ) => void
  /** Reports whether a private address may be connected to. */
  isAllowed?: (address: string) => boolean
}

/** The message contains the address and the reason. */
export class RefusedAddressError extends Error {}

/** See the special-purpose registries of IANA for IPv4 and IPv6. */
const notPublic = new BlockList()
for (const [network, bits] of [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
  ] as const),
  ...([
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
  ] as const),
  ...([
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
  ] as const),
  ...([
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 4],
    ['240.0.0.0', 4],
  ] as const),
] as const)
  notPublic.addSubnet(network, bits, 'ipv4')
/** All public IPv6 addresses are in this list and not in `notPublic`. */
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')
// Teredo and other protocols, documentation, and 6to4, whose addresses contain an IPv4 address.
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  notPublic.addSubnet(network, bits, 'ipv6')

/** Reports whether an IP address is in the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !notPublic.check(address, 'ipv4')
  return family === 6 && globalUnicast.check(address, 'ipv6') && !notPublic.check(address, 'ipv6')
}

/**
 * Resolves with the response to a GET, without following redirects. Rejects with RefusedAddressError before anything is
 * sent to an address that is not public, and with the errors of `node:http`.
 */
export async function openPublicUrl(
  url: URL,
  { lookup = lookupAll, isAllowed = () => false }: PublicUrlOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const mayConnect = (address: string) => isPublicAddress(address) || isAllowed(address)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new RefusedAddressError(`only http and https are fetched, not ${url.protocol}`)
  if (url.username || url.password)
    throw new RefusedAddressError('an address with a user name or password is not fetched')
  // An IP address is not looked up, so it is checked here.
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !mayConnect(host)) throw refused(host)
  const checkedLookup: LookupFunction = (name, { all }, done) => {
    lookup(name, (error, addresses) => {
      const [first] = addresses ?? []
      const bad = addresses?.find(({ address }) => !mayConnect(address))
      if (error || !first) done(error ?? new Error(`${name} has no address`), [])
      else if (bad) done(refused(`${name} (${bad.address})`), [])
      else if (all) done(null, addresses)
      else done(null, first.address, first.family)
    })
  }
  // Loaded on use, because it takes Node 60 ms and few commands fetch a page.
  const { request } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'))
  const headers = {
    accept: 'text/html, text/*, application/json',
    'accept-encoding': 'identity',
    'user-agent': 'Shiplog',
  }
  return new Promise((resolve, reject) => {
    // Without an agent, so that no connection that was opened without these checks is reused.
    const sent = request(url, { agent: false, headers, lookup: checkedLookup, signal }, resolve)
    sent.on('error', reject)
    sent.end()
  })
}

const refused = (what: string): RefusedAddressError =>
  new RefusedAddressError(
    `${what} is in a private network or on this machine, which web_fetch does not reach. Use bash (curl) for a server of your own.`,
  )

const lookupAll: NonNullable<PublicUrlOptions['lookup']> = (name, done) =>
  lookupName(name, { all: true }, done)
