/** Linking a pull request from the menu of an agent's row. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, screen, userEvent, waitFor } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { chooseFromRowMenu } from '../../../../storybook/row-menu.ts'
import { createStoryHost } from '../../../../storybook/story-host.ts'
import { laterRecords } from '../../../../tests/fixtures/entries/tasks.ts'

const meta: Meta = {
  title: 'Screens/Link a pull request',
  decorators: [inWindow],
  render: () => <AppStage fake={createStoryHost({ records: laterRecords })} address="#/settings" />,
}
export default meta
type Story = StoryObj<typeof meta>

async function open(canvasElement: HTMLElement): Promise<HTMLElement> {
  await chooseFromRowMenu(canvasElement, { row: /Fix the parser/, item: 'Link pull request…' })
  return screen.findByRole('textbox', { name: 'Address' })
}

export const Linked: Story = {
  play: async ({ canvasElement }) => {
    const field = await open(canvasElement)
    await userEvent.type(field, 'https://github.com/example/parser/pull/12{Enter}')
    await screen.findByText('Linked the pull request.')
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  },
}
/** What is no address is said when it is sent, and no sooner. */
export const NoAddress: Story = {
  tags: ['soak'],
  play: async ({ canvasElement }) => {
    const field = await open(canvasElement)
    await userEvent.type(field, 'pull request 12')
    await expect(screen.queryByText('Enter an http or https address.')).not.toBeInTheDocument()
    await userEvent.type(field, '{Enter}')
    await screen.findByText('Enter an http or https address.')
  },
}
export const NoAddressDark: Story = { tags: ['soak'], ...NoAddress, globals: { theme: 'dark' } }
