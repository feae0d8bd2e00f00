/** Dialogs around one form: what they do while the host has not answered yet. */
import { ORPCError } from '@orpc/client'
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, screen, userEvent, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost } from '../../../../storybook/story-host.ts'
import { laterRecords } from '../../../../tests/fixtures/entries/tasks.ts'

interface Args {
  /** What the host waits for before it answers a rename. */
  renamed: PromiseWithResolvers<void>
}

const meta: Meta<Args> = {
  title: 'Screens/Form dialogs',
  decorators: [inWindow],
  render: ({ renamed }) => (
    <AppStage
      fake={createStoryHost({
        records: laterRecords,
        before: (path) => (path === 'tasks.rename' ? renamed.promise : undefined),
      })}
      address="#/settings"
    />
  ),
}
export default meta
type Story = StoryObj<Args>

/** Renames and, while the host has not answered, closes the dialog and opens the palette. */
async function renameAndGoOn(canvasElement: HTMLElement): Promise<HTMLElement> {
  const row = await within(canvasElement).findByRole('treeitem', { name: /Fix the parser/ })
  await userEvent.pointer({ target: row, keys: '[MouseRight]' })
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Rename…' }))
  await userEvent.type(await screen.findByRole('textbox', { name: 'Title' }), 'Another{Enter}')
  await waitFor(() =>
    expect(screen.getByRole('button', { name: 'Rename' })).toHaveAttribute('aria-busy', 'true'),
  )
  await userEvent.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  await userEvent.keyboard('{Control>}k{/Control}')
  return screen.findByRole('combobox')
}

/** The answer comes while another dialog is open: that one stays. */
export const LateAnswer: Story = {
  tags: ['soak'],
  args: { renamed: Promise.withResolvers() },
  play: async ({ canvasElement, args }) => {
    const palette = await renameAndGoOn(canvasElement)
    args.renamed.resolve()
    // Hidden from roles while the palette is open.
    await within(canvasElement).findByText(/Another$/)
    await expect(palette).toBeVisible()
  },
}

/** It fails when its dialog is closed: a toast says so. */
export const LateFailure: Story = {
  args: { renamed: Promise.withResolvers() },
  play: async ({ canvasElement, args }) => {
    const palette = await renameAndGoOn(canvasElement)
    args.renamed.reject(new ORPCError('STORAGE', { message: 'The disk is full.' }))
    await screen.findByText('The disk is full.')
    await expect(palette).toBeVisible()
  },
}
