/** Finding text in a transcript: what the bar says, and where the marks are. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, userEvent, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost } from '../../../../storybook/story-host.ts'
import { session } from '../../../../tests/fixtures/entries/builder.ts'
import { testsEnded } from '../../../../tests/fixtures/entries/conversations.ts'
import { ids, laterRecords } from '../../../../tests/fixtures/entries/tasks.ts'
import type { Entry } from '../../../shared/records/entries.ts'

interface Args {
  entries?: Entry[]
  /** The search stops after this many entries, and never ends. */
  stopsAfter?: number
}

const meta: Meta<Args> = {
  title: 'Screens/Find in a transcript',
  decorators: [inWindow],
  render: ({ stopsAfter, entries = testsEnded() }) => (
    <AppStage
      fake={createStoryHost({
        records: laterRecords,
        sessions: { [ids.tests]: { entries } },
        ...(stopsAfter === undefined ? {} : { findStopsAfter: stopsAfter }),
      })}
      address={`#/archive/${ids.tests}/transcript`}
    />
  ),
}
export default meta
type Story = StoryObj<Args>

async function opened(canvasElement: HTMLElement) {
  const canvas = within(canvasElement)
  const list = await canvas.findByRole('region', { name: /^Transcript of / })
  await within(list).findAllByText(/existing cases/)
  await userEvent.keyboard('{Control>}f{/Control}')
  const field = await canvas.findByRole('searchbox', { name: 'Find' })
  await waitFor(() => expect(field).toHaveFocus())
  const bar = within(field.closest('search') as HTMLElement)
  return { canvas, list: within(list), field, bar, status: bar.getByRole('status') }
}

const marked = (name: 'find-match' | 'find-current') =>
  [...(CSS.highlights.get(name) ?? [])].map(String)

export const Many: Story = {
  tags: ['soak'],
  play: async ({ canvasElement }) => {
    const { canvas, list, field, bar, status } = await opened(canvasElement)
    await userEvent.keyboard('CASES')
    await waitFor(() => expect(status).toHaveTextContent(/^1 of \d+$/))
    await waitFor(() => expect(marked('find-current')).toEqual(['cases']))
    await expect(marked('find-match').length).toBeGreaterThan(1)
    await userEvent.keyboard('{Enter}')
    await waitFor(() => expect(status).toHaveTextContent(/^2 of/))
    await userEvent.keyboard('{Shift>}{Enter}{Enter}{/Shift}')
    await waitFor(() => expect(status).toHaveTextContent(/^(\d+) of \1$/))

    // In a call that is folded.
    await expect(list.queryByText('Created tests/records.test.ts')).toBeNull()
    await userEvent.clear(field)
    await userEvent.keyboard('created tests')
    await waitFor(() => expect(marked('find-current')).toEqual(['Created tests']))
    await waitFor(() => expect(list.getByText('Created tests/records.test.ts')).toBeVisible())
    await userEvent.click(bar.getByRole('button', { name: 'Match case' }))
    await waitFor(() => expect(status).toHaveTextContent('No matches'))
    await userEvent.click(bar.getByRole('button', { name: 'Match case' }))
    await waitFor(() => expect(marked('find-current')).toEqual(['Created tests']))

    await userEvent.click(field)
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(canvas.queryByRole('searchbox', { name: 'Find' })).toBeNull())
    await expect(document.activeElement).toHaveTextContent('Created tests/records.test.ts')
    await waitFor(() => expect(marked('find-match')).toEqual([]))
    await userEvent.keyboard('{F3}')
    await expect(await canvas.findByRole('searchbox', { name: 'Find' })).toHaveValue(
      'created tests',
    )
  },
}

export const None: Story = {
  tags: ['soak'],
  play: async ({ canvasElement }) => {
    const { status, bar } = await opened(canvasElement)
    await userEvent.keyboard('albatross')
    await waitFor(() => expect(status).toHaveTextContent('No matches'))
    await expect(bar.getByRole('button', { name: 'Next match' })).toBeDisabled()
  },
}

export const InvalidExpression: Story = {
  play: async ({ canvasElement }) => {
    const { field, bar, status } = await opened(canvasElement)
    const expression = bar.getByRole('button', { name: 'Regular expression' })
    await userEvent.click(expression)
    // One types on at once, and Enter goes to the next match.
    await expect(field).toHaveFocus()
    await userEvent.keyboard('(cases')
    await waitFor(() =>
      expect(bar.getByRole('alert')).toHaveTextContent(
        '(cases is not a regular expression: unterminated group.',
      ),
    )
    await expect(field).toBeInvalid()
    await userEvent.keyboard('|trailing)')
    await waitFor(() => expect(status).toHaveTextContent(/^1 of \d+$/))
    await waitFor(() => expect(marked('find-match')).toContain('trailing'))
    await userEvent.keyboard('{Enter}')
    await waitFor(() => expect(status).toHaveTextContent(/^2 of \d+$/))
    await expect(expression).toHaveAttribute('aria-pressed', 'true')
  },
}

/** A regular expression may match another text at each place. */
export const DifferentTexts: Story = {
  args: {
    entries: session(ids.tests)
      .runStart()
      .prompt('List the existing cases.')
      .turn([{ say: Array.from({ length: 60 }, (_, n) => `line ${4_900 + n}`).join('\n\n') }])
      .runEnd().entries,
  },
  play: async ({ canvasElement }) => {
    const { field, bar } = await opened(canvasElement)
    await userEvent.keyboard('{Alt>}r{/Alt}')
    await expect(bar.getByRole('button', { name: /^Regular expression/ })).toHaveAttribute(
      'aria-pressed',
      'true',
    )
    await expect(field).toHaveValue('')
    await userEvent.paste('49\\d\\d')
    await waitFor(() => expect(new Set(marked('find-match')).size).toBe(60))
  },
}

export const Counting: Story = {
  args: { stopsAfter: 3 },
  play: async ({ canvasElement }) => {
    const { bar, status } = await opened(canvasElement)
    await userEvent.keyboard('cases')
    await bar.findByText(/^\d+…$/)
    await expect(status).toBeEmptyDOMElement()
    await waitFor(() => expect(marked('find-current')).toEqual(['cases']))
  },
}

const withEdit = (): Entry[] => {
  const turns = session(ids.tests).prompt('Keep the existing cases.')
  for (let turn = 1; turn <= 40; turn += 1) turns.turn([{ say: `Step ${turn}: an existing case.` }])
  return turns
    .turn([
      {
        call: {
          name: 'edit_file',
          output: 'Edited src/birds.ts',
          ms: 12,
          input: { path: 'src/birds.ts', old_text: "'gull'", new_text: "'albatross'" },
          detail: {
            kind: 'edit',
            path: 'src/birds.ts',
            change: 'changed',
            additions: 1,
            deletions: 1,
            patch:
              "--- a/src/birds.ts\n+++ b/src/birds.ts\n@@ -1,2 +1,2 @@\n const birds = [\n-  'gull',\n+  'albatross',\n",
          },
        },
      },
    ])
    .turn([{ say: 'The existing cases pass.' }]).entries
}

/** In the diff of a folded edit, whose lines are in a shadow tree; the scroll bar shows where the matches are. */
export const InDiff: Story = {
  args: { entries: withEdit() },
  play: async ({ canvasElement }) => {
    const { status, field } = await opened(canvasElement)
    await userEvent.keyboard('albatross')
    await waitFor(() => expect(status).toHaveTextContent('1 of 1'))
    await waitFor(() => expect(marked('find-current')).toEqual(['albatross']))
    // Plain text is marked until the highlighted diff replaces it.
    await waitFor(() => {
      const [range] = CSS.highlights.get('find-current') ?? []
      expect(range?.startContainer.getRootNode()).toBeInstanceOf(ShadowRoot)
    })
    await userEvent.clear(field)
    await userEvent.keyboard('existing')
    await waitFor(() => expect(status).toHaveTextContent(/^\d+ of 42$/))
    const marks = canvasElement.querySelector('[data-find-marks]')
    await waitFor(() => expect(Number(marks?.getAttribute('data-find-marks'))).toBeGreaterThan(10))
  },
}

/** The edited text stands in three lines, twice in one of them, and in the path and the output: each match has its place in the diff. */
const withSeveral = (): Entry[] => {
  const turns = session(ids.tests).prompt('Keep the existing cases.')
  const was = "const a = 'gull'\nconst b = ['gull', 'gull']\nconst c = 1"
  const is = "const a = 'gull'\nconst b = ['gull', 'tern']\nconst c = 'gull'"
  return turns.turn([
    {
      call: {
        name: 'edit_file',
        output: 'Edited src/gulls.ts',
        ms: 12,
        input: { path: 'src/gulls.ts', old_text: was, new_text: is },
        detail: {
          kind: 'edit',
          path: 'src/gulls.ts',
          change: 'changed',
          additions: 2,
          deletions: 2,
          patch:
            "--- a/src/gulls.ts\n+++ b/src/gulls.ts\n@@ -1,3 +1,3 @@\n const a = 'gull'\n-const b = ['gull', 'gull']\n-const c = 1\n+const b = ['gull', 'tern']\n+const c = 'gull'\n",
        },
      },
    },
  ]).entries
}
export const SeveralInDiff: Story = {
  tags: ['soak'],
  args: { entries: withSeveral() },
  play: async ({ canvasElement }) => {
    const { status } = await opened(canvasElement)
    await userEvent.keyboard('gull')
    await waitFor(() => expect(status).toHaveTextContent('1 of 8'))
    const current = () => [...(CSS.highlights.get('find-current') ?? [])][0]
    const lineOf = () => current()?.startContainer.parentElement?.closest('[data-line]')
    const at = async (step: number, type: string, line: string) => {
      await userEvent.keyboard('{Enter}')
      await waitFor(() => expect(status).toHaveTextContent(`${step} of 8`))
      await waitFor(() =>
        expect([step, lineOf()?.getAttribute('data-line-type'), lineOf()?.textContent]).toEqual([
          ...[step, type, expect.stringContaining(line)],
        ]),
      )
    }
    await at(2, 'context', "a = 'gull'")
    await at(3, 'change-deletion', "b = ['gull', 'gull']")
    await at(4, 'change-deletion', "b = ['gull', 'gull']")
    await at(5, 'context', "a = 'gull'")
    await at(6, 'change-addition', "b = ['gull', 'tern']")
    await at(7, 'change-addition', "c = 'gull'")
  },
}
export const InDiffDark: Story = { tags: ['soak'], ...InDiff, globals: { theme: 'dark' } }

const withWholeOutput = (): Entry[] =>
  session(ids.tests)
    .prompt('Keep the existing cases.')
    .turn([
      {
        call: {
          name: 'bash',
          input: { command: 'npm test' },
          ms: 800,
          output: 'line 1\nline 2\n[… left out …]\nline 4000\n',
          detail: {
            kind: 'bash',
            exitCode: 0,
            timedOut: false,
            omittedBytes: 38_000,
            whole: { sha256: 'a'.repeat(64), bytes: 38_893, leftOutBytes: 0 },
          },
        },
      },
    ]).entries

/** What the agent did not get of an output is found as well: the part with the match opens. */
export const InWholeOutput: Story = {
  args: { entries: withWholeOutput() },
  play: async ({ canvasElement }) => {
    const { list, field, status } = await opened(canvasElement)
    await userEvent.keyboard('line 2900')
    await waitFor(() => expect(status).toHaveTextContent('1 of 1'))
    await waitFor(() => expect(marked('find-current')).toEqual(['line 2900']))
    await list.findByText(/ of 38\.9 kB$/)
    await userEvent.clear(field)
    await userEvent.keyboard('line 399')
    await waitFor(() => expect(status).toHaveTextContent('1 of 11'))
    await waitFor(() => expect(marked('find-current')).toEqual(['line 399']))
    const current = () => [...(CSS.highlights.get('find-current') ?? [])][0]
    const isAt = (line: RegExp) =>
      waitFor(() =>
        expect(current()?.startContainer.textContent?.slice(current()?.startOffset)).toMatch(line),
      )
    await userEvent.keyboard('{Enter}')
    await isAt(/^line 3990/)
    // In the part that is shown already.
    await userEvent.keyboard('{Enter}')
    await isAt(/^line 3991/)
    await userEvent.keyboard('{Enter}{Enter}')
    await isAt(/^line 3993/)
    await expect(status).toHaveTextContent('5 of 11')
  },
}
