/**
 * Marks the matches of a search in the shown rows by the CSS Custom Highlight API, which leaves the document unchanged.
 * Browsers without it show no marks, and still highlight the row of the current match.
 */
import { firstIndexOf } from '../../../../shared/collections/first-index.ts'
import { eachMatch } from '../../../../shared/text/find-pattern.ts'
import type { DiffMatch } from './diff-match.ts'

/** The matches to mark. */
interface ShownMatches {
  /** A global expression for the text of the rows of entries `seq` to `nextSeq`; null: no match there. */
  patternFor(seq: number, nextSeq: number): RegExp | null
  /** The current match: the nth of its text in its row. */
  current: { partKey: string; seq: number; nth: number; inDiff?: DiffMatch | null } | null
}

/** More than is visible at once; marking costs time with every row that comes into view. */
const rangesMax = 2_000

const all = typeof Highlight === 'undefined' ? null : new Highlight()
const current = typeof Highlight === 'undefined' ? null : new Highlight()
if (all && current) {
  current.priority = 1
  CSS.highlights.set('find-match', all)
  CSS.highlights.set('find-current', current)
}

export interface FindMarks {
  /** Null removes all marks. `reveal` scrolls the current match into view once its row is rendered. */
  show(matches: ShownMatches | null, options?: { reveal?: boolean }): void
  close(): void
}

/** `root` contains the list. */
export function createFindMarks(root: HTMLElement): FindMarks {
  let shown: ShownMatches | null = null
  /** The remaining scrolls to bring the current match into view. */
  let scrollsLeft = 0
  let frame = 0
  let ranges: Range[] = []
  let currentRange: Range | null = null
  const observer = new MutationObserver(request)
  const observed = new WeakSet<Node>()
  observe(root)
  // The reader takes over, so the marks stop scrolling to the current match.
  const onReaderInput = () => {
    scrollsLeft = 0
  }
  for (const event of readerEvents) root.addEventListener(event, onReaderInput, { passive: true })

  function observe(tree: Node): void {
    if (observed.has(tree)) return
    observed.add(tree)
    observer.observe(tree, {
      childList: true,
      subtree: true,
      characterData: true,
      // The shown part of an output is determined later than its text, and decides which match is the current one.
      attributeFilter: ['data-matches-before'],
    })
  }

  function request(): void {
    frame ||= requestAnimationFrame(update)
  }

  function update(): void {
    frame = 0
    clear()
    if (!shown) return
    for (const host of root.querySelectorAll(shadowHosts))
      if (host.shadowRoot) observe(host.shadowRoot)
    const rows = [...root.querySelectorAll<HTMLElement>('article[data-row]')]
    for (const [index, row] of rows.entries()) {
      const seq = Number(row.dataset.seq)
      const next = rows.slice(index + 1).find((one) => Number(one.dataset.seq) > seq)
      const pattern = shown.patternFor(seq, Number(next?.dataset.seq ?? Number.POSITIVE_INFINITY))
      if (pattern && ranges.length < rangesMax) ranges.push(...rangesIn(row, pattern))
    }
    for (const range of ranges) all?.add(range)
    currentRange = rangeOf(shown, root, ranges)
    if (!currentRange) return
    current?.add(currentRange)
    if (scrollsLeft === 0 || isInView(currentRange, root)) return
    scrollsLeft -= 1
    scrollTo(currentRange, root)
    request()
  }

  function clear(): void {
    for (const range of ranges) all?.delete(range)
    if (currentRange) current?.delete(currentRange)
    ranges = []
    currentRange = null
  }

  return {
    show(matches, { reveal = false } = {}) {
      shown = matches
      if (reveal) scrollsLeft = scrollsMax
      request()
    },
    close() {
      cancelAnimationFrame(frame)
      observer.disconnect()
      for (const event of readerEvents) root.removeEventListener(event, onReaderInput)
      clear()
    },
  }
}

const readerEvents = ['wheel', 'pointerdown', 'touchstart', 'keydown'] as const
/** Rows above the match are measured after each scroll, which moves it. The limit ends this for a match that never fits. */
const scrollsMax = 60

function rangesIn(row: HTMLElement, pattern: RegExp): Range[] {
  const { text, nodes } = textOf(row)
  const ranges: Range[] = []
  eachMatch(pattern, text, (start, end) => {
    const range = document.createRange()
    const from = nodeAt(nodes, start)
    const to = nodeAt(nodes, end - 1)
    if (!from || !to) return true
    range.setStart(from.node, start - from.start)
    range.setEnd(to.node, end - to.start)
    ranges.push(range)
    return ranges.length < rangesMax
  })
  return ranges
}

interface TextPlace {
  node: Text
  start: number
}

/** The text of a row, with a line break between its blocks, so that no match spans two of them. */
function textOf(row: HTMLElement): { text: string; nodes: TextPlace[] } {
  const nodes: TextPlace[] = []
  let text = ''
  let block: Element | null = null
  const read = (root: Node): void => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node instanceof Element) {
        if (node.shadowRoot && node.matches(shadowHosts)) read(node.shadowRoot)
        continue
      }
      const { parentElement } = node
      if (!parentElement || parentElement.closest(excluded)) continue
      const ofNode = parentElement.closest(blocks)
      if (block && ofNode !== block) text += '\n'
      block = ofNode
      nodes.push({ node: node as Text, start: text.length })
      text += (node as Text).data
    }
  }
  read(row)
  return { text, nodes }
}

/** The diff renderer's, whose lines are in a shadow tree. */
const shadowHosts = 'diffs-container'

/** Screen-reader names, captions and labels of the view are not part of the transcript. */
const excluded =
  '.sr-only, [data-row-tools], [data-aside], [data-gutter], [data-column-number], figcaption, style, script'
const blocks = 'article, p, li, pre, div, td, th, h1, h2, h3, h4, h5, h6, button, [data-line]'

const nodeAt = (nodes: readonly TextPlace[], position: number): TextPlace | undefined =>
  nodes[firstIndexOf(nodes, (node) => node.start > position) - 1]

/** Returns the range of the current match, or the nearest match in its row if its text is not shown in one piece. */
function rangeOf({ current: at }: ShownMatches, root: HTMLElement, ranges: Range[]): Range | null {
  const row = at && root.querySelector(`[data-row="${CSS.escape(at.partKey)}"]`)
  if (!row) return null
  const inRow = ranges.filter((range) => isWithin(range, row))
  const scopes = [...row.querySelectorAll(`[data-entry="${at.seq}"]`)]
  const inScope = inRow.filter((range) => scopes.some((scope) => isWithin(range, scope)))
  const found = at.inDiff ? rangeInDiff(at.inDiff, inScope) : null
  if (found) return found
  const among = inScope.length > 0 ? inScope : inRow
  const part = row.querySelector<HTMLElement>(`[data-entry="${at.seq}"] [data-matches-before]`)
  const nth = at.nth - Number(part?.dataset.matchesBefore ?? 0)
  return among[Math.min(nth, among.length - 1)] ?? null
}

/** A line of the input may occur several times in the diff. */
function rangeInDiff({ side, line, linesBefore, nthInLine }: DiffMatch, ranges: Range[]) {
  const otherSide = side === 'additions' ? 'change-deletion' : 'change-addition'
  const lines = new Map<Element, Range[]>()
  for (const range of ranges) {
    const element = range.startContainer.parentElement?.closest('[data-line]')
    if (element?.getAttribute('data-line-type') === otherSide) continue
    // An edit may begin or end in the middle of a line.
    if (!element?.textContent.includes(line)) continue
    lines.set(element, [...(lines.get(element) ?? []), range])
  }
  return [...lines.values()][linesBefore]?.[nthInLine] ?? null
}

/** A range in a shadow tree counts as inside the elements around its host. */
function isWithin({ startContainer }: Range, element: Element): boolean {
  for (let node: Node | null = startContainer; node; node = outerOf(node))
    if (node === element) return true
  return false
}

const outerOf = (node: Node): Node | null =>
  node instanceof ShadowRoot ? node.host : node.parentNode

function isInView(range: Range, root: HTMLElement): boolean {
  const { top, bottom, height } = range.getBoundingClientRect()
  if (height === 0) return true
  return scrollersOf(range, root).every((scroller) => {
    const box = scroller.getBoundingClientRect()
    return top >= box.top && bottom <= box.bottom
  })
}

function scrollTo(range: Range, root: HTMLElement): void {
  for (const scroller of scrollersOf(range, root)) {
    const { top, bottom } = range.getBoundingClientRect()
    const box = scroller.getBoundingClientRect()
    if (top >= box.top && bottom <= box.bottom) continue
    // A third from the top, so that the text before the match is in view.
    scroller.scrollTop += top - box.top - scroller.clientHeight / 3
  }
}

/** Innermost first. */
function scrollersOf({ startContainer }: Range, root: HTMLElement): HTMLElement[] {
  const scrollers: HTMLElement[] = []
  for (let node = outerOf(startContainer); node && node !== root; node = outerOf(node)) {
    const element = node
    if (
      element instanceof HTMLElement &&
      element.scrollHeight > element.clientHeight + 1 &&
      /auto|scroll/.test(getComputedStyle(element).overflowY)
    )
      scrollers.push(element)
  }
  return scrollers
}
