import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, fn, userEvent, within } from 'storybook/test'
import { inColumn } from '../../../../storybook/decorators.tsx'
import { fixtureNowMs } from '../../../../tests/fixtures/entries/tasks.ts'
import { AppliedLine } from './applied-line.tsx'

const meta: Meta<typeof AppliedLine> = {
  title: 'Diff/AppliedLine',
  component: AppliedLine,
  decorators: [inColumn],
  args: {
    files: 7,
    target: 'main',
    at: new Date(fixtureNowMs - 180_000).toISOString(),
    undoing: false,
    notNow: null,
    changedSince: null,
    onUndo: fn(),
    onDismiss: fn(),
  },
}
export default meta
type Story = StoryObj<typeof AppliedLine>

export const Applied: Story = {
  play: async ({ args, canvasElement }) => {
    const canvas = within(canvasElement)
    await expect(canvas.getByText('Applied 7 files to main')).toBeVisible()
    await userEvent.click(canvas.getByRole('button', { name: 'Undo' }))
    await expect(args.onUndo).toHaveBeenCalledOnce()
  },
}
export const OneFile: Story = { args: { files: 1, target: 'the parent’s worktree' } }
export const Undoing: Story = { args: { undoing: true } }
export const NotConnected: Story = { args: { notNow: 'Not connected' } }
export const ChangedSince: Story = {
  args: { changedSince: ['src/parser.ts', 'docs/guide.md'] },
  play: async ({ args, canvasElement }) => {
    const canvas = within(canvasElement)
    await expect(canvas.getByText('2 files changed since, so nothing was undone.')).toBeVisible()
    await userEvent.click(canvas.getByRole('button', { name: 'Details' }))
    await expect(canvas.getByText('src/parser.ts')).toBeVisible()
    await userEvent.click(canvas.getByRole('button', { name: 'Dismiss' }))
    await expect(args.onDismiss).toHaveBeenCalledOnce()
  },
}
export const LongNames: Story = {
  args: {
    target: `feature/${'a-branch-with-a-very-long-name-'.repeat(4)}`,
    changedSince: [`src/${'deep/'.repeat(30)}file.ts`, 'evil\u202Egpj.exe'],
  },
}
