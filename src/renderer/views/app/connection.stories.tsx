/** The page without a working host: a lost connection, an invalid link. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, fn, userEvent, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost } from '../../../../storybook/story-host.ts'
import { leadLive } from '../../../../tests/fixtures/entries/conversations.ts'
import { ids, liveActivity, liveRecords } from '../../../../tests/fixtures/entries/tasks.ts'
import type { ConnectionState } from '../../rpc/connection.ts'

interface Args {
  connection: { state: ConnectionState; from: 'start' | 'loaded' }
}

const meta: Meta<Args> = {
  title: 'Screens/Connection',
  decorators: [inWindow],
  render: ({ connection }) => (
    <AppStage
      fake={createStoryHost({
        records: liveRecords,
        sessions: { [ids.lead]: leadLive() },
        activity: liveActivity,
      })}
      address={`#/t/${ids.lead}`}
      connection={connection}
    />
  ),
}
export default meta
type Story = StoryObj<Args>

const tryNow = fn()

/** Loaded data stays; nothing can be sent or stopped, and every status is marked as the last one received. */
export const Lost: Story = {
  args: { connection: { state: { kind: 'lost', attempt: 1, tryNow }, from: 'loaded' } },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByText('Connection lost. Reconnecting…')
    await userEvent.click(canvas.getByRole('button', { name: 'Try now' }))
    await expect(tryNow).toHaveBeenCalledOnce()
    for (const stop of await canvas.findAllByRole('button', { name: /^Stop/ }))
      await waitFor(() => expect(stop).toBeDisabled())
    // The style sheet uses this attribute to mark every status as the last one received.
    await waitFor(() => expect(document.documentElement.dataset.connection).toBe('lost'))
  },
}
export const LostDark: Story = { ...Lost, globals: { theme: 'dark' }, play: undefined }
export const LinkExpiredMeanwhile: Story = {
  args: { connection: { state: { kind: 'refused' }, from: 'loaded' } },
  play: async ({ canvasElement }) => {
    await within(canvasElement).findByRole('button', { name: 'Enter the link' })
  },
}
export const LinkExpired: Story = {
  args: { connection: { state: { kind: 'refused' }, from: 'start' } },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await expect(await canvas.findByText(/^This link has expired/)).toBeVisible()
    await userEvent.type(canvas.getByRole('textbox', { name: 'Link or token' }), 'http://a/')
    await userEvent.click(canvas.getByRole('button', { name: 'Open' }))
    await canvas.findByText(/^There is no token in this/)
  },
}
export const LinkExpiredDark: Story = {
  tags: ['soak'],
  ...LinkExpired,
  globals: { theme: 'dark' },
  play: undefined,
}
export const LinkWithoutToken: Story = {
  args: { connection: { state: { kind: 'no-token' }, from: 'start' } },
}
