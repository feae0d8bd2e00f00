import { parseTaskId } from '../../../shared/records/ids.ts'

/** Registered with the system for links such as `shiplog://t/<id>`. */
export const linkScheme = 'shiplog'

const id = '([0-9a-f-]{36})'
/** The targets of a link, each in the form of the renderer's own addresses (`#/t/<id>`). */
const entry = '(?:\\?(?:seq=[1-9]\\d{0,14}(?:&replay)?|replay))?'
const places = [
  new RegExp(`^t/${id}${entry}$`),
  new RegExp(`^t/${id}/transcript/${id}${entry}$`),
  new RegExp(`^archive/${id}/(?:report|transcript)${entry}$`),
  new RegExp(`^transcript/${id}${entry}$`),
]

/**
 * The page's fragment for a link; null if the link is not one of Shiplog's. Any web page can have a link opened, so a
 * link only selects what is shown: whole ids, an entry, and nothing after them.
 */
export function fragmentOfLink(link: string): string | null {
  const [, path = ''] = /^shiplog:\/\/([^\n]*?)\/?$/.exec(link) ?? [] // Windows adds the slash
  for (const place of places) {
    const ids = place.exec(path)?.slice(1)
    if (ids?.every((text) => parseTaskId(text) !== null)) return `#/${path}`
  }
  return null
}

/** The fragment for the first link among a command line's arguments: Windows and Linux pass links this way. */
export function fragmentOfArguments(argv: readonly string[]): string | null {
  for (const argument of argv) {
    const fragment = fragmentOfLink(argument)
    if (fragment !== null) return fragment
  }
  return null
}

/** The page's fragment for a transcript alone in its window. */
export const fragmentOfTranscript = (place: { taskId: string; seq?: number | undefined }): string =>
  `#/transcript/${place.taskId}${place.seq === undefined ? '' : `?seq=${place.seq}`}`
