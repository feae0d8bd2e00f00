import type { Meta, StoryObj } from '@storybook/react-vite'
import { useState } from 'react'
import { expect, fn, userEvent, within } from 'storybook/test'
import { inColumn } from '../../../../storybook/decorators.tsx'
import { Composer } from './composer.tsx'

const meta: Meta<typeof Composer> = {
  title: 'Conversation/Composer',
  component: Composer,
  decorators: [inColumn],
  args: { draft: '', onDraftChange: fn(), onSend: fn(), onStop: fn() },
  render: function Kept(args) {
    const [draft, setDraft] = useState(args.draft)
    return <Composer {...args} draft={draft} onDraftChange={setDraft} />
  },
}
export default meta
type Story = StoryObj<typeof Composer>

export const Empty: Story = {
  play: async ({ canvasElement, args }) => {
    const canvas = within(canvasElement)
    await expect(canvas.getByRole('button', { name: 'Send' })).toBeDisabled()
    const box = canvas.getByRole('textbox', { name: 'Prompt' })
    await userEvent.type(box, '  Now the docs{Enter}and a note  ')
    await expect(args.onSend).not.toHaveBeenCalled()
    await userEvent.type(box, '{Control>}{Enter}{/Control}')
    await expect(args.onSend).toHaveBeenCalledOnce()
    await expect(args.onSend).toHaveBeenCalledWith('Now the docs\nand a note')
  },
}
/** Where Enter sends, Shift+Enter begins a new line, and Ctrl+Enter sends as well. */
export const EnterSends: Story = {
  args: { sendKey: 'Enter' },
  play: async ({ canvasElement, args }) => {
    const canvas = within(canvasElement)
    await canvas.findByText('↵ to send')
    const box = canvas.getByRole('textbox', { name: 'Prompt' })
    await userEvent.type(box, 'One{Shift>}{Enter}{/Shift}two')
    await expect(args.onSend).not.toHaveBeenCalled()
    await userEvent.type(box, '{Enter}')
    await expect(args.onSend).toHaveBeenLastCalledWith('One\ntwo')
    await userEvent.type(box, '{Control>}{Enter}{/Control}')
    await expect(args.onSend).toHaveBeenCalledTimes(2)
  },
}
export const Written: Story = { args: { draft: 'Also mention it in the changelog.' } }
export const Running: Story = {
  args: { draft: 'And then the docs.', running: true },
  play: async ({ canvasElement, args }) => {
    const canvas = within(canvasElement)
    await userEvent.click(canvas.getByRole('button', { name: 'Stop' }))
    await expect(args.onStop).toHaveBeenCalledOnce()
    await expect(args.onSend).not.toHaveBeenCalled()
    await userEvent.type(canvas.getByRole('textbox'), '{Control>}{Enter}{/Control}')
    await userEvent.click(canvas.getByRole('button', { name: 'Queue' }))
    await expect(args.onSend).toHaveBeenCalledTimes(2)
  },
}
export const Recalled: Story = {
  args: { history: ['The newest prompt\nof two lines', 'An older prompt'] },
  play: async ({ canvasElement, args }) => {
    const box = within(canvasElement).getByRole<HTMLTextAreaElement>('textbox')
    await userEvent.type(box, 'Half typed')
    await userEvent.keyboard('{ArrowUp}')
    await expect(box).toHaveValue('Half typed')
    box.setSelectionRange(0, 0)
    await userEvent.keyboard('{ArrowUp}')
    await expect(box).toHaveValue('The newest prompt\nof two lines')
    await userEvent.keyboard('{ArrowUp}')
    await expect(box).toHaveValue('An older prompt')
    await userEvent.keyboard('{ArrowUp}')
    await expect(box).toHaveValue('An older prompt')
    box.setSelectionRange(box.value.length, box.value.length)
    await userEvent.keyboard('{ArrowDown}')
    await expect(box).toHaveValue('The newest prompt\nof two lines')
    await userEvent.keyboard('{ArrowDown}')
    await expect(box).toHaveValue('Half typed')
    await userEvent.keyboard('{ArrowDown}')
    await expect(box).toHaveValue('Half typed')
    // An edited history entry counts as new text.
    box.setSelectionRange(0, 0)
    await userEvent.keyboard('{ArrowUp}')
    await userEvent.type(box, ', and more')
    await userEvent.keyboard('{ArrowDown}')
    await expect(box).toHaveValue('The newest prompt\nof two lines, and more')
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect(args.onSend).toHaveBeenCalledWith('The newest prompt\nof two lines, and more')
  },
}
export const Sending: Story = { args: { draft: 'Also the changelog.', sending: true } }
export const Long: Story = { args: { draft: 'A long prompt of many lines.\n'.repeat(80) } }
export const Dark: Story = { ...Running, globals: { theme: 'dark' }, play: undefined }
