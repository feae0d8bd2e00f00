import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, fn, userEvent, within } from 'storybook/test'
import { projectId, taskId } from '../../../../tests/fixtures/entries/ids.ts'
import { SearchHits, type ShownHit, withoutRepeated } from './search-hits.tsx'

const hit = (fields: Partial<ShownHit>): ShownHit => ({
  taskId: taskId('lead'),
  rootId: taskId('lead'),
  projectId: projectId('api'),
  title: 'Make the parser robust',
  agent: 'lead',
  project: 'api',
  status: 'completed',
  rootTitle: null,
  kind: 'message',
  seq: 12,
  at: Date.UTC(2026, 10, 21, 9),
  archived: false,
  tool: null,
  snippet: 'I cover the parser with tests first.',
  marks: [[12, 18]],
  ...fields,
})

const meta = {
  component: SearchHits,
  args: {
    chosen: 1,
    onOpen: fn(),
    hits: [
      hit({ kind: 'report', snippet: 'The parser reads all eight lines.', marks: [[4, 10]] }),
      hit({}),
      hit({
        taskId: taskId('tester'),
        title: 'Cover the parser',
        agent: 'tester',
        rootTitle: 'Make the parser robust',
        archived: true,
        status: 'failed',
        kind: 'output',
        tool: 'bash',
        seq: 7,
        snippet: 'FAIL src/parser.test.js: expected 8, got 6',
        marks: [[9, 15]],
      }),
    ],
  },
} satisfies Meta<typeof SearchHits>
export default meta
type Story = StoryObj<typeof meta>

export const Some: Story = {
  play: async ({ canvasElement, args }) => {
    const canvas = within(canvasElement)
    await expect(canvas.getByText('In the tree of Make the parser robust')).toBeVisible()
    await userEvent.click(canvas.getByRole('button', { name: /^Command: output/ }))
    await expect(args.onOpen).toHaveBeenCalledWith(args.hits[2], 2)
  },
}

/** The summary of a run repeats its report. */
export const WithoutRepeated: Story = {
  render: (args) => <SearchHits {...args} hits={withoutRepeated(args.hits)} />,
  args: {
    chosen: -1,
    hits: [
      hit({ kind: 'report', snippet: 'Parser done The parser reads all lines. And…' }),
      hit({ kind: 'summary', snippet: 'Parser done The parser reads all lines.' }),
      hit({ kind: 'summary', snippet: 'Earlier: the parser was slow.' }),
      hit({ taskId: taskId('tester'), title: 'Cover it', kind: 'summary', snippet: 'Parser' }),
    ],
  },
  play: async ({ canvas }) => {
    await expect(canvas.getAllByText('Summary')).toHaveLength(2)
  },
}

/** Text of a hit is inert: it hides nothing and does not reorder the text beside it. */
export const Hostile: Story = {
  args: {
    chosen: -1,
    hits: [
      hit({
        title: `\u202Eesrever <img src=x onerror=alert(1)> ${'w'.repeat(300)}`,
        snippet: `\u001B[31mred\u001B[0m \u202E evil <script>alert(1)</script> ${'x'.repeat(200)}`,
        marks: [[0, 9]],
        tool: `t${'o'.repeat(80)}`,
        kind: 'call',
        project: 'a'.repeat(90),
      }),
    ],
  },
  play: async ({ canvasElement }) => {
    await expect(canvasElement.querySelector('script, img')).toBeNull()
    await expect(canvasElement).toHaveTextContent('<script>alert(1)</script>')
  },
}
