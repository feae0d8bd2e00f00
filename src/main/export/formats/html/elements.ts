/** Building blocks of the HTML document. Every text must pass through `escaped` or `markdown`. */
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import { visibleText } from '../../../../shared/text/shown-text.ts'

/** A text as HTML, its control and direction characters made visible. */
export const escaped = (text: string): string =>
  visibleText(text).replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

/** Longer texts are shown unformatted, because parsing time grows faster than linearly. */
const markdownCharsMax = 200_000

/**
 * Renders Markdown as HTML. Embedded HTML and unsafe link schemes are escaped. Images become links, because opening the
 * page must not cause network requests.
 */
export function markdown(text: string): string {
  if (text.length > markdownCharsMax) return pre(text)
  const html = micromark(visibleText(text), {
    extensions: [gfm(), { disable: { null: ['labelStartImage'] } }],
    htmlExtensions: [gfmHtml()],
  })
  return `<div class="prose">${html}</div>`
}

export const pre = (text: string, kind = ''): string =>
  `<pre${kind === '' ? '' : ` class="${kind}"`}>${escaped(text)}</pre>`

/** Renders a unified diff with added and deleted lines marked. */
export function diff(patch: string): string {
  // The names of the files, before the first hunk of each, begin like changed lines.
  let inHunk = false
  const lines = patch.split('\n').map((line) => {
    if (line.startsWith('@@ ')) inHunk = true
    else if (line.startsWith('diff ')) inHunk = false
    const kind = !inHunk ? null : line.startsWith('+') ? 'ins' : line.startsWith('-') ? 'del' : null
    return kind ? `<${kind}>${escaped(line)}</${kind}>` : escaped(line)
  })
  return `<pre class="diff">${lines.join('\n')}</pre>`
}

/** A collapsible section that needs no script. */
export const folded = (summary: string, content: string, isOpen = false): string =>
  content === ''
    ? `<p class="call">${summary}</p>`
    : `<details${isOpen ? ' open' : ''}><summary>${summary}</summary>${content}</details>`
