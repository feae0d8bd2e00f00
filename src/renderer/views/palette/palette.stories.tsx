/** The palette: the actions of what has the focus and of the screen, agents, and what transcripts say. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, screen, userEvent, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost } from '../../../../storybook/story-host.ts'
import { testsEnded } from '../../../../tests/fixtures/entries/conversations.ts'
import { ids, laterRecords, liveRecords } from '../../../../tests/fixtures/entries/tasks.ts'
import type { LedgerRecord } from '../../../shared/records/ledger.ts'

interface Args {
  address: string
  records?: LedgerRecord[]
}

const meta: Meta<Args> = {
  title: 'Screens/Palette',
  decorators: [inWindow],
  args: { address: `#/t/${ids.tests}` },
  render: ({ address, records = laterRecords }) => (
    <AppStage
      fake={createStoryHost({
        records,
        sessions: { [ids.tests]: { entries: testsEnded() } },
      })}
      address={address}
    />
  ),
}
export default meta
type Story = StoryObj<Args>

async function opened() {
  await userEvent.keyboard('{Control>}k{/Control}')
  const field = await screen.findByRole('combobox', { name: 'Commands and agents' })
  await waitFor(() => expect(field).toHaveFocus())
  return { field, palette: within(screen.getByRole('dialog', { name: 'Commands and agents' })) }
}
const groupOf = (palette: ReturnType<typeof within>, name: string) =>
  within(palette.getByRole('group', { name }))

/** Actions on the agent on screen, and on the one whose row has the focus instead. */
export const Actions: Story = {
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByRole('heading', { level: 1, name: 'Add parser tests' })
    const shown = await opened()
    const own = groupOf(shown.palette, 'Add parser tests')
    own.getByRole('option', { name: 'Export…' })
    await expect(own.queryByRole('option', { name: 'Open' })).toBeNull()
    groupOf(shown.palette, 'Commands').getByRole('option', { name: 'Add a project' })
    // Recent agents are first, so that Enter opens one instead of stopping one.
    const [first] = shown.palette.getAllByRole('group')
    await expect(first).toHaveAccessibleName('Recent agents')
    await expect(within(first as HTMLElement).queryByText(/archived/)).toBeNull()
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())

    const row = canvas.getByRole('treeitem', { name: /Write the docs/ })
    row.focus()
    const { palette } = await opened()
    const retry = groupOf(palette, 'Write the docs').getByRole('option', { name: 'Retry' })
    await userEvent.click(retry)
    await screen.findByText('Retrying “Write the docs”.')
  },
}

/** Enter runs what is selected first: never what ends the work of a running agent. */
export const OfRunningAgent: Story = {
  args: { records: liveRecords, address: `#/t/${ids.lead}` },
  play: async ({ canvasElement }) => {
    await within(canvasElement).findByRole('heading', { level: 1 })
    const { palette } = await opened()
    palette.getByRole('option', { name: 'Stop' })
    await waitFor(() =>
      expect(palette.getByRole('option', { selected: true })).toHaveAccessibleName(
        /^(?!Stop|Wrap up)/,
      ),
    )
  },
}

/** Titles and the text of transcripts, with what is selected left alone when the text is found. */
export const Text: Story = {
  args: { address: '#/' },
  play: async ({ canvasElement }) => {
    await within(canvasElement).findByRole('treeitem', { name: /Add parser tests/ })
    const { palette } = await opened()
    await userEvent.keyboard('existing cases')
    const everything = palette.getByRole('option', {
      name: 'Search everything for “existing cases”',
    })
    await expect(everything).toHaveAttribute('aria-selected', 'true')
    const [hit] = await palette.findAllByRole('option', { name: /Add parser tests$/ })
    await expect(everything).toHaveAttribute('aria-selected', 'true')
    if (hit) await userEvent.click(hit)
    const list = await within(canvasElement).findByRole('region', { name: /^Transcript of / })
    await within(list).findByText(/existing cases/)
  },
}

/** Over a transcript: its own commands and keys, which it gets back to. */
export const OverTranscript: Story = {
  tags: ['soak'],
  args: { address: `#/t/${ids.upgrade}/transcript/${ids.tests}` },
  play: async () => {
    const dialog = await screen.findByRole('dialog', { name: 'Transcript of Add parser tests' })
    const row = (await within(dialog).findByText(/existing cases/)).closest('article')
    row?.focus()
    await userEvent.keyboard('?')
    const keys = within(await screen.findByRole('dialog', { name: 'Keyboard shortcuts' }))
    keys.getByText('Next row')
    keys.getByText('Outline')
    await waitFor(() => expect(row).not.toHaveFocus())
    await userEvent.keyboard('{Escape}')
    await within(
      await screen.findByRole('dialog', { name: 'Transcript of Add parser tests' }),
    ).findByText(/existing cases/)
    // The row itself, not the first button in it.
    await waitFor(() => expect(row).toHaveFocus())
    await opened()
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(row).toHaveFocus())
    const { palette } = await opened()
    groupOf(palette, 'Add parser tests')
    await userEvent.click(
      groupOf(palette, 'On this screen').getByRole('option', { name: /^Find in the transcript/ }),
    )
    await waitFor(() => expect(screen.getByRole('searchbox', { name: 'Find' })).toHaveFocus())
  },
}
