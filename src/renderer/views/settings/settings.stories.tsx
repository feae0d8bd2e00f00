/** The settings' retention, over the fake contract: what it asks for, sweeps and takes back. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, userEvent, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost } from '../../../../storybook/story-host.ts'
import { ids, laterRecords } from '../../../../tests/fixtures/entries/tasks.ts'

const clockAhead = { days: 3650, newestAt: '2026-11-20T08:00:00.000Z' }

const fake = (old: boolean, leapt = false) =>
  createStoryHost({
    records: laterRecords,
    retention: {
      kept: 5,
      clockAhead: () => (leapt ? clockAhead : null),
      plan: ({ transcriptTtlDays }) =>
        old && transcriptTtlDays !== null
          ? [
              {
                id: ids.tests,
                kind: 'transcript',
                reason: 'age',
                bytes: 340_000_000,
                title: 'Add parser tests',
                lastActiveAt: '2026-08-20T08:00:00.000Z',
              },
            ]
          : [],
    },
  })

const meta: Meta<{ old: boolean; leapt?: boolean; theme?: 'light' | 'dark' }> = {
  title: 'Screens/Settings',
  decorators: [inWindow],
  render: ({ old, leapt, theme }, { globals }) => (
    <AppStage
      fake={fake(old, leapt)}
      address="#/settings"
      theme={theme ?? (globals.theme === 'dark' ? 'dark' : 'light')}
    />
  ),
}
export default meta
type Story = StoryObj<typeof meta>

export const NothingOld: Story = { args: { old: false } }
export const SomethingOld: Story = { args: { old: true } }
export const SomethingOldDark: Story = { args: { old: true, theme: 'dark' } }
/** Which variables the agents of a project get, and its agent history. */
export const OfAProject: Story = {
  args: { old: false },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const body = within(document.body)
    const [change] = await canvas.findAllByRole('button', { name: /^Change the settings of / })
    await userEvent.click(change as HTMLElement)
    const dialog = within(await body.findByRole('dialog', { name: /^Settings of / }))
    await userEvent.click(await dialog.findByRole('button', { name: 'Create .planning' }))
    const kept = await dialog.findByText(/where planning tools read it/)
    // The button is gone, and what had the focus with it.
    await expect(kept.closest('section')).toHaveFocus()
    await userEvent.click(dialog.getByRole('radio', { name: /^Only the ones listed/ }))
    await userEvent.type(dialog.getByRole('textbox', { name: 'Variables to pass on' }), '1ST')
    await dialog.findByText(/^1ST is not the name of a variable/)
    await expect(dialog.getByRole('button', { name: 'Save' })).toBeDisabled()
    await userEvent.clear(dialog.getByRole('textbox', { name: 'Variables to pass on' }))
    await userEvent.type(dialog.getByRole('textbox', { name: 'Variables to pass on' }), 'CI')
  },
}
export const OfAProjectDark: Story = {
  tags: ['soak'],
  args: { old: false, theme: 'dark' },
  play: OfAProject.play,
}
/** Changes are previewed before they are saved; a clean-up leaves a receipt, which undoes it. */
export const CleanedUp: Story = {
  args: { old: true },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByText(/Would remove/)
    const days = canvas.getByRole('textbox', { name: 'Keep transcripts for' })
    await userEvent.clear(days)
    await canvas.findByText(/No transcripts would be removed/)
    await expect(canvas.getByRole('button', { name: 'Clean up now' })).toBeDisabled()
    await userEvent.click(canvas.getByRole('button', { name: 'Discard changes' }))
    await canvas.findByText(/Would remove/)
    await userEvent.click(canvas.getByRole('button', { name: 'Clean up now' }))
    await canvas.findByText('1 transcript to the trash,')
    await userEvent.click(await canvas.findByRole('button', { name: /^Undo the clean-up/ }))
    await canvas.findByText(/^restored$/)
  },
}
/** On a clock that leapt ahead a clean-up is confirmed first; then it is as ever. */
export const ClockAhead: Story = {
  args: { old: true, leapt: true },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByText(/3,650 days past the newest record/)
    await userEvent.click(canvas.getByRole('button', { name: 'Clean up…' }))
    await canvas.findByText('Clean up by today’s date?')
  },
}
export const ClockAheadDark: Story = {
  tags: ['soak'],
  ...ClockAhead,
  args: { ...ClockAhead.args, theme: 'dark' },
}
export const ClockConfirmed: Story = {
  tags: ['soak'],
  args: { old: true, leapt: true },
  play: async (context) => {
    await ClockAhead.play?.(context)
    const canvas = within(context.canvasElement)
    await userEvent.click(canvas.getByRole('button', { name: 'Clean up' }))
    await canvas.findByText('1 transcript to the trash,')
    await waitFor(() =>
      expect(canvas.queryByText(/past the newest record/)).not.toBeInTheDocument(),
    )
    await expect(canvas.getByRole('button', { name: 'Clean up now' })).toBeInTheDocument()
  },
}
/** Speech input and stray presses must not run commands (WCAG 2.1.4). */
export const WithoutCharacterKeys: Story = {
  args: { old: false },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const body = within(document.body)
    const characterKeys = await canvas.findByRole('checkbox', { name: /^Shortcuts of single/ })
    await userEvent.click(characterKeys)
    await userEvent.keyboard('?gh')
    await expect(body.queryByRole('dialog')).toBeNull()
    await expect(canvas.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible()
    await userEvent.click(characterKeys)
    await userEvent.keyboard('?')
    await body.findByRole('dialog', { name: 'Keyboard shortcuts' })
  },
}
/** A section has an address; its link scrolls to it. */
export const Sections: Story = {
  args: { old: false },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const list = within(await canvas.findByRole('navigation', { name: 'Sections of the settings' }))
    await expect(list.getByRole('link', { name: 'Installed agents' })).toHaveAttribute(
      'href',
      '#/settings/installed-agents',
    )
  },
}
export const AtASection: Story = {
  args: { old: false },
  render: () => <AppStage fake={fake(false)} address="#/settings/retention" />,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await waitFor(() => expect(canvas.getByRole('heading', { name: 'Retention' })).toHaveFocus())
    await expect(canvas.getByRole('link', { name: 'Retention' })).toHaveAttribute('aria-current')
  },
}
/** Saving says so and keeps the focus in the form; leaving with unsaved changes asks. */
export const Unsaved: Story = {
  args: { old: false },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const body = within(document.body)
    const form = await canvas.findByRole('form', { name: 'Limits' })
    const minutes = within(form).getByRole('textbox', { name: 'Minutes' })
    await userEvent.type(minutes, '90')
    await userEvent.click(within(form).getByRole('button', { name: 'Save limits' }))
    await body.findByText('Saved the limits.')
    await waitFor(() => expect(form).toHaveFocus())
    await userEvent.type(minutes, '0')
    const leave = () => userEvent.click(canvas.getByRole('treeitem', { name: /Fix the parser/ }))
    await leave()
    const dialog = within(await body.findByRole('dialog', { name: 'Leave without saving?' }))
    await dialog.findByText('Your changes of the limits are not saved.')
    await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }))
    await expect(minutes).toHaveValue('900')
    await leave()
    await userEvent.click(await body.findByRole('button', { name: 'Discard changes' }))
    await waitFor(() => expect(canvas.queryByRole('heading', { name: 'Settings' })).toBeNull())
  },
}
