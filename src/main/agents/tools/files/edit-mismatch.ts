/** Explains why a text is not in a file and shows the nearest lines, so that the agent can try again without reading it. */
import type { Masker } from '../../../../shared/agents/driver/masker.ts'
import { listFirst } from '../../../../shared/text/counted.ts'
import { numberedLines } from './numbered-lines.ts'

/** Line comparisons, of about a microsecond each; beyond it, only equal lines count. */
const comparisonsMax = 200_000
/** For more lines, read_file is the better tool. */
const shownLinesMax = 40
/** Less similar lines (0 to 1) would mislead. */
const similarityMin = 0.5
const placesShownMax = 10

interface Sought {
  /** Relative to the working directory. */
  path: string
  text: string
  oldText: string
  newText: string
}

/** Returns a message for the agent. Call it if `oldText` does not occur in `text`. */
export function explainMismatch({ path, text, oldText, newText }: Sought, mask: Masker): string {
  const head = `oldText: does not occur in ${path}.`
  if (text === '') return `${head} The file is empty. Use write_file.`
  const lines = bodies(text)
  const shown = (from: number, count: number) =>
    numberedLines(bodies(mask.text(lines.slice(from, from + count).join('\n'))), from + 1)
  const sought = bodies(oldText)
  const unnumbered = sought.map((line) => line.replace(/^\s*\d+\t/, ''))
  if (unnumbered.some((line, index) => line !== sought[index]) && has(text, unnumbered.join('\n')))
    return `${head} It has the line numbers of read_file, which are not in the file. Leave them and the tab after them out.`
  if (has(text.replaceAll('\r\n', '\n'), oldText.replaceAll('\r\n', '\n')))
    return `${head} Only the line ends differ: the file ends ${text.includes('\r\n') ? 'lines with \\r\\n, oldText with \\n' : 'its lines with \\n, oldText with \\r\\n'}.`
  const matches = indexesWhere(lines, sought.map(squeezed), squeezed)
  const [first] = matches
  if (first !== undefined)
    return [
      `${head} ${matches.length === 1 ? `${lineRange(first, sought.length)} differ` : `${matches.length} places, the first at ${lineRange(first, sought.length).toLowerCase()}, differ`} from it only in spaces, tabs or blanks at line ends${hintOfTabs(lines, sought, first)}. The file has:`,
      shown(first, Math.min(sought.length, shownLinesMax)),
      'Copy these lines without the numbers.',
    ].join('\n')
  if (newText.trim() !== '' && has(text, newText))
    return `${head} newText is there already, ${atLines(text, newText)}: this change may have been made before.`
  const near = nearest(lines, sought)
  if (near === null)
    return `${head} Nothing in it is similar. Read the file again; the text may be in another one (search_files).`
  return [
    `${head} Nearest are ${lineRange(near, sought.length).toLowerCase()}:`,
    shown(near, Math.min(sought.length, shownLinesMax)),
    ...(sought.length > shownLinesMax ? [`[${sought.length - shownLinesMax} lines more]`] : []),
    'Copy these lines without the numbers, or read the file again.',
  ].join('\n')
}

/** Returns the lines at which `part` occurs: `at line 3`, `at lines 3, 8 and 3 more`. */
export function atLines(text: string, part: string): string {
  const places: number[] = []
  let line = 1
  let counted = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) {
    for (; counted < at; counted++) if (text[counted] === '\n') line++
    places.push(line)
  }
  const shown = listFirst(places.map(String), placesShownMax)
  return `at ${places.length === 1 ? 'line' : 'lines'} ${shown}`
}

const has = (text: string, part: string): boolean => part.trim() !== '' && text.includes(part)

/** Without their ends; what follows the last end is a line only when there is something. */
function bodies(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''))
  return lines.length > 1 && lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

const squeezed = (line: string): string => line.replace(/\s+/g, ' ').trim()

function indexesWhere(
  lines: string[],
  soughtPairs: string[],
  normal: (line: string) => string,
): number[] {
  if (soughtPairs.every((line) => line === '')) return []
  const normalLines = lines.map(normal)
  return normalLines.flatMap((_, start) =>
    soughtPairs.every((line, index) => normalLines[start + index] === line) ? [start] : [],
  )
}

function hintOfTabs(lines: string[], sought: string[], first: number): string {
  const hasTab = (some: string[]) => some.some((line) => /^\s*\t/.test(line))
  const [inFile, inText] = [hasTab(lines.slice(first, first + sought.length)), hasTab(sought)]
  if (inFile === inText) return ''
  return inFile ? ' (the file indents with tabs)' : ' (the file indents with spaces)'
}

const lineRange = (from: number, count: number): string =>
  count === 1 ? `Line ${from + 1}` : `Lines ${from + 1}-${from + count}`

/** Returns the index of the lines that are most similar to `sought`; null if none are similar enough. */
function nearest(lines: string[], sought: string[]): number | null {
  const compare =
    lines.length * sought.length <= comparisonsMax ? similarity : (a: Pairs, b: Pairs) => +(a === b)
  const known = new Map<string, Pairs>()
  const pairs = (line: string): Pairs => {
    const text = squeezed(line)
    const made = known.get(text) ?? pairsOf(text)
    known.set(text, made)
    return made
  }
  const soughtPairs = sought.map(pairs)
  const filePairs = lines.map(pairs)
  let best = { start: 0, score: 0 }
  for (let start = 0; start < filePairs.length; start++) {
    let score = 0
    for (const [index, one] of soughtPairs.entries()) {
      const other = filePairs[start + index]
      // Blank lines are equal everywhere, so they do not count.
      if (one.count > 0 && other) score += compare(one, other)
    }
    if (score > best.score) best = { start, score }
  }
  const nonBlank = soughtPairs.filter(({ count }) => count > 0).length
  return nonBlank > 0 && best.score / nonBlank >= similarityMin ? best.start : null
}

interface Pairs {
  counts: Map<string, number>
  count: number
}

/** Counts pairs of neighbouring characters; a line of one character is a pair with its end. */
function pairsOf(text: string): Pairs {
  const counts = new Map<string, number>()
  const count = text.length === 0 ? 0 : Math.max(1, text.length - 1)
  for (let at = 0; at < count; at++) {
    const pair = text.slice(at, at + 2)
    counts.set(pair, (counts.get(pair) ?? 0) + 1)
  }
  return { counts, count }
}

/** The Sørensen–Dice coefficient of the pairs: 1 for equal lines, 0 for lines without a common pair. */
function similarity(a: Pairs, b: Pairs): number {
  if (a === b) return 1
  if (a.count === 0 || b.count === 0) return 0
  let common = 0
  for (const [pair, count] of a.counts) common += Math.min(count, b.counts.get(pair) ?? 0)
  return (2 * common) / (a.count + b.count)
}
