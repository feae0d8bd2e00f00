/** A transcript through a filter, and back into all of it. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, userEvent, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost } from '../../../../storybook/story-host.ts'
import { testsEnded } from '../../../../tests/fixtures/entries/conversations.ts'
import { ids, laterRecords } from '../../../../tests/fixtures/entries/tasks.ts'

const meta: Meta<{ query?: string }> = {
  title: 'Screens/Filter of a transcript',
  decorators: [inWindow],
  render: ({ query = '' }) => (
    <AppStage
      fake={createStoryHost({
        records: laterRecords,
        sessions: { [ids.tests]: { entries: testsEnded() } },
      })}
      address={`#/archive/${ids.tests}/transcript${query}`}
    />
  ),
}
export default meta
type Story = StoryObj<typeof meta>

export const Edits: Story = {
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const all = await canvas.findByRole('region', { name: /^Transcript of / })
    await within(all).findByText(/existing cases/)
    await userEvent.keyboard('f')
    const bar = within(await canvas.findByRole('region', { name: 'Filter the transcript' }))
    await userEvent.click(await bar.findByRole('button', { name: 'Edit calls 1' }))
    const list = await canvas.findByRole('region', { name: /^Filtered transcript of / })
    const row = await within(list).findByRole('article', { name: /records\.test\.ts/ })
    await expect(within(list).queryByText(/existing cases/)).toBeNull()
    await waitFor(() => expect(bar.getByRole('status')).toHaveTextContent('1 match'))
    row.focus()
    await userEvent.keyboard('s')
    const again = await canvas.findByRole('region', { name: /^Transcript of / })
    await within(again).findByText(/existing cases/)
    await waitFor(() =>
      expect(canvas.queryByRole('region', { name: 'Filter the transcript' })).toBeNull(),
    )
  },
}

/** From a link; Esc shows everything. */
export const NothingMatches: Story = {
  tags: ['soak'],
  args: { query: '?show=errors&tool=write_file' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByText('Nothing in this transcript matches the filter.')
    const bar = within(canvas.getByRole('region', { name: 'Filter the transcript' }))
    const errors = await bar.findByRole('button', { name: 'Errors 0' })
    await waitFor(() => expect(errors).toHaveAttribute('aria-pressed', 'true'))
    await userEvent.click(bar.getByRole('combobox', { name: 'Tool' }))
    const page = within(canvasElement.ownerDocument.body)
    await userEvent.click(await page.findByRole('option', { name: /^Any tool/ }))
    await userEvent.click(bar.getByRole('button', { name: /^Messages \d/ }))
    const list = await canvas.findByRole('region', { name: /^Filtered transcript of / })
    await within(list).findByText(/existing cases/)
    await userEvent.click(bar.getByRole('button', { name: /^Messages \d/ }))
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(canvas.queryByText('Any file')).toBeNull())
    // The keys are the transcript's again: the bar comes and goes without a click.
    await waitFor(() =>
      expect(canvas.getByRole('region', { name: /^Transcript of / })).toHaveFocus(),
    )
    await userEvent.keyboard('f')
    await canvas.findByText('Any file')
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(canvas.queryByText('Any file')).toBeNull())
  },
}
