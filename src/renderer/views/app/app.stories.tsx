/** Every screen over the fake contract: empty, live, later, broken; wide and narrow; both themes. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, userEvent, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost } from '../../../../storybook/story-host.ts'
import {
  broken,
  leadEnded,
  leadLive,
  testsEnded,
  testsReport,
} from '../../../../tests/fixtures/entries/conversations.ts'
import {
  ids,
  laterRecords,
  liveActivity,
  liveRecords,
} from '../../../../tests/fixtures/entries/tasks.ts'
import { workspaceDiff } from '../../../../tests/fixtures/entries/workspaces.ts'

interface Args {
  moment: 'empty' | 'live' | 'later'
  address: string
  inspector?: boolean
}

const nothing = { entries: [] }

function fakeAt(moment: Args['moment']) {
  if (moment === 'empty') return createStoryHost()
  const later = moment === 'later'
  return createStoryHost({
    records: later ? laterRecords : liveRecords,
    sessions: {
      [ids.lead]: later ? { entries: leadEnded() } : leadLive(),
      [ids.tests]: { entries: testsEnded() },
      [ids.fuzz]: nothing,
      [ids.notes]: broken(),
    },
    reports: { [ids.tests]: testsReport, [ids.fuzz]: 'No crash in 200,000 inputs (seed 41).' },
    activity: later ? {} : liveActivity,
    diff: workspaceDiff,
    notices: later
      ? [
          {
            id: 'healed-1',
            tone: 'info',
            text: 'One transcript was healed at start.',
            details: ['sessions/notes/chat.jsonl: an unfinished last line was set aside.'],
          },
        ]
      : [],
  })
}

const meta: Meta<Args> = {
  title: 'Screens/App',
  decorators: [inWindow],
  render: ({ moment, address, inspector }) => (
    <AppStage fake={fakeAt(moment)} address={address} inspector={inspector} />
  ),
}
export default meta
type Story = StoryObj<Args>

const lead = `#/t/${ids.lead}`

export const FirstStart: Story = { args: { moment: 'empty', address: '#/' } }
export const Live: Story = {
  args: { moment: 'live', address: lead },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const card = await canvas.findByRole('article', { name: 'Task: Add parser tests' })
    await userEvent.click(
      within(card).getByRole('button', { name: 'View transcript of Add parser tests' }),
    )
    const body = within(document.body)
    const dialog = await body.findByRole('dialog', { name: 'Transcript of Add parser tests' })
    const nested = await within(dialog).findByRole('article', { name: 'Task: Fuzz the tokenizer' })
    await userEvent.click(
      within(nested).getByRole('button', { name: 'View transcript of Fuzz the tokenizer' }),
    )
    // The nested transcript replaces the first one in the same dialog.
    await body.findByRole('dialog', { name: 'Transcript of Fuzz the tokenizer' })
    await expect(body.getAllByRole('dialog')).toHaveLength(1)
    await userEvent.keyboard('{Escape}')
    await body.findByRole('dialog', { name: 'Transcript of Add parser tests' })
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(body.queryByRole('dialog')).toBeNull())
  },
}
export const LiveDark: Story = { ...Live, globals: { theme: 'dark' }, play: undefined }
export const Later: Story = { args: { moment: 'later', address: lead } }
export const Changes: Story = { args: { moment: 'live', address: lead, inspector: true } }
export const ChangesDark: Story = {
  args: { moment: 'live', address: lead, inspector: true },
  globals: { theme: 'dark' },
}
export const Transcript: Story = {
  args: { moment: 'later', address: `${lead}/transcript/${ids.tests}` },
}
export const TranscriptDark: Story = { ...Transcript, globals: { theme: 'dark' }, play: undefined }
export const Interrupted: Story = { args: { moment: 'later', address: `#/t/${ids.notes}` } }
export const Archive: Story = {
  args: { moment: 'later', address: `#/archive/${ids.tests}/report` },
}
export const ArchiveDark: Story = { ...Archive, globals: { theme: 'dark' }, play: undefined }
export const UnknownAddress: Story = { args: { moment: 'later', address: '#/t/ffffffff' } }
