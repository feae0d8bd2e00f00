/** Determines the links in agents' texts that may be opened, for the page and for the desktop app. */

const linkLengthMax = 2_048

/**
 * Returns the URL to open; null unless it is an absolute http or https URL, because the system would start any program
 * that another scheme names. Also null for a URL with a user name or password, which can imitate another host.
 */
export function externalLink(href: unknown): string | null {
  if (typeof href !== 'string' || href.length > linkLengthMax || !URL.canParse(href)) return null
  const { protocol, username, password, href: address } = new URL(href)
  if (protocol !== 'https:' && protocol !== 'http:') return null
  // `https://@host/` has an empty user name, which `URL` does not distinguish from none.
  return username === '' && password === '' && !/^https?:\/*[^/?#]*@/i.test(href.trim())
    ? address
    : null
}

/** A word such as `github.com/x` or `https://github.com`. */
const addressLike =
  /^(?:https?:\/\/)?(?:[^\s/@]*@)?((?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+[\p{L}][\p{L}\p{N}-]+|localhost|\d+(?:\.\d+){3})(?::\d+)?(?:[/?#]\S*)?$/iu

/** Returns the host of a link whose text names another host; null if the text is not misleading. */
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
