/** Removes the syntax of Markdown that an excerpt in one line would show, and keeps the words. Pure. */

const fence = /^[ \t]*(?:```|~~~).*$/gmu
const tableRule = /^[ \t]*\|?(?:[ \t]*:?-{2,}:?[ \t]*\|)+(?:[ \t]*:?-{2,}:?)?[ \t]*$/gmu
const lineStart = /^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+)/gmu
const tableEdge = /^[ \t]*\|[ \t]*|[ \t]*\|[ \t]*$/gmu
const tableColumn = /[ \t]+\|[ \t]+/gu
const emphasis = /\*\*|(?<!`)`(?!`)/gu
/** Within words and between spaces, `*` is an operator or a pattern. */
const italics = /(?<![\p{L}\p{N}*])\*(?=[\p{L}\p{N}])([^*\n]+)(?<=\S)\*(?![\p{L}\p{N}*])/gu

export const plainMarkdown = (text: string): string =>
  text
    .replaceAll(fence, '')
    .replaceAll(tableRule, '')
    .replaceAll(lineStart, '')
    .replaceAll(tableEdge, '')
    .replaceAll(tableColumn, ' · ')
    .replaceAll(emphasis, '')
    .replaceAll(italics, '$1')
