import { parseTaskId } from '../../../shared/ids.ts'

/** Registered with the system for links such as `shiplog://t/<id>`. */
export const linkScheme = 'shiplog'

const id = '([0-9a-f-]{36})'
/** What a link may name, each as the renderer's own addresses have it (`#/t/<id>`). */
const places = [
  new RegExp(`^t/${id}$`),
  new RegExp(`^t/${id}/transcript/${id}$`),
  new RegExp(`^archive/${id}/(?:report|transcript)$`),
]

/**
 * The page's fragment for a link, else null. Any web page can make a link be opened, so a link may say
 * what is shown and nothing more: whole ids, and nothing after them.
 */
export function fragmentOfLink(link: string): string | null {
  const [, path = ''] = /^shiplog:\/\/([^\n]*?)\/?$/.exec(link) ?? [] // Windows adds the slash
  for (const place of places) {
    const ids = place.exec(path)?.slice(1)
    if (ids?.every((text) => parseTaskId(text) !== null)) return `#/${path}`
  }
  return null
}

/** Of the first link among a command line's arguments: how Windows and Linux hand one over. */
export function fragmentOfArguments(argv: readonly string[]): string | null {
  for (const argument of argv) {
    const fragment = fragmentOfLink(argument)
    if (fragment !== null) return fragment
  }
  return null
}
