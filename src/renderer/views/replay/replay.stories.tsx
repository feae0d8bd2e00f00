/** A replayed transcript: the timeline, and the state and files of a moment. */

import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, userEvent, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost } from '../../../../storybook/story-host.ts'
import { session } from '../../../../tests/fixtures/entries/builder.ts'
import { leadEnded } from '../../../../tests/fixtures/entries/conversations.ts'
import { ids, laterRecords } from '../../../../tests/fixtures/entries/tasks.ts'
import type { Entry, EntryBody } from '../../../shared/records/entries.ts'
import type { RunId } from '../../../shared/records/ids.ts'

type StoryState = 'ended' | 'eventful' | 'huge' | 'empty' | 'reading'

const meta: Meta<{ state: StoryState }> = {
  title: 'Screens/Replay',
  decorators: [inWindow],
  render: ({ state }) => (
    <AppStage
      fake={fakeWith(entriesOf[state](), state)}
      address={`#/t/${ids.lead}/transcript/${ids.lead}?replay`}
    />
  ),
}
export default meta
type Story = StoryObj<typeof meta>

const fakeWith = (entries: Entry[], state: StoryState) =>
  createStoryHost({
    ...(state === 'reading' && {
      before: (path) => (path === 'transcripts.timeline' ? new Promise(() => {}) : undefined),
    }),
    records: laterRecords,
    sessions: { [ids.lead]: { entries } },
    turnStates: { [ids.lead]: filesAfter(entries) },
  })

/** Each snapshot has one line more in one file, and a file more. */
function filesAfter(entries: Entry[]) {
  const snapshots = entries.filter((entry) => entry.type === 'workspace-snapshot')
  return snapshots.map(({ seq, turn }, index) => {
    const parts = Array.from({ length: index }, (_, part) => part + 1)
    return {
      seq,
      turn,
      notStored: [
        { path: 'dump.bin', why: 'file-bytes' as const, bytes: 40_000_000 },
        { path: 'vendor/\u202elib', why: 'repository' as const, bytes: null },
      ],
      files: {
        'README.md': '# Parser\n',
        'assets/\u202egnp.js': '',
        'assets/logo.bin': { content: { kind: 'binary' as const }, bytes: 48_200 },
        'src/index.ts': `${parts.map((part) => `export * from './part-${part}.ts'`).join('\n')}\n`,
        ...Object.fromEntries(
          parts.map((part) => [`src/part-${part}.ts`, `export const part = ${part}\n`]),
        ),
      },
    }
  })
}

const call = (name: string, input: unknown, outcome: 'ok' | 'error' = 'ok', ms = 4_000) => ({
  call: { name, input, outcome, ms, output: 'done' },
})
const of = (body: Record<string, unknown>) =>
  ({ runId: `${ids.lead}/1` as RunId, ...body }) as unknown as EntryBody

/** Every kind of mark. */
function eventful(): Entry[] {
  const plan = (done: number) =>
    of({
      type: 'plan',
      items: ['Read the parser', 'Cover it', 'Report'].map((text, index) => ({
        text,
        status: index < done ? 'completed' : index === done ? 'in-progress' : 'pending',
      })),
    })
  const builder = session(ids.lead)
    .runStart()
    .worktree('/data/worktrees/api-12345678/lead', 'shiplog/lead-1')
    .prompt('Cover the parser with tests.')
    .add(plan(0))
  const snapshot = (turn: number | null) =>
    of({
      type: 'workspace-snapshot',
      turn,
      head: null,
      branch: 'shiplog/lead-1',
      tree: 'a'.repeat(40),
      changed: turn === null ? [] : [`src/part-${turn}.ts`],
      changedMore: 1,
    })
  builder.add(snapshot(null))
  for (let turn = 1; turn <= 8; turn++) {
    builder.turn([
      { say: `Looking at part ${turn}.` },
      call('read_file', { path: `src/part-${turn}.ts` }, 'ok', 600),
      call('edit_file', { path: `src/part-${turn}.ts` }, 'ok', 1_500),
      call('bash', { command: 'npm test' }, turn % 3 === 0 ? 'error' : 'ok', 9_000),
    ])
    builder.add(snapshot(turn))
  }
  builder
    .add(plan(1))
    .add(
      of({
        type: 'permission',
        callId: null,
        question: 'npm publish',
        options: [],
        answer: { optionId: null, allowed: false, by: 'nobody' },
      }),
    )
    .add(
      of({
        type: 'retrying',
        turn: 9,
        cause: { kind: 'network', detail: 'no route' },
        untilMs: null,
      }),
    )
    .turn([call('task', { title: 'Cover the parser' }, 'ok', 20_000)])
    .runEnd('interrupted', { kind: 'crashed' })
    .wait(3 * 3_600_000)
    .runStart('resume')
    .add(
      of({ type: 'resume', drift: ['README.md was changed by you.', 'main has 2 more commits.'] }),
    )
    .branch('shiplog/lead-2')
    .add(of({ type: 'compaction', summary: 'So far …', keptFromSeq: null }))
    .turn([call('bash', { command: 'npm run build' }, 'ok', 180_000)])
    .add(plan(2))
    .turn([{ say: 'All of it is covered.' }])
  return builder.runEnd().entries
}

function huge(): Entry[] {
  const builder = session(ids.lead).runStart().prompt('Go through everything.')
  for (let turn = 1; turn <= 2_000; turn++)
    builder.turn([
      call(turn % 4 ? 'read_file' : 'edit_file', { path: `src/${turn}.ts` }, 'ok', 200),
    ])
  return builder.runEnd().entries
}

const entriesOf: Record<StoryState, () => Entry[]> = {
  ended: leadEnded,
  eventful,
  huge,
  empty: () => [],
  reading: eventful,
}

export const Ended: Story = {
  args: { state: 'ended' },
  play: async ({ canvasElement }) => {
    const page = within(canvasElement.ownerDocument.body)
    const slider = await page.findByRole('slider', { name: 'Moment' })
    const value = () => slider.getAttribute('aria-valuetext') ?? ''
    await waitFor(() => expect(slider).toHaveFocus())
    await waitFor(() => expect(value()).toMatch(/^Turn (\d+) of \1, \d\d:\d\d:\d\d$/))
    const transcript = page.getByRole('region', { name: /^Transcript of / })
    const rows = () => within(transcript).queryAllByRole('article').length
    await waitFor(() => expect(rows()).toBeGreaterThan(2))

    await userEvent.keyboard('{Home}')
    await waitFor(() => expect(value()).toMatch(/^Start, /))
    await waitFor(() => expect(rows()).toBe(1))
    await userEvent.keyboard('{Shift>}{ArrowRight}{ArrowRight}{/Shift}')
    await waitFor(() => expect(value()).toMatch(/^Turn 1 of /))
    await expect(page.getByRole('heading', { name: 'As of turn 1' })).toBeVisible()
    // A call whose result is later is running.
    await userEvent.keyboard('{ArrowRight}')
    await waitFor(() => expect(page.getByText('Doing')).toBeVisible())

    await userEvent.keyboard(' ')
    await waitFor(() => expect(page.getByRole('button', { name: 'Pause' })).toBeVisible())
    await userEvent.keyboard(' ')
    await waitFor(() => expect(page.getByRole('button', { name: 'Play' })).toBeVisible())
    await userEvent.keyboard('{End}')
    await waitFor(() => expect(value()).toMatch(/^Turn (\d+) of \1, /))
    await userEvent.keyboard('p')
    await waitFor(() => expect(page.queryByRole('slider')).toBeNull())
  },
}

export const Eventful: Story = {
  args: { state: 'eventful' },
  play: async ({ canvasElement }) => {
    const page = within(canvasElement.ownerDocument.body)
    await page.findByText('3 h idle')
    await expect(await page.findByText('main has 2 more commits.')).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Plan, 2 of 3 done' })).toBeVisible()
    await expect(await page.findByText('Cover it')).toBeVisible()
  },
}

export const Files: Story = {
  args: { state: 'eventful' },
  play: async ({ canvasElement }) => {
    const page = within(canvasElement.ownerDocument.body)
    const slider = await page.findByRole('slider', { name: 'Moment' })
    await waitFor(() => expect(slider.getAttribute('aria-valuetext')).toMatch(/^Turn 11 of 11/))
    await userEvent.click(page.getByRole('tab', { name: 'Files' }))
    await userEvent.click(await page.findByRole('button', { name: /modified\s*src\/index\.ts/ }))
    await page.findByRole('figure', { name: 'Changes of src/index.ts' })
    const left = within(page.getByRole('region', { name: 'Not recorded' }))
    await expect(left.getByText('new and larger than 32 MiB')).toBeVisible()
    await expect(left.getByText('vendor/<U+202E>lib')).toBeVisible()
    // Until now nothing more changed.
    await userEvent.click(page.getByRole('combobox', { name: 'Files to show' }))
    await userEvent.click(await page.findByRole('option', { name: 'Changed until now' }))
    await page.findByText(/^Nothing to compare with/)
    slider.focus()
    await userEvent.keyboard('{Home}{Shift>}{ArrowRight}{ArrowRight}{ArrowRight}{/Shift}')
    await waitFor(() => expect(slider.getAttribute('aria-valuetext')).toMatch(/^Turn 2 of 11/))
    await page.findByRole('button', { name: /added\s*src\/part-8\.ts/ })
    await userEvent.click(page.getByRole('combobox', { name: 'Files to show' }))
    await userEvent.click(await page.findByRole('option', { name: 'All files' }))
    await userEvent.click(await page.findByRole('button', { name: /^src/ }))
    await page.findByRole('button', { name: /^part-2\.ts/ })
    await expect(page.queryByRole('button', { name: /^part-3\.ts/ })).toBeNull()
    await userEvent.click(page.getByRole('button', { name: /^part-2\.ts/ }))
    await page.findByText(/export const part = 2/)
    // The file did not exist a turn before.
    slider.focus()
    await userEvent.keyboard('{Shift>}{ArrowLeft}{/Shift}')
    await page.findByText('This file did not exist at this moment.')
    await userEvent.click(page.getByRole('button', { name: 'Back to the files' }))
    await userEvent.click(await page.findByRole('button', { name: /^assets/ }))
    await page.findByRole('button', { name: /^<U\+202E>gnp\.js/ })
    await userEvent.click(await page.findByRole('button', { name: /^README\.md/ }))
    await page.findByText(/# Parser/)
  },
}

/** The cards are those of the moment, and nothing in them acts on the tasks as they are now. */
export const CardsOfTheMoment: Story = {
  tags: ['soak'],
  args: { state: 'ended' },
  play: async ({ canvasElement }) => {
    const page = within(canvasElement.ownerDocument.body)
    const slider = await page.findByRole('slider', { name: 'Moment' })
    await page.findAllByRole('article', { name: /^Task: / })
    await expect(page.queryByRole('button', { name: /^Apply changes of/ })).toBeNull()
    await expect(page.queryByRole('button', { name: /^More for/ })).toBeNull()
    slider.focus()
    await userEvent.keyboard('{Home}')
    const running = async () => {
      await userEvent.keyboard('{ArrowRight}')
      const [card] = page.queryAllByRole('article', { name: /^Task: / })
      expect(card).toHaveTextContent('Running')
    }
    await waitFor(running, { interval: 300 })
    await expect(page.queryByText('Changes applied')).toBeNull()
  },
}

export const EventfulDark: Story = { args: { state: 'eventful' }, globals: { theme: 'dark' } }

export const Huge: Story = {
  tags: ['soak'],
  args: { state: 'huge' },
  play: async ({ canvasElement }) => {
    const page = within(canvasElement.ownerDocument.body)
    const slider = await page.findByRole('slider', { name: 'Moment' })
    await waitFor(() => expect(slider.getAttribute('aria-valuetext')).toMatch(/^Turn 2000 of 2000/))
    await userEvent.keyboard('{PageDown}')
    await waitFor(() => expect(slider.getAttribute('aria-valuetext')).toMatch(/^Turn 1991 of 2000/))
  },
}

/** Nothing is stated of the moment until the timeline is read that far. */
export const Reading: Story = {
  args: { state: 'reading' },
  play: async ({ canvasElement }) => {
    const page = within(canvasElement.ownerDocument.body)
    const slider = await page.findByRole('slider', { name: 'Moment' })
    await expect(slider).toHaveAttribute('aria-valuetext', 'Reading…')
    await expect(page.getByRole('heading', { name: 'State and files' })).toBeVisible()
    await expect(page.queryByText('Not started')).toBeNull()
  },
}

export const Empty: Story = { args: { state: 'empty' } }
