/** The same tools and panes wherever a transcript is shown: its outline on the left, its report on the right. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, userEvent, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost } from '../../../../storybook/story-host.ts'
import { leadEnded, testsEnded } from '../../../../tests/fixtures/entries/conversations.ts'
import { interruptedRecords } from '../../../../tests/fixtures/entries/interrupted.ts'
import { ids, laterRecords } from '../../../../tests/fixtures/entries/tasks.ts'
import type { LedgerRecord } from '../../../shared/records/ledger.ts'

const meta: Meta<{ address: string; records?: LedgerRecord[] }> = {
  title: 'Screens/Transcript panes',
  decorators: [inWindow],
  render: ({ address, records = laterRecords }) => (
    <AppStage
      fake={createStoryHost({
        records,
        sessions: {
          [ids.tests]: { entries: testsEnded() },
          [ids.lead]: { entries: leadEnded() },
        },
        reports: { [ids.tests]: 'All of it is **covered** now.' },
      })}
      address={address}
    />
  ),
}
export default meta
type Story = StoryObj<typeof meta>

const outlineAndReport: Story['play'] = async ({ canvasElement }) => {
  const page = within(canvasElement.ownerDocument.body)
  const list = await page.findByRole('region', { name: /^Transcript of / })
  await waitFor(() => expect(list).toHaveFocus())
  await userEvent.keyboard('o')
  const outline = await page.findByRole('listbox', { name: 'Outline' })
  await waitFor(() => expect(outline).toHaveFocus())
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(list).toHaveFocus())
  await expect(outline).not.toBeInTheDocument()
  await userEvent.keyboard('o')
  const again = await page.findByRole('listbox', { name: 'Outline' })
  await userEvent.click(await within(again).findByRole('option', { name: /Prompt/ }))
  // In a small window it lies over the transcript and goes with the choice.
  const close = page.queryByRole('button', { name: 'Close the outline' })
  if (close) await userEvent.click(close)
  await waitFor(() => expect(page.queryByRole('listbox', { name: 'Outline' })).toBeNull())
  await userEvent.click(page.getByRole('button', { name: 'Report' }))
  const report = within(await page.findByRole('complementary', { name: 'Report' }))
  await expect(await report.findByText('covered')).toBeVisible()
}

export const Dialog: Story = {
  args: { address: `#/t/${ids.lead}/transcript/${ids.tests}` },
  play: outlineAndReport,
}
export const DialogDark: Story = { tags: ['soak'], ...Dialog, globals: { theme: 'dark' } }
export const FullScreen: Story = {
  tags: ['soak'],
  args: { address: `#/transcript/${ids.tests}` },
  play: async (context) => {
    const page = within(context.canvasElement.ownerDocument.body)
    // What the agent and its sub-agents used.
    const parents = await page.findByRole('navigation', { name: 'Parents' })
    await expect(parents.parentElement).toHaveTextContent(/Completed.* tokens.*\$/)
    await outlineAndReport(context)
  },
}

/** What can be done about a stopped agent is beside its status. */
export const InterruptedDialog: Story = {
  tags: ['soak'],
  args: { address: `#/t/${ids.lead}/transcript/${ids.notes}`, records: interruptedRecords },
  play: async ({ canvasElement }) => {
    const page = within(canvasElement.ownerDocument.body)
    const dialog = within(await page.findByRole('dialog', { name: /^Transcript of / }))
    await dialog.findByRole('button', { name: /^Resume/ })
  },
}

/** A linked entry has the focus and stays marked; one that does not exist is named. */
export const LinkedEntry: Story = {
  args: { address: `#/transcript/${ids.tests}?seq=4` },
  play: async ({ canvasElement }) => {
    const page = within(canvasElement.ownerDocument.body)
    await page.findByRole('region', { name: /^Transcript of / })
    await waitFor(() => expect(document.activeElement?.matches('article[data-seq]')).toBe(true))
    await expect(page.queryByText(/^This transcript has no entry/)).toBeNull()
  },
}
export const LinkToNoEntry: Story = {
  args: { address: `#/transcript/${ids.tests}?seq=99999` },
  play: async ({ canvasElement }) => {
    const page = within(canvasElement.ownerDocument.body)
    await page.findByText(/^This transcript has no entry 99999: it ends with entry \d+\.$/)
  },
}
export const LinkToNoScreen: Story = {
  args: { address: '#/bogus' },
  play: async ({ canvasElement }) => {
    const page = within(canvasElement.ownerDocument.body)
    await page.findByText(/^There is nothing at #\/bogus/)
    await userEvent.click(page.getByRole('button', { name: 'Go to Home' }))
    await waitFor(() => expect(page.queryByText(/^There is nothing at/)).toBeNull())
  },
}

/** In the archive keys go to the list of transcripts at first. */
export const Archive: Story = {
  args: { address: `#/archive/${ids.tests}/transcript` },
  play: async (context) => {
    const page = within(context.canvasElement.ownerDocument.body)
    const list = await page.findByRole('region', { name: /^Transcript of / })
    list.focus()
    await outlineAndReport(context)
  },
}
export const ArchiveDark: Story = { tags: ['soak'], ...Archive, globals: { theme: 'dark' } }

/** A conversation ends with its report; its outline leads through all of it while it is written. */
export const Conversation: Story = {
  args: { address: `#/t/${ids.lead}` },
  play: async ({ canvasElement }) => {
    const page = within(canvasElement.ownerDocument.body)
    await page.findByRole('region', { name: /^Transcript of / })
    await userEvent.click(page.getByRole('button', { name: 'Outline' }))
    const outline = await page.findByRole('listbox', { name: 'Outline' })
    await within(outline).findByRole('option', { name: /^Prompt/ })
    await expect(page.queryByRole('button', { name: 'Report' })).toBeNull()
    await userEvent.click(page.getByRole('button', { name: 'Find' }))
    await expect(await page.findByRole('searchbox', { name: 'Find' })).toBeInTheDocument()
  },
}
export const ConversationDark: Story = {
  tags: ['soak'],
  ...Conversation,
  globals: { theme: 'dark' },
}
