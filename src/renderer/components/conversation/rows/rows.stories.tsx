/** Rows of a transcript: many tasks in one table, and the actions of a focused row. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, fn, userEvent, waitFor, within } from 'storybook/test'
import { inWindow } from '../../../../../storybook/decorators.tsx'
import { lookupOf } from '../../../../../storybook/task-lookup.ts'
import { session } from '../../../../../tests/fixtures/entries/builder.ts'
import { leadEnded } from '../../../../../tests/fixtures/entries/conversations.ts'
import { callId, taskId } from '../../../../../tests/fixtures/entries/ids.ts'
import { ids, laterState } from '../../../../../tests/fixtures/entries/tasks.ts'
import { withPartial, withProgress } from '../../../../shared/projections/transcript/live-items.ts'
import { foldEntries } from '../../../../shared/projections/transcript/transcript.ts'
import { emptyTranscript } from '../../../../shared/projections/transcript/transcript-fold.ts'
import type { Entry } from '../../../../shared/records/entries.ts'
import type { MessageEntry } from '../../../../shared/records/entry-types/messages.ts'
import { runIdOf } from '../../../../shared/records/ids.ts'
import { TranscriptList } from '../list/transcript-list.tsx'
import { TaskActionsContext, TaskLookupContext } from '../task-lookup.ts'

const itemsOf = (entries: Entry[]) => foldEntries(emptyTranscript(), entries).items
/** One colour, in base64. */
const drawn = (width: number, height: number, colour: string): string => {
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  const context = canvas.getContext('2d')
  if (context) Object.assign(context, { fillStyle: colour }).fillRect(0, 0, width, height)
  return canvas.toDataURL('image/png').split(',')[1] ?? ''
}
const imageOf = (digit: string) => ({
  type: 'image' as const,
  mediaType: 'image/png',
  sha256: digit.repeat(64),
  bytes: 23_456,
})
const actions = {
  readImage: async (sha256: string) => {
    if (sha256.startsWith('c')) throw new Error('This image is not kept any more.')
    const [width, height] = sha256.startsWith('a') ? [1200, 300] : [120, 400]
    return { mediaType: 'image/png', data: drawn(width as number, height as number, '#7a9cc6') }
  },
  onViewTranscript: fn(),
  onResume: fn(),
  linkToEntry: (seq: number) => `shiplog://t/${ids.lead}?seq=${seq}`,
  readEntry: async (seq: number) => {
    const text = JSON.stringify({ v: 1, seq, type: 'tool-call', input: { path: 'src/parser.ts' } })
    return { text, total: text.length, nextOffset: null }
  },
  readOutput: async (_: string, offset: number) => ({
    text: Array.from({ length: 400 }, (_, line) => `line ${offset + line + 1}`).join('\n'),
    nextOffset: offset === 0 ? 262_144 : null,
  }),
}

const meta: Meta<typeof TranscriptList> = {
  title: 'Conversation/Rows',
  component: TranscriptList,
  decorators: [
    (Story) => (
      <TaskActionsContext value={actions}>
        <TaskLookupContext value={lookupOf(laterState)}>
          <Story />
        </TaskLookupContext>
      </TaskActionsContext>
    ),
    inWindow,
  ],
  args: { label: 'Conversation of Fix the parser', items: [] },
}
export default meta
type Story = StoryObj<typeof TranscriptList>

const manyStarted = itemsOf(
  session(ids.lead).turn(
    Array.from({ length: 8 }, (_, index) => ({
      call: {
        name: 'task',
        input: { agent: 'worker', title: `Part ${index + 1}` },
        detail: {
          kind: 'tasks' as const,
          tasks: [
            {
              taskId: taskId(`part ${index}`),
              title: `Part ${index + 1}`,
              agent: 'worker',
              status: index === 3 ? ('failed' as const) : ('completed' as const),
              cause: index === 3 ? { kind: 'said' as const, text: 'No such file' } : null,
              report:
                index === 3
                  ? null
                  : { run: 1, title: `Part ${index + 1} is done`, markdown: 'Yes.' },
            },
          ],
        },
      },
    })),
  ).entries,
)

/** Many sub-agents of one turn are a table; a row opens to the card. */
export const ManyTasks: Story = {
  tags: ['soak'],
  args: { items: manyStarted, startAt: 'start' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await expect(await canvas.findByRole('region', { name: 'Started 8 tasks' })).toBeVisible()
    await expect(canvas.queryByRole('button', { name: 'Show the whole report' })).toBeNull()
    await userEvent.click(canvas.getByRole('button', { name: 'View transcript of Part 4' }))
    await expect(actions.onViewTranscript).toHaveBeenLastCalledWith(taskId('part 3'))
    await userEvent.click(canvas.getByRole('button', { name: /^Completed Part 1 / }))
    await expect(canvas.getByRole('heading', { name: 'Part 1 is done' })).toBeVisible()
  },
}
export const ManyTasksDark: Story = { ...ManyTasks, globals: { theme: 'dark' }, play: undefined }

/** A prompt of an imported log: its direction marks have no effect, and invisible characters are shown (V4). */
export const HiddenCharacters: Story = {
  args: {
    startAt: 'start',
    items: itemsOf(
      session(ids.lead)
        .prompt('Open \u202egnp.exe\u0007\r\nnow')
        .turn([{ say: 'I\u202e do.' }]).entries,
    ),
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByText(/^Open <U\+202E>gnp\.exe␇\s+now$/)
    await canvas.findByText('I<U+202E> do.')
    await expect(canvasElement.textContent).not.toMatch(/[\u0007\u202e␍]/)
  },
}

/** A plan with its items, and the place from which the agent continues with a summary. */
export const PlanAndCompaction: Story = {
  args: {
    startAt: 'start',
    items: itemsOf(
      session(ids.lead)
        .prompt('Fix the parser')
        .add({
          type: 'plan',
          runId: runIdOf(ids.lead, 1),
          items: [
            { text: 'Read the grammar', status: 'completed' },
            { text: 'Cover the tokenizer with tests, the escapes first', status: 'in-progress' },
            { text: 'Fix what they find', status: 'pending' },
          ],
        })
        .turn([{ say: 'The grammar is read.' }])
        .add({
          type: 'compaction',
          runId: runIdOf(ids.lead, 1),
          summary: 'The grammar is **read**.',
          keptFromSeq: 3,
        })
        .turn([{ say: 'Next are the tests.' }]).entries,
    ),
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await userEvent.click(await canvas.findByRole('button', { name: /^Plan: 1 of 3 done · / }))
    await expect(canvas.getByRole('img', { name: 'In progress' })).toBeVisible()
    await userEvent.click(canvas.getByRole('button', { name: /^Context compacted: / }))
    await expect(canvas.getByText('read')).toBeVisible()
  },
}
export const PlanAndCompactionDark: Story = { ...PlanAndCompaction, globals: { theme: 'dark' } }

/** Images of a prompt, one of them gone: small, and at full size when opened. */
export const Images: Story = {
  args: {
    startAt: 'start',
    items: itemsOf(
      session(ids.lead)
        .add({
          ...(session(ids.lead).prompt('Why is the bar so wide?').entries[0] as MessageEntry),
          parts: [
            imageOf('a'),
            imageOf('b'),
            imageOf('c'),
            { type: 'text', text: 'Why is the bar so wide?' },
          ],
        })
        .turn([{ say: 'It has no maximum width.' }]).entries,
    ),
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const wide = await canvas.findByRole('button', { name: 'Image 1 of 3, PNG, 23.5 kB' })
    await expect(wide).toHaveAttribute('aria-expanded', 'false')
    wide.focus()
    await userEvent.keyboard('{Enter}')
    await expect(wide).toHaveAttribute('aria-expanded', 'true')
    await expect(await canvas.findByText('Image 3 of 3, PNG, 23.5 kB')).toBeVisible()
  },
}
export const ImagesDark: Story = { ...Images, globals: { theme: 'dark' } }

/** A focused row shows its time and its copy buttons, and `t` and `r` act on its task. */
export const RowUnderTheKeys: Story = {
  args: { items: itemsOf(leadEnded()), startAt: 'start' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const card = await canvas.findByRole('article', { name: 'Task: Add parser tests' })
    const row = card.closest<HTMLElement>('[data-index]')
    row?.focus()
    await userEvent.keyboard('t')
    await expect(actions.onViewTranscript).toHaveBeenLastCalledWith(ids.tests)
    const prompt = canvas.getByRole('article', { name: /^Prompt: / })
    await expect(within(prompt).queryByRole('button', { name: 'Copy' })).not.toBeInTheDocument()
    prompt.focus()
    await expect(await within(prompt).findByRole('button', { name: 'Copy' })).toBeInTheDocument()
  },
}

/** The menu of a row opens by key and shows its entries as they were recorded. */
export const RowMenu: Story = {
  args: { items: itemsOf(leadEnded()), startAt: 'start' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const page = within(canvasElement.ownerDocument.body)
    const call = await canvas.findByRole('article', { name: /^Edited / })
    call.focus()
    await userEvent.keyboard('m')
    await expect(
      await page.findByRole('menuitem', { name: /^Copy turn \d+ as Markdown/ }),
    ).toBeVisible()
    await userEvent.click(page.getByRole('menuitem', { name: 'Show JSON' }))
    const json = await within(call).findByRole('region', { name: 'JSON of the entries' })
    await expect(await within(json).findAllByRole('tree')).toHaveLength(2)
    await waitFor(() =>
      expect(within(call).getByRole('button', { name: 'Entry actions' })).toHaveFocus(),
    )
  },
}
export const RowMenuDark: Story = { tags: ['soak'], ...RowMenu, globals: { theme: 'dark' } }

const atWork = session(ids.lead)
const testRun = callId('test-run')
const atWorkMessage = atWork.liveTurn([
  { say: 'Running the tests.' },
  { call: { id: 'test-run', name: 'bash', input: { command: 'npm test' }, outcome: 'running' } },
])

/** A long command shows its output while it runs. */
export const RunningCommand: Story = {
  args: {
    live: true,
    items: withProgress(
      withPartial(foldEntries(emptyTranscript(), atWork.entries), atWorkMessage, true),
      new Map([
        [
          testRun,
          {
            callId: testRun,
            output: Array.from({ length: 60 }, (_, n) => `✓ parses case ${n + 1}\n`).join(''),
          },
        ],
      ]),
    ),
  },
  play: async ({ canvas }) => {
    await userEvent.click(await canvas.findByRole('button', { name: /npm test/ }))
    const output = await canvas.findByRole('figure', { name: 'Output so far' })
    await expect(output).toHaveTextContent('✓ parses case 60')
    await waitFor(() =>
      expect(output.scrollHeight - output.scrollTop - output.clientHeight).toBeLessThan(8),
    )
  },
}

/** A command with more output than its result: the whole output opens in parts. */
export const WholeOutput: Story = {
  args: {
    items: itemsOf(
      session(ids.lead).turn([
        {
          call: {
            name: 'bash',
            input: { command: 'npm test' },
            output: 'first line\n[4970000 bytes left out]\nlast line',
            detail: {
              kind: 'bash',
              exitCode: 0,
              timedOut: false,
              omittedBytes: 4_970_000,
              whole: { sha256: 'f'.repeat(64), bytes: 5_000_000, leftOutBytes: 12 },
            },
          },
        },
      ]).entries,
    ),
  },
  play: async ({ canvas }) => {
    await userEvent.click(await canvas.findByRole('button', { name: /npm test/ }))
    await userEvent.click(await canvas.findByRole('button', { name: /Open whole output \(5/ }))
    const whole = await canvas.findByRole('figure', { name: 'Whole output' })
    await expect(whole).not.toHaveTextContent('line 200')
    await userEvent.click(within(whole).getByRole('button', { name: 'Show all' }))
    await expect(whole).toHaveTextContent('line 200')
    await userEvent.click(canvas.getByRole('button', { name: 'Show less' }))
    await expect(whole).toHaveFocus()
    await expect(whole).not.toHaveTextContent('line 200')
    await userEvent.click(await canvas.findByRole('button', { name: 'Next part' }))
    await expect(await canvas.findByText(/12 B(ytes)? more were printed/)).toBeVisible()
    await userEvent.click(canvas.getByRole('button', { name: 'Previous part' }))
    await expect(await canvas.findByText(/^line 1\s/)).toBeVisible()
  },
}
