/** Removes the syntax of Markdown that an excerpt in one line would show, and keeps the words. Pure. */

const fence = /^[ \t]*(?:```|~~~).*$/gmu
const tableRule = /^[ \t]*\|?(?:[ \t]*:?-{2,}:?[ \t]*\|)+(?:[ \t]*:?-{2,}:?)?[ \t]*$/gmu
const lineStart = /^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+)/gmu
const tableEdge = /^[ \t]*\|[ \t]*|[ \t]*\|[ \t]*$/gmu
const tableColumn = /[ \t]+\|[ \t]+/gu
const emphasis = /\*\*|(?<!`)`(?!`)/gu

export const plainMarkdown = (text: string): string =>
  text
    .replaceAll(fence, '')
    .replaceAll(tableRule, '')
    .replaceAll(lineStart, '')
    .replaceAll(tableEdge, '')
    .replaceAll(tableColumn, ' · ')
    .replaceAll(emphasis, '')
