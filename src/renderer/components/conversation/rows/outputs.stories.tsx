/** Outputs of calls: in terminal colours, highlighted, expanded in steps. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { useState } from 'react'
import { expect, spyOn, userEvent, waitFor, within } from 'storybook/test'
import { inWindow } from '../../../../../storybook/decorators.tsx'
import { session } from '../../../../../tests/fixtures/entries/builder.ts'
import { ids } from '../../../../../tests/fixtures/entries/tasks.ts'
import { foldEntries } from '../../../../shared/projections/transcript/transcript.ts'
import { emptyTranscript } from '../../../../shared/projections/transcript/transcript-fold.ts'
import { type DiffLayout, DiffLayoutContext } from '../../diff/diff-layout.ts'
import { TranscriptList } from '../list/transcript-list.tsx'

const meta: Meta<typeof TranscriptList> = {
  title: 'Conversation/Outputs',
  component: TranscriptList,
  decorators: [inWindow],
  args: { label: 'Conversation of Fix the parser', items: [], startAt: 'start' },
}
export default meta
type Story = StoryObj<typeof TranscriptList>

type Call = Extract<Parameters<ReturnType<typeof session>['turn']>[0][number], { call: unknown }>
const callsOf = (...calls: Call['call'][]) =>
  foldEntries(emptyTranscript(), session(ids.lead).turn(calls.map((call) => ({ call }))).entries)
    .items

const e = '\u001B['
const tests = [
  `${e}1m${e}46m RUN ${e}49m${e}22m ${e}36mv5.1.0${e}39m ${e}90m/home/robin/api${e}39m`,
  '',
  `collecting 10%\rcollecting 100%\r${e}2K ${e}32m✓${e}39m tests/parser.test.ts ${e}2m(12 tests)${e}22m ${e}32m 31${e}2mms${e}22m${e}39m`,
  ` ${e}31m❯${e}39m tests/format.test.ts ${e}2m(3 tests | ${e}31m1 failed${e}39m)${e}22m`,
  `   ${e}31m×${e}39m rounds to cents`,
  `${e}41m${e}1m FAIL ${e}22m${e}49m tests/format.test.ts > ${e}4mrounds to cents${e}24m`,
  `${e}31m${e}1mAssertionError${e}22m: expected ${e}32m'12.3'${e}31m to be ${e}33m'12.30'${e}39m`,
  `${e}7m reversed ${e}27m ${e}3mitalic${e}23m ${e}9mgone${e}29m ${e}8mnot hidden${e}28m`,
  `${e}38;5;208mof 256 ${e}38;2;90;120;255mof 16 million${e}39m ${e}48;5;22mon a dark one${e}49m`,
  ...['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'].map(
    (name, at) =>
      `${e}3${at}m${name}${e}39m ${e}9${at}mbright ${name}${e}39m ${e}4${at}m on ${name} ${e}49m`,
  ),
  `a title ${e.slice(0, 1)}]0;x\u0007 and a reversed \u202Egnp.exe`,
].join('\n')

/** Colours, styles and progress as in a terminal; characters that a terminal hides are shown. */
export const Colours: Story = {
  args: {
    items: callsOf({
      name: 'bash',
      input: { command: 'npm test' },
      output: tests,
      detail: { kind: 'bash', exitCode: 1, timedOut: false, omittedBytes: 0 },
    }),
  },
  play: async ({ canvas }) => {
    await userEvent.click(await canvas.findByRole('button', { name: /npm test/ }))
    const output = await canvas.findByRole('figure', { name: 'Output' })
    const failed = within(output).getByText('1 failed')
    await expect(failed).toHaveClass('ansi')
    await expect(output).toHaveTextContent('gone not hidden')
    await expect(output).toHaveTextContent('✓ tests/parser.test.ts (12 tests) 31ms')
    await expect(output).not.toHaveTextContent('collecting')
    await expect(output).toHaveTextContent('␛]0;x␇ and a reversed <U+202E>gnp.exe')
    // What is copied from it is what it shows.
    const copied = spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
    await userEvent.click(canvas.getByRole('button', { name: 'Copy output' }))
    const [text = ''] = copied.mock.lastCall ?? []
    await expect(text).toContain('✓ tests/parser.test.ts (12 tests)  31ms\n')
    await expect(text).not.toContain('collecting')
    await expect(text).not.toContain('\u001B')
    copied.mockRestore()
  },
}
export const ColoursDark: Story = { ...Colours, tags: ['soak'], globals: { theme: 'dark' } }

/** A long output shows its two ends with the colours in force there, and grows with the list. */
export const Long: Story = {
  args: {
    items: callsOf({
      name: 'bash',
      input: { command: 'npm run build' },
      output: `${Array.from({ length: 3_000 }, (_, line) => `${line === 1_500 ? `${e}31m` : ''}compiled module ${line + 1}`).join('\n')}\n2 errors${e}0m`,
      detail: { kind: 'bash', exitCode: 2, timedOut: false, omittedBytes: 0 },
    }),
  },
  play: async ({ canvas }) => {
    await userEvent.click(await canvas.findByRole('button', { name: /npm run build/ }))
    const output = await canvas.findByRole('figure', { name: 'Output' })
    await expect(output).toHaveTextContent('compiled module 16 2,977 lines hidden')
    await expect(within(output).getByText(/2 errors/)).toHaveClass('ansi')
    await userEvent.click(within(output).getByRole('button', { name: 'Show 384 lines more' }))
    await expect(output).toHaveFocus()
    await expect(output).toHaveTextContent('compiled module 400 2,593 lines hidden')
    await expect(output.scrollHeight).toBe(output.clientHeight)
  },
}
export const LongDark: Story = { ...Long, globals: { theme: 'dark' } }

const code = `import { parse } from './parser.ts'

/** Formats an amount in cents. */
export function format(cents: number): string {
  return \`\${(cents / 100).toFixed(2)} EUR\`
}
`
/** The content of a file is highlighted by its extension, off the main thread. */
export const Code: Story = {
  args: {
    items: callsOf(
      { name: 'write_file', input: { path: 'src/format.ts', content: code }, output: 'Written.' },
      {
        name: 'bash',
        output: 'done',
        input: { command: 'for file in src/*.ts; do\n  echo "checking $file"\ndone' },
      },
      { name: 'bash', input: { command: 'true' }, output: '' },
    ),
  },
  play: async ({ canvas }) => {
    await userEvent.click(await canvas.findByRole('button', { name: /format\.ts/ }))
    await userEvent.click(await canvas.findByRole('button', { name: /^Ran for file/ }))
    const content = await canvas.findByRole('figure', { name: 'Content' })
    const keyword = await within(content).findByText('export')
    await expect(keyword.style.color).toBe('var(--code-token-keyword)')
  },
}
export const CodeDark: Story = { ...Code, globals: { theme: 'dark' } }

const issue = {
  id: 4711,
  title: 'Totals are rounded wrong',
  labels: ['bug', 'money'],
  author: { login: 'robin', admin: false, team: null },
  body: 'Amounts such as 12.3 lose their last digit.\nSee also #12.',
  comments: Array.from({ length: 120 }, (_, at) => ({ id: at, text: `Comment ${at}` })),
  odd: { 'a\u202Eb': 'exe.gnp\u202E' },
}
/** Inputs and results of other programs' tools, and entries of unknown types, are shown as trees. */
export const Json: Story = {
  args: {
    items: foldEntries(
      emptyTranscript(),
      session(ids.lead)
        .turn([
          {
            call: {
              name: 'mcp__tracker__get_issue',
              input: { repository: 'robin/api', number: 4711, include: ['comments'] },
              output: JSON.stringify(issue),
            },
          },
        ])
        .add({ type: 'foreign', source: 'claude-code', content: { type: 'queue', n: [1, 2] } })
        .unknown('hologram', { depth: 3 }).entries,
    ).items,
  },
  play: async ({ canvas }) => {
    await userEvent.click(await canvas.findByRole('button', { name: /get_issue/ }))
    const output = await canvas.findByRole('tree', { name: 'Output' })
    await expect(output).toHaveTextContent(/title:"Totals are rounded wrong"/)
    const comments = within(output).getByText(/^comments:/)
    await expect(output).not.toHaveTextContent('0 to 99')
    await userEvent.click(comments)
    await expect(output).toHaveTextContent('0 to 99')
    await userEvent.keyboard('{ArrowDown}{Enter}')
    await expect(output).toHaveTextContent('Comment 7')
    await userEvent.keyboard('{Enter}')
    await expect(output).not.toHaveTextContent('Comment 7')
    await userEvent.click(canvas.getByRole('button', { name: 'Output as text' }))
    await expect(canvas.getByRole('figure', { name: 'Output' })).toHaveTextContent(/"id": 4711/)
    await userEvent.click(canvas.getByRole('button', { name: 'Output as a tree' }))
    await userEvent.click(canvas.getByRole('button', { name: /^Entry of claude-code/ }))
    await userEvent.click(canvas.getByRole('button', { name: /^Entry of unknown type/ }))
    await expect(canvas.getAllByRole('tree', { name: 'Entry' })).toHaveLength(2)
  },
}
export const JsonDark: Story = { tags: ['soak'], ...Json, globals: { theme: 'dark' } }

const edit = (lines: number) =>
  `--- a/src/format.ts\n+++ b/src/format.ts\n@@ -1,${lines} +1,${lines} @@\n${Array.from({ length: lines }, (_, at) => `-const before${at} = format(${at})\n+const after${at} = format(${at}, 'EUR')`).join('\n')}\n`
const edited = (patch: string, lines: number): Call['call'] => ({
  name: 'edit_file',
  input: { path: 'src/format.ts', oldText: 'a', newText: 'b' },
  output: 'Edited.',
  detail: {
    kind: 'edit',
    path: 'src/format.ts',
    change: 'changed',
    additions: lines,
    deletions: lines,
    patch,
  },
})
/** A diff unified or side by side; a long one has a box until it is opened. */
export const Diffs: Story = {
  args: { items: callsOf(edited(edit(4), 4), edited(edit(300), 300)) },
  decorators: [
    (Story) => {
      const [layout, onChange] = useState<DiffLayout['layout']>('unified')
      return (
        <DiffLayoutContext value={{ layout, onChange }}>
          <Story />
        </DiffLayoutContext>
      )
    },
  ],
  play: async ({ canvas }) => {
    const calls = await canvas.findAllByRole('button', { name: /Edited src\/format\.ts/ })
    for (const call of calls) await userEvent.click(call)
    const [short] = await canvas.findAllByRole('button', { name: 'Side by side' })
    await userEvent.click(short as HTMLElement)
    const [first, second] = await canvas.findAllByRole('figure', { name: /^Changes of/ })
    await waitFor(() => expect(first?.querySelector('diffs-container')).not.toBeNull())
    await expect(first).not.toHaveClass('max-h-[480px]')
    await expect(second).toHaveClass('max-h-[480px]')
    await userEvent.click(canvas.getByRole('button', { name: 'Show all 604 lines' }))
    await expect(second).not.toHaveClass('max-h-[480px]')
  },
}
export const DiffsDark: Story = { tags: ['soak'], ...Diffs, globals: { theme: 'dark' } }
