import type { Meta, StoryObj } from '@storybook/react-vite'
import { type ReactNode, useMemo, useState } from 'react'
import { expect, fireEvent, fn, userEvent, waitFor, within } from 'storybook/test'
import { inWindow } from '../../../../../storybook/decorators.tsx'
import { lookupOf } from '../../../../../storybook/task-lookup.ts'
import {
  distanceFromEnd,
  frames,
  scrollerOf,
  tailPx,
  untilFilled,
} from '../../../../../storybook/transcript-scroller.ts'
import { session } from '../../../../../tests/fixtures/entries/builder.ts'
import {
  broken,
  hostile,
  leadEnded,
  leadLive,
  long,
  testsReport,
} from '../../../../../tests/fixtures/entries/conversations.ts'
import {
  ids,
  laterState,
  liveActivity,
  liveState,
} from '../../../../../tests/fixtures/entries/tasks.ts'
import { withPartial } from '../../../../shared/projections/transcript/live-items.ts'
import { foldEntries } from '../../../../shared/projections/transcript/transcript.ts'
import { emptyTranscript } from '../../../../shared/projections/transcript/transcript-fold.ts'
import type { TranscriptItem } from '../../../../shared/projections/transcript/transcript-items.ts'
import type { Entry } from '../../../../shared/records/entries.ts'
import { EmptyState } from '../../primitives/index.ts'
import { OpenLinkContext } from '../../text/index.ts'
import { TaskActionsContext, type TaskLookup, TaskLookupContext } from '../task-lookup.ts'
import { TranscriptList } from './transcript-list.tsx'

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
export const LiveDark: Story = {
  tags: ['soak'],
  ...Live,
  globals: { theme: 'dark' },
  play: undefined,
}

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
    // A command that failed is open by itself. Its row is above what is in view, so it is rendered a moment later.
    await waitFor(() => expect(canvas.getByText(/Unexpected block statement/)).toBeInTheDocument())
  },
}
/** What appears below the list, such as the changes of a finished agent, leaves its tail in view. */
export const KeepsItsTailWhenShortened: Story = {
  args: { items: itemsOf(leadEnded()) },
  render: (args) => {
    const [barPx, setBarPx] = useState(0)
    return (
      <div className="flex h-[400px] flex-col">
        <TranscriptList {...args} />
        <button
          type="button"
          style={{ height: barPx || undefined }}
          onClick={() => setBarPx((px) => px + 44)}
        >
          Taller
        </button>
      </div>
    )
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const box = scrollerOf(canvasElement)
    await canvas.findByText(/Unexpected block statement/)
    await frames(3)
    await waitFor(() => expect(distanceFromEnd(box)).toBeLessThan(tailPx))
    const heightPx = box.clientHeight
    for (const times of [1, 2]) {
      await userEvent.click(canvas.getByRole('button', { name: 'Taller' }))
      await waitFor(() => expect(box.clientHeight).toBeLessThan(heightPx - 15 * times))
      await waitFor(() => expect(distanceFromEnd(box)).toBeLessThan(tailPx))
    }
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

/** Lines that are gone: nothing of them is kept. */
export const MissingLines: Story = {
  args: {
    items: itemsOf(broken().entries),
    damage: [
      { file: 'chat.jsonl', line: 6, bytes: 0, reason: 'lines are missing before this one' },
    ],
    startAt: 'start',
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const text = await canvas.findByText(/Part of this transcript is missing/)
    const line = within(text.parentElement as HTMLElement)
    await userEvent.click(line.getByRole('button', { name: 'Details' }))
    await canvas.findByText('chat.jsonl:6: lines are missing before this one.')
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
    await expect(await canvas.findByRole('button', { name: 'Save to a file' })).toBeInTheDocument()
  },
}

/** A conflict is shown once, with the message that the agent received. */
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

/** 400 turns; only a few rows are in the document at any scroll position. */
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

/** Opens the list on a click, so that its first frames can be observed. */
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
    // The button appears after any scroll upwards, and disappears at the end.
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

/** Adds entries to a live conversation on a click; visible rows must stay in place. */
function Growing() {
  const all = useMemo(() => long(60), [])
  const [count, setCount] = useState(all.length - 40)
  const items: TranscriptItem[] = useMemo(() => itemsOf(all.slice(0, count)), [all, count])
  const [target, setTarget] = useState<{ seq: number; focus: boolean; pointOut: boolean }>()
  return (
    <>
      <button type="button" onClick={() => setTarget({ seq: 10, focus: true, pointOut: true })}>
        Go to entry 10
      </button>
      <button type="button" onClick={() => setCount(count + 4)}>
        Add a turn
      </button>
      <TranscriptList label="Conversation that grows" items={items} live target={target} />
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
    // Readers at the tail stay at the tail.
    await untilFilled(box)
    await waitFor(() => expect(distanceFromEnd(box)).toBeLessThan(tailPx))
    // A row that is opened at the tail stays under the pointer.
    const line = (await canvas.findAllByRole('button', { name: /Edited/ })).at(-1) as HTMLElement
    const lineTop = line.getBoundingClientRect().top
    await userEvent.click(line)
    await frames(5)
    await untilFilled(box)
    await expect(line.getBoundingClientRect().top).toBeCloseTo(lineTop, 0)
    await userEvent.click(line)
    await untilFilled(box)
    // Readers elsewhere are not moved.
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
    // A request for an entry shows its row, and gives it the focus.
    await userEvent.click(canvas.getByRole('button', { name: 'Go to entry 10' }))
    await waitFor(() => expect(document.activeElement).toHaveAttribute('data-seq', '9'))
    await expect(document.activeElement?.getBoundingClientRect().top).toBeCloseTo(
      box.getBoundingClientRect().top,
      0,
    )
  },
}

/** Lengthens the last message of a live conversation on a click. */
function Lengthening() {
  const before = useMemo(() => foldEntries(emptyTranscript(), long(20)), [])
  const [words, setWords] = useState(1)
  const text = 'One more word. '.repeat(words)
  const { partial } = leadLive()
  const items = withPartial(before, { ...partial, parts: [{ type: 'text', text }] }, true)
  return (
    <>
      <button type="button" onClick={() => setWords(words + 40)}>
        Say more
      </button>
      <TranscriptList label="Conversation that lengthens" items={items} live />
    </>
  )
}

/** A few pixels short of the end counts as at the tail, and growth then scrolls to the very end. */
export const TailToTheEnd: Story = {
  render: () => <Lengthening />,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const box = scrollerOf(canvasElement)
    await untilFilled(box)
    await waitFor(() => expect(distanceFromEnd(box)).toBeLessThan(tailPx))
    // Rows that are measured late bring the list to its very end once more.
    await waitFor(async () => {
      box.scrollTop = box.scrollHeight - box.clientHeight - 20
      await frames(5)
      expect(distanceFromEnd(box)).toBeCloseTo(20, 0)
    })
    const heightPx = box.scrollHeight
    await userEvent.click(canvas.getByRole('button', { name: 'Say more' }))
    await waitFor(() => expect(box.scrollHeight).toBeGreaterThan(heightPx))
    await waitFor(() => expect(distanceFromEnd(box)).toBeLessThan(tailPx))
  },
}

/** A question below a live conversation, which goes when it is answered, while the last message grows. */
function Answered() {
  const before = useMemo(() => foldEntries(emptyTranscript(), long(20)), [])
  const [words, setWords] = useState(1)
  const [asks, setAsks] = useState(false)
  const parts = [{ type: 'text' as const, text: 'One more word. '.repeat(words) }]
  const items = withPartial(before, { ...leadLive().partial, parts }, true)
  return (
    <div className="flex h-[500px] flex-col">
      <TranscriptList label="Conversation with a question" items={items} live />
      <div className="shrink-0" style={{ height: asks ? 250 : 24 }}>
        <button
          type="button"
          onClick={() => {
            setAsks(!asks)
            if (asks) setTimeout(() => setWords(words + 200), 50)
          }}
        >
          {asks ? 'Answer' : 'Ask'}
        </button>
      </div>
    </div>
  )
}

/** A list that becomes taller at its tail is scrolled by the browser, not by its reader, who still follows it. */
export const FollowsAfterAnAnswer: Story = {
  render: () => <Answered />,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const box = scrollerOf(canvasElement)
    await untilFilled(box)
    await waitFor(() => expect(distanceFromEnd(box)).toBeLessThan(tailPx))
    for (let times = 0; times < 3; times += 1) {
      const rowsPx = box.scrollHeight
      await userEvent.click(canvas.getByRole('button', { name: 'Ask' }))
      await waitFor(() => expect(box.clientHeight).toBeLessThan(300))
      await waitFor(() => expect(distanceFromEnd(box)).toBeLessThan(tailPx))
      await userEvent.click(canvas.getByRole('button', { name: 'Answer' }))
      await waitFor(() => expect(box.scrollHeight).toBeGreaterThan(rowsPx))
      await waitFor(() => expect(distanceFromEnd(box)).toBeLessThan(tailPx))
    }
  },
}

/** A key held down on a busy machine repeats several times before a frame is drawn: each press counts. */
export const KeysFasterThanFrames: Story = {
  tags: ['soak'],
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
