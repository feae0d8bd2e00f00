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
  /** Entries that are searched before the search goes on forever. */
  stopsAfter?: number
}

const meta: Meta<Args> = {
  title: 'Screens/Find in a transcript',
  decorators: [inWindow],
  render: ({ stopsAfter, entries = testsEnded() }, { globals }) => (
    <AppStage
      fake={createStoryHost({
        records: laterRecords,
        sessions: { [ids.tests]: { entries } },
        ...(stopsAfter === undefined ? {} : { findStopsAfter: stopsAfter }),
      })}
      address={`#/archive/${ids.tests}/transcript`}
      theme={globals.theme === 'dark' ? 'dark' : 'light'}
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
    await userEvent.click(bar.getByRole('button', { name: 'Regular expression' }))
    await userEvent.click(field)
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
          ...{ name: 'edit_file', output: 'Edited src/birds.ts', ms: 12 },
          input: { path: 'src/birds.ts', old_text: "'gull'", new_text: "'albatross'" },
          detail: {
            ...{
              kind: 'edit',
              path: 'src/birds.ts',
              change: 'changed',
              additions: 1,
              deletions: 1,
            },
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
    const [range] = CSS.highlights.get('find-current') ?? []
    await expect(range?.startContainer.getRootNode()).toBeInstanceOf(ShadowRoot)
    await userEvent.clear(field)
    await userEvent.keyboard('existing')
    await waitFor(() => expect(status).toHaveTextContent(/^\d+ of 42$/))
    const marks = canvasElement.querySelector('[data-find-marks]')
    await waitFor(() => expect(Number(marks?.getAttribute('data-find-marks'))).toBeGreaterThan(10))
  },
}
export const InDiffDark: Story = { ...InDiff, globals: { theme: 'dark' } }
