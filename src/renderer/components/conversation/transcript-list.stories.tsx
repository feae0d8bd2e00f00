import type { Meta, StoryObj } from '@storybook/react-vite'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { expect, fireEvent, fn, userEvent, waitFor, within } from 'storybook/test'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { lookupOf } from '../../../../storybook/task-lookup.ts'
import { session } from '../../../../tests/fixtures/entries/builder.ts'
import {
  broken,
  hostile,
  leadEnded,
  leadLive,
  long,
  testsReport,
} from '../../../../tests/fixtures/entries/conversations.ts'
import {
  ids,
  laterState,
  liveActivity,
  liveState,
} from '../../../../tests/fixtures/entries/tasks.ts'
import type { Entry } from '../../../shared/entries.ts'
import {
  emptyTranscript,
  foldEntries,
  type TranscriptItem,
  withPartial,
} from '../../../shared/projections/transcript.ts'
import { EmptyState } from '../primitives/index.ts'
import { OpenLinkContext } from '../text/index.ts'
import { TaskActionsContext, type TaskLookup, TaskLookupContext } from './task-lookup.ts'
import { TranscriptList, type TranscriptListHandle } from './transcript-list.tsx'

const conflictMessage =
  'Conflict in a.txt. Nothing was changed.\nCONFLICT (content): Merge conflict in a.txt'
const itemsOf = (entries: Entry[]) => foldEntries(emptyTranscript(), entries).items
const actions = {
  onViewTranscript: fn(),
  onApply: fn(),
  onStop: fn(),
  onResume: fn(),
  onNeedReport: fn(),
}
const openLink = fn()

function Around({ tasks, children }: { tasks: TaskLookup; children: ReactNode }) {
  return (
    <OpenLinkContext value={openLink}>
      <TaskActionsContext value={actions}>
        <TaskLookupContext value={tasks}>{children}</TaskLookupContext>
      </TaskActionsContext>
    </OpenLinkContext>
  )
}

const later = lookupOf(laterState, {
  reports: { [ids.tests]: { phase: 'ready', title: 'Tests added', markdown: testsReport } },
})

const meta: Meta<typeof TranscriptList> = {
  title: 'Conversation/TranscriptList',
  component: TranscriptList,
  decorators: [
    (Story) => (
      <Around tasks={later}>
        <Story />
      </Around>
    ),
    inWindow,
  ],
  args: { label: 'Conversation of Fix the parser', items: [] },
}
export default meta
type Story = StoryObj<typeof TranscriptList>

const scrollerOf = (canvas: HTMLElement) =>
  within(canvas).getByRole('region', { name: /Conversation/ })
const distanceFromEnd = (box: HTMLElement) => box.scrollHeight - box.scrollTop - box.clientHeight
/** A row that is measured late may leave it a few pixels from the end, within the padding after the last row. */
const tailPx = 8
const frames = async (count: number) => {
  for (let frame = 0; frame < count; frame += 1) await new Promise(requestAnimationFrame)
}
/**
 * The rows in view fill it and adjoin each other: none is still to be made or measured. On a busy machine
 * that can take longer than a few frames, and places that are read before it are of a list on its way.
 */
const isFilled = (box: HTMLElement): boolean => {
  const view = box.getBoundingClientRect()
  const feed = within(box).getByRole('feed').getBoundingClientRect()
  const rows = [...box.querySelectorAll('article')]
    .map((row) => row.getBoundingClientRect())
    .filter(({ top, bottom }) => bottom > view.top && top < view.bottom)
    .sort((a, b) => a.top - b.top)
  const paddingPx = 24
  const first = rows[0]
  const last = rows.at(-1)
  if (!first || !last) return false
  return (
    first.top <= Math.max(view.top, feed.top + paddingPx) + 1 &&
    last.bottom >= Math.min(view.bottom, feed.bottom - paddingPx) - 1 &&
    rows.every(
      ({ top }, index) => index === 0 || Math.abs(top - (rows[index - 1]?.bottom ?? 0)) <= 1,
    )
  )
}
const untilFilled = (box: HTMLElement) => waitFor(() => expect(isFilled(box)).toBe(true))

export const Live: Story = {
  decorators: [
    (Story) => (
      <Around tasks={lookupOf(liveState, { activity: liveActivity })}>
        <Story />
      </Around>
    ),
  ],
  render: (args) => {
    const { entries, partial } = leadLive()
    const items = withPartial(foldEntries(emptyTranscript(), entries), partial, true)
    return <TranscriptList {...args} items={items} live />
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const card = await canvas.findByRole('article', { name: 'Task: Add parser tests' })
    await userEvent.click(
      within(card).getByRole('button', { name: 'View transcript of Fuzz the tokenizer' }),
    )
    await expect(actions.onViewTranscript).toHaveBeenCalledWith(ids.fuzz)
    await userEvent.click(within(card).getByRole('button', { name: 'Stop Add parser tests' }))
    await expect(actions.onStop).toHaveBeenCalledWith(ids.tests)
  },
}
export const LiveDark: Story = { ...Live, globals: { theme: 'dark' }, play: undefined }

export const Ended: Story = {
  args: { items: itemsOf(leadEnded()), startAt: 'start' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const reasoning = await canvas.findByRole('button', { name: /The grammar lives in/ })
    await expect(canvas.queryByText(/separate loops/)).toBeNull()
    await userEvent.click(reasoning)
    await expect(canvas.getByText(/separate loops/)).toBeVisible()
    await userEvent.click(reasoning)
    await expect(canvas.queryByText(/separate loops/)).toBeNull()
    const group = canvas.getByRole('button', { name: /Read 1 file, listed files, searched/ })
    await userEvent.click(group)
    await userEvent.click(canvas.getByRole('button', { name: /Searched.*2 matches in 1 file/ }))
    await expect(canvas.getByRole('figure', { name: 'Output' })).toBeVisible()
  },
}
export const EndedAtItsEnd: Story = {
  args: { items: itemsOf(leadEnded()) },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    // A command that failed is open by itself.
    await expect(await canvas.findByText(/Unexpected block statement/)).toBeInTheDocument()
  },
}
export const EndedDark: Story = {
  args: { items: itemsOf(leadEnded()) },
  globals: { theme: 'dark' },
}

export const Broken: Story = {
  args: { items: itemsOf(broken().entries), damage: broken().damage, startAt: 'start' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await expect(await canvas.findByText('outcome unknown')).toBeVisible()
    await expect(canvas.getByText(/Part of this transcript is damaged/)).toBeInTheDocument()
    await expect(canvas.getByText(/attention-map/)).toBeInTheDocument()
    await expect(canvas.getByText(/oldText occurs 3 times/)).toBeInTheDocument()
  },
}

export const Hostile: Story = {
  args: { items: itemsOf(hostile()), startAt: 'start' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByText(/Raw HTML/)
    await expect(canvasElement.querySelector('script, iframe, img')).toBeNull()
    await expect('hacked' in window).toBe(false)
    for (const link of canvas.queryAllByRole('link'))
      await expect(link.getAttribute('href')).toMatch(/^https?:/)
    await userEvent.click(canvas.getByRole('link', { name: 'fine' }))
    await expect(openLink).toHaveBeenCalledWith('https://example.com/docs')
    const box = scrollerOf(canvasElement)
    await expect(box.scrollWidth).toBeLessThanOrEqual(box.clientWidth)
    // Two megabytes of output open without laying all of it out.
    await userEvent.click(canvas.getByRole('button', { name: /timed out/ }))
    await expect(await canvas.findByRole('button', { name: 'Show all' })).toBeInTheDocument()
  },
}

/** A conflict is said once, in the words that the agent was told. */
export const ApplyConflict: Story = {
  args: {
    items: itemsOf(
      session(ids.lead).turn([
        {
          call: {
            name: 'task_apply_patch',
            input: { task: 'Alpha' },
            outcome: 'error',
            output: conflictMessage.concat('\nIn conflict:\na.txt'),
            detail: {
              kind: 'apply',
              taskId: ids.tests,
              title: 'Alpha',
              outcome: { kind: 'conflict', paths: ['a.txt'], message: conflictMessage },
            },
          },
        },
      ]).entries,
    ),
    startAt: 'start',
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const told = await canvas.findByRole('figure', { name: 'Error' })
    await expect(told).toHaveTextContent('In conflict: a.txt')
    await expect(canvas.getAllByText(/Merge conflict in a\.txt/)).toHaveLength(1)
    await expect(canvas.queryByRole('listitem')).toBeNull()
  },
}

/** 400 turns; the rows in the page stay few wherever one scrolls. */
export const Long: Story = {
  args: { items: itemsOf(long()), hasOlder: true, onReachStart: fn(), live: true },
  play: async ({ canvasElement, args }) => {
    const canvas = within(canvasElement)
    const box = scrollerOf(canvasElement)
    await waitFor(() => expect(distanceFromEnd(box)).toBeLessThan(tailPx))
    await expect(args.onReachStart).not.toHaveBeenCalled()
    await expect(canvas.getAllByRole('article').length).toBeLessThan(200)
    box.focus()
    await userEvent.keyboard('{Home}')
    await waitFor(() => expect(args.onReachStart).toHaveBeenCalled())
    await expect(canvas.getAllByRole('article').length).toBeLessThan(200)
    await userEvent.click(await canvas.findByRole('button', { name: 'Jump to latest' }))
    await waitFor(() => expect(distanceFromEnd(box)).toBeLessThan(tailPx))
    await waitFor(() => expect(canvas.queryByRole('button', { name: 'Jump to latest' })).toBeNull())
    // Row by row with the keyboard.
    box.focus()
    await userEvent.keyboard('k')
    await waitFor(() =>
      expect(document.activeElement?.getAttribute('role') ?? document.activeElement?.tagName).toBe(
        'ARTICLE',
      ),
    )
  },
}

/** Opens it only when asked, so that what shows for a moment while it opens can be watched. */
function Opened() {
  const [open, setOpen] = useState(false)
  const items = useMemo(() => itemsOf(long(60)), [])
  return open ? (
    <TranscriptList label="Conversation that is opened" items={items} live />
  ) : (
    <button type="button" onClick={() => setOpen(true)}>
      Open it
    </button>
  )
}

export const OpenedAtItsEnd: Story = {
  render: () => <Opened />,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    let offered = 0
    const observer = new MutationObserver(() => {
      if (canvas.queryByText('Jump to latest')) offered += 1
    })
    observer.observe(canvasElement, { childList: true, subtree: true })
    await userEvent.click(canvas.getByRole('button', { name: 'Open it' }))
    const box = await canvas.findByRole('region', { name: 'Conversation that is opened' })
    await untilFilled(box)
    await waitFor(() => expect(distanceFromEnd(box)).toBeLessThan(tailPx))
    await frames(20)
    await expect(distanceFromEnd(box)).toBeLessThan(tailPx)
    await expect(offered).toBe(0)
    // It is offered to who goes up, however little, and taken away at the end.
    box.scrollTop -= 120
    await expect(await canvas.findByRole('button', { name: 'Jump to latest' })).toBeVisible()
    box.scrollTop = box.scrollHeight
    await waitFor(() => expect(canvas.queryByRole('button', { name: 'Jump to latest' })).toBeNull())
    observer.disconnect()
  },
}

export const Empty: Story = {
  args: {
    items: [],
    empty: (
      <EmptyState
        sentence="Nothing has been said yet. The first turn shows here as it is written."
        action={{ label: 'Send a prompt', onClick: fn() }}
      />
    ),
  },
}

/** Grows a live conversation by its button: what is read stays where it is. */
function Growing() {
  const all = useMemo(() => long(60), [])
  const [count, setCount] = useState(all.length - 40)
  const items: TranscriptItem[] = useMemo(() => itemsOf(all.slice(0, count)), [all, count])
  const handle = useRef<TranscriptListHandle>(null)
  useEffect(() => {
    Object.assign(window, { growingList: handle.current })
  })
  return (
    <>
      <button type="button" onClick={() => setCount(count + 4)}>
        Add a turn
      </button>
      <TranscriptList label="Conversation that grows" items={items} live ref={handle} />
    </>
  )
}

export const Streaming: Story = {
  render: () => <Growing />,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const box = scrollerOf(canvasElement)
    const add = canvas.getByRole('button', { name: 'Add a turn' })
    await waitFor(() => expect(distanceFromEnd(box)).toBeLessThan(tailPx))
    await userEvent.click(add)
    await userEvent.click(add)
    await frames(3)
    // Who is at the tail stays at the tail.
    await untilFilled(box)
    await waitFor(() => expect(distanceFromEnd(box)).toBeLessThan(tailPx))
    // What is opened at the tail stays under the pointer.
    const line = (await canvas.findAllByRole('button', { name: /Edited/ })).at(-1) as HTMLElement
    const lineTop = line.getBoundingClientRect().top
    await userEvent.click(line)
    await frames(5)
    await untilFilled(box)
    await expect(line.getBoundingClientRect().top).toBeCloseTo(lineTop, 0)
    await userEvent.click(line)
    await untilFilled(box)
    // Who reads elsewhere is not moved.
    box.scrollTop = box.scrollHeight / 2
    await frames(5)
    await untilFilled(box)
    const read = within(box)
      .getAllByRole('article')
      .find(
        (row) => row.getBoundingClientRect().top > box.getBoundingClientRect().top,
      ) as HTMLElement
    const before = read.getBoundingClientRect().top
    await userEvent.click(add)
    await userEvent.click(add)
    await frames(5)
    await untilFilled(box)
    await expect(read.getBoundingClientRect().top).toBeCloseTo(before, 0)
    await expect(await canvas.findByRole('button', { name: 'Jump to latest' })).toBeVisible()
    // A link to an entry lands on it.
    const list = (window as unknown as { growingList: TranscriptListHandle }).growingList
    await expect(list.scrollToSeq(10)).toBe(true)
    await waitFor(() => expect(box.querySelector('[data-seq="9"]')).not.toBeNull())
    await expect(list.scrollToSeq(0)).toBe(false)
  },
}

/** Until when a page that was asked for does not come. */
let pagesMayCome = Promise.resolve()

/** Reads pages of a long transcript as the store does: the newest first, older ones when they are asked for. */
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

/** Rows in view, by the text that names them, with where each begins. */
function placesIn(box: HTMLElement): Map<string, number> {
  const { top, bottom } = box.getBoundingClientRect()
  const rows = within(box)
    .getAllByRole('article')
    .map((row) => ({ name: row.textContent, at: row.getBoundingClientRect() }))
    .filter(({ name, at }) => name.includes('Module') && at.bottom > top && at.top < bottom)
  return new Map(rows.map(({ name, at }) => [name, at.top]))
}

/** How far what was in view has moved down; null when none of it is in view any more. */
function movedBy(before: Map<string, number>, now: Map<string, number>): number | null {
  for (const [name, top] of before) {
    const at = now.get(name)
    if (at !== undefined) return at - top
  }
  return null
}

export const ScrolledUpThroughPages: Story = {
  render: () => <Paged />,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const box = await canvas.findByRole('region', { name: 'Conversation in pages' })
    const loadedFrom = () => Number(canvas.getByLabelText('Loaded from').textContent)
    await untilFilled(box)
    await waitFor(() => expect(distanceFromEnd(box)).toBeLessThan(tailPx))
    await frames(4)
    const notchPx = 400
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
    // At the very top of what is loaded: a page comes, and the row that was there still is.
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

/** By keys: rows that are left scroll out of the page, and the keys go on working. */
export const ReadByKeys: Story = {
  render: () => <Paged />,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const box = await canvas.findByRole('region', { name: 'Conversation in pages' })
    await waitFor(() => expect(distanceFromEnd(box)).toBeLessThan(tailPx))
    box.focus()
    // Through several pages: every turn is met, one after the other.
    const met = new Set<number>()
    while (!met.has(150)) {
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
    await expect(turns).toEqual(turns.map((_, index) => 150 + index))
    await expect(turns.length).toBeGreaterThan(40)
    // The row that has the focus scrolls out of the page, and the list has it then.
    box.scrollTop = box.scrollHeight
    await waitFor(() => expect(document.activeElement).toBe(box))
    await userEvent.keyboard('k')
    await waitFor(() => expect(document.activeElement?.tagName).toBe('ARTICLE'))
    await untilFilled(box)
    await waitFor(() => expect(distanceFromEnd(box)).toBeLessThan(tailPx))
  },
}

/** Held down on a busy machine, a key comes several times before anything is drawn: each press counts. */
export const KeysFasterThanFrames: Story = {
  args: { items: itemsOf(long(60)) },
  play: async ({ canvasElement }) => {
    const box = scrollerOf(canvasElement)
    const place = () => Number(document.activeElement?.getAttribute('aria-posinset'))
    const press = (key: string) => fireEvent.keyDown(document.activeElement as Element, { key })
    await untilFilled(box)
    await waitFor(() => expect(distanceFromEnd(box)).toBeLessThan(tailPx))
    box.focus()
    press('k')
    await waitFor(() => expect(place()).toBeGreaterThan(100))
    const first = place()
    // Farther than the rows that are made beyond the edge.
    for (let presses = 0; presses < 80; presses += 1) press('k')
    await waitFor(() => expect(place()).toBe(first - 80))
    press('j')
    press('j')
    await waitFor(() => expect(place()).toBe(first - 78))
  },
}
