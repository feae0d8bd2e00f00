/** One rule for the addresses that a text from an agent may open, for the page and for the shell of the desktop. */

const linkLengthMax = 2_048

/**
 * The address as it is opened; null for everything but http and https, relative ones included: the system would
 * start whatever program another scheme names. A name and password in a link are there to make it look like a
 * link to somewhere else, so such a link is text.
 */
export function externalLink(href: unknown): string | null {
  if (typeof href !== 'string' || href.length > linkLengthMax || !URL.canParse(href)) return null
  const { protocol, username, password, href: address } = new URL(href)
  if (protocol !== 'https:' && protocol !== 'http:') return null
  // `https://@host/` has an empty name, which `URL` does not tell from none.
  return username === '' && password === '' && !/^https?:\/*[^/?#]*@/i.test(href.trim())
    ? address
    : null
}

/** A word such as `github.com/x` or `https://github.com`. */
const addressLike =
  /^(?:https?:\/\/)?(?:[^\s/@]*@)?((?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}][\p{L}\p{N}-]+|localhost|\d+(?:\.\d+){3})(?::\d+)?(?:[/?#]\S*)?$/iu

/** The host that a link leads to when its text names another one; null when the text does not mislead. */
export function misleadingHost(text: string, address: string): string | null {
  const { hostname, host } = new URL(address)
  const named = text
    .trim()
    .split(/\s+/)
    .map((word) => addressLike.exec(word.replace(/^[(<"'“‘]+|[)>"'”’.,;:!?]+$/g, ''))?.[1])
    .filter((name) => name !== undefined)
  return named.some((name) => !isSameHost(name, hostname)) ? host : null
}

function isSameHost(named: string, hostname: string): boolean {
  const url = `https://${named}/`
  const known = URL.canParse(url) ? new URL(url).hostname : named.toLowerCase()
  const bare = (host: string) => host.replace(/^www\./, '')
  return bare(known) === bare(hostname)
}
