/** A long transcript that is loaded in pages. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { useMemo, useState } from 'react'
import { expect, fireEvent, userEvent, waitFor, within } from 'storybook/test'
import { inWindow } from '../../../../../storybook/decorators.tsx'
import {
  distanceFromEnd,
  frames,
  tailPx,
  untilFilled,
} from '../../../../../storybook/transcript-scroller.ts'
import { long } from '../../../../../tests/fixtures/entries/conversations.ts'
import { foldEntries } from '../../../../shared/projections/transcript/transcript.ts'
import { emptyTranscript } from '../../../../shared/projections/transcript/transcript-fold.ts'
import type { Entry } from '../../../../shared/records/entries.ts'
import { TranscriptList } from './transcript-list.tsx'

const meta: Meta<typeof TranscriptList> = {
  title: 'Conversation/TranscriptList/Pages',
  component: TranscriptList,
  decorators: [inWindow],
  args: { label: 'Conversation of Fix the parser', items: [] },
}
export default meta
type Story = StoryObj<typeof TranscriptList>

const itemsOf = (entries: Entry[]) => foldEntries(emptyTranscript(), entries).items

/** A requested page arrives once this resolves. */
let pagesMayCome = Promise.resolve()
/** Reads pages of a long transcript as the store does: the newest first, older ones on request. */
function Paged() {
  const all = useMemo(() => long(200), [])
  const [from, setFrom] = useState(all.length - pagedEntries)
  const [paging, setPaging] = useState<'older' | null>(null)
  const items = useMemo(() => itemsOf(all.slice(from)), [all, from])
  const loadOlder = async () => {
    setPaging('older')
    await frames(2)
    await pagesMayCome
    setFrom((first) => Math.max(0, first - pagedEntries))
    setPaging(null)
  }
  return (
    <>
      <output aria-label="Loaded from">{from}</output>
      <TranscriptList
        label="Conversation in pages"
        items={items}
        live
        hasOlder={from > 0}
        paging={paging}
        onReachStart={loadOlder}
      />
    </>
  )
}
/** Not whole turns: a page may begin within one. */
const pagedEntries = 100

/** Returns the tops of the visible rows, by the text that identifies them. */
function placesIn(box: HTMLElement): Map<string, number> {
  const { top, bottom } = box.getBoundingClientRect()
  const rows = within(box)
    .getAllByRole('article')
    .map((row) => ({ name: row.textContent, at: row.getBoundingClientRect() }))
    .filter(({ name, at }) => name.includes('Module') && at.bottom > top && at.top < bottom)
  return new Map(rows.map(({ name, at }) => [name, at.top]))
}

/** Returns how far the visible rows have moved down; null if none of them is visible any more. */
function movedBy(before: Map<string, number>, now: Map<string, number>): number | null {
  for (const [name, top] of before) {
    const at = now.get(name)
    if (at !== undefined) return at - top
  }
  return null
}

export const ScrolledUpThroughPages: Story = {
  tags: ['soak'],
  render: () => <Paged />,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const box = await canvas.findByRole('region', { name: 'Conversation in pages' })
    const loadedFrom = () => Number(canvas.getByLabelText('Loaded from').textContent)
    await untilFilled(box)
    await waitFor(() => expect(distanceFromEnd(box)).toBeLessThan(tailPx))
    await frames(4)
    const notchPx = 400
    // On a busy machine the list may still be scrolling to its end, and takes the first notch back.
    const endPx = box.scrollTop
    await waitFor(async () => {
      box.scrollTop = endPx - notchPx
      await frames(6)
      expect(box.scrollTop).toBeLessThan(endPx - notchPx / 2)
    })
    for (let notch = 0; notch < 12; notch += 1) {
      const before = placesIn(box)
      const room = box.scrollTop
      box.scrollTop -= notchPx
      await frames(6)
      await untilFilled(box)
      const moved = movedBy(before, placesIn(box))
      await expect(moved, `notch ${notch}`).not.toBeNull()
      if (room >= notchPx) await expect(moved, `notch ${notch}`).toBeCloseTo(notchPx, 0)
      else await expect(moved, `notch ${notch}`).toBeLessThanOrEqual(notchPx + 1)
    }
    // Scrolling to the top loads an older page, and the row in view must not move.
    while (loadedFrom() > 0) {
      const from = loadedFrom()
      const page = Promise.withResolvers<void>()
      pagesMayCome = page.promise
      box.scrollTop = 0
      await waitFor(() => expect(canvas.getByRole('feed')).toHaveAttribute('aria-busy', 'true'))
      await untilFilled(box)
      const before = placesIn(box)
      page.resolve()
      await waitFor(() => expect(loadedFrom()).toBeLessThan(from))
      await frames(6)
      await untilFilled(box)
      const moved = movedBy(before, placesIn(box))
      await expect(moved, `from ${loadedFrom()}`).toBeCloseTo(0, 0)
      await expect(canvas.getAllByRole('article').length).toBeLessThan(200)
    }
  },
}

/** The keys keep working while rows scroll out of view and are removed. */
export const ReadByKeys: Story = {
  render: () => <Paged />,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const box = await canvas.findByRole('region', { name: 'Conversation in pages' })
    const loadedFrom = () => Number(canvas.getByLabelText('Loaded from').textContent)
    // A list that is laid out slowly may have asked for its second page already.
    const atFirst = long(200).length - pagedEntries
    await waitFor(() => expect(distanceFromEnd(box)).toBeLessThan(tailPx))
    box.focus()
    // Moves past the beginning of the first page: every turn is reached, in order.
    const met = new Set<number>()
    while (!met.has(165)) {
      const before = document.activeElement
      await userEvent.keyboard('k')
      await waitFor(() => expect(document.activeElement).not.toBe(before))
      await untilFilled(box)
      const row = document.activeElement as HTMLElement
      const turn = /Module (\d+):/.exec(row.textContent)?.[1]
      if (turn) met.add(Number(turn))
      const { top, bottom } = row.getBoundingClientRect()
      const view = box.getBoundingClientRect()
      await expect(top).toBeGreaterThanOrEqual(view.top - 1)
      await expect(bottom).toBeLessThanOrEqual(view.bottom + 1)
    }
    const turns = [...met].sort((a, b) => a - b)
    await expect(turns).toEqual(turns.map((_, index) => 165 + index))
    await expect(turns.length).toBeGreaterThan(30)
    await expect(loadedFrom()).toBeLessThan(atFirst)
    // The focused row scrolls out of the page, and the list takes the focus.
    box.scrollTop = box.scrollHeight
    await waitFor(() => expect(document.activeElement).toBe(box))
    await userEvent.keyboard('k')
    await waitFor(() => expect(document.activeElement?.tagName).toBe('ARTICLE'))
    await untilFilled(box)
    await waitFor(() => expect(distanceFromEnd(box)).toBeLessThan(tailPx))
  },
}

/** A window of a long transcript, as in the store: any entry can be requested. */
function Windowed() {
  const all = useMemo(() => long(400), [])
  const [[from, to], setWindow] = useState([all.length - pagedEntries, all.length])
  const [target, setTarget] = useState<{ seq: number; focus: boolean; pointOut: boolean }>()
  const items = useMemo(() => itemsOf(all.slice(from, to)), [all, from, to])
  const goTo = (seq: number) => {
    if (seq <= from || seq > to)
      setWindow([Math.max(0, seq - pagedEntries), Math.min(all.length, seq + pagedEntries)])
    setTarget({ seq, focus: false, pointOut: false })
  }
  return (
    <TranscriptList
      label="Conversation in a window"
      items={items}
      hasOlder={from > 0}
      hasNewer={to < all.length}
      extent={{ firstSeq: from + 1, lastSeq: to, total: all.length, turns: 400 }}
      target={target}
      onGoTo={goTo}
      onReachStart={() => setWindow([Math.max(0, from - pagedEntries), to])}
      onReachEnd={() => setWindow([from, Math.min(all.length, to + pagedEntries)])}
      onJumpToLatest={() => goTo(all.length)}
    />
  )
}

/** The scroll bar covers the whole transcript: entries that are not loaded are one click away. */
export const ScrollBarOverAll: Story = {
  render: () => <Windowed />,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const box = await canvas.findByRole('region', { name: 'Conversation in a window' })
    const bar = canvas.getByRole('scrollbar', { name: 'Position' })
    const total = long(400).length
    const now = () => Number(bar.getAttribute('aria-valuenow'))
    await untilFilled(box)
    await waitFor(() => expect(distanceFromEnd(box)).toBeLessThan(tailPx))
    await waitFor(() => expect(now()).toBeGreaterThan(total * 0.95))
    const { left, top, height } = bar.getBoundingClientRect()
    const at = (fraction: number) => ({ clientX: left + 4, clientY: top + height * fraction })
    const pointer = { button: 0, pointerId: 1, isPrimary: true }
    // A click anywhere on the bar shows the entry at that place.
    fireEvent.pointerDown(bar, { ...pointer, ...at(0.5) })
    await waitFor(() => expect(now()).toBeGreaterThan(total * 0.45))
    await expect(now()).toBeLessThan(total * 0.55)
    await expect(canvas.getByText(/^Turn \d+ of 400 · /)).toBeVisible()
    for (const fraction of [0.4, 0.3, 0.2]) {
      fireEvent.pointerMove(bar, { ...pointer, ...at(fraction) })
      await waitFor(() => expect(Math.abs(now() / total - fraction)).toBeLessThan(0.06))
    }
    fireEvent.pointerMove(bar, { ...pointer, ...at(-1) })
    await waitFor(() => expect(now()).toBeLessThan(3))
    fireEvent.pointerUp(bar, pointer)
    await untilFilled(box)
    await waitFor(() => expect(box.scrollTop).toBe(0))
    await expect(canvas.queryAllByRole('article').length).toBeLessThan(200)
    // Nothing covers the text of a transcript that has ended.
    await expect(canvas.queryByRole('button', { name: 'Jump to latest' })).toBeNull()
    // From there by keys.
    box.focus()
    await userEvent.keyboard('{End}')
    await waitFor(() => expect(distanceFromEnd(box)).toBeLessThan(tailPx))
    await waitFor(() => expect(now()).toBeGreaterThan(total * 0.95))
    await userEvent.keyboard('{Home}')
    await waitFor(() => expect(now()).toBeLessThan(3))
    await waitFor(() => expect(box.scrollTop).toBe(0))
    // Unless the bar is dragged, the position is shown away from the buttons of rows, which are at the right.
    fireEvent.wheel(box)
    box.scrollTop += 300
    const label = await canvas.findByText(/ of 400 · /)
    const { right } = label.getBoundingClientRect()
    await expect(right).toBeLessThan(box.getBoundingClientRect().right - 100)
  },
}

/** Rows that are rendered above or below what is in view. */
const rowsBeyond = (box: HTMLElement): number => {
  const { top, bottom } = box.getBoundingClientRect()
  const isBeyond = (row: HTMLElement) => {
    const at = row.getBoundingClientRect()
    return at.bottom <= top || at.top >= bottom
  }
  return within(box).queryAllByRole('article').filter(isBeyond).length
}

/** After a jump the rows in view come first, and those beyond the edges a moment later. */
export const JumpsToTheRowsInView: Story = {
  render: () => <Windowed />,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const box = await canvas.findByRole('region', { name: 'Conversation in a window' })
    const bar = canvas.getByRole('scrollbar', { name: 'Position' })
    await untilFilled(box)
    await waitFor(() => expect(distanceFromEnd(box)).toBeLessThan(tailPx))
    await waitFor(() => expect(rowsBeyond(box)).toBeGreaterThan(3))
    let first: number | null = null
    const observer = new MutationObserver(() => {
      first ??= rowsBeyond(box)
    })
    observer.observe(box, { childList: true, subtree: true })
    const { left, top, height } = bar.getBoundingClientRect()
    const pointer = { button: 0, pointerId: 1, isPrimary: true }
    fireEvent.pointerDown(bar, { ...pointer, clientX: left + 4, clientY: top + height / 2 })
    fireEvent.pointerUp(bar, pointer)
    await waitFor(() => expect(first).not.toBeNull())
    observer.disconnect()
    await expect(first).toBeLessThan(4)
    await waitFor(() => expect(rowsBeyond(box)).toBeGreaterThan(3))
  },
}
