/**
 * The only addresses a text from an agent may open: http and https. Null for everything else, relative
 * paths included (there is nothing they could be relative to).
 */
export function linkAddress(href: unknown): string | null {
  if (typeof href !== 'string') return null
  try {
    const url = new URL(href)
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : null
  } catch {
    return null
  }
}
