import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, within } from 'storybook/test'
import { inColumn } from '../../../../storybook/decorators.tsx'
import { parserPatch } from '../../../../tests/fixtures/entries/conversations.ts'
import { PatchView } from './patch-view.tsx'

const meta: Meta<typeof PatchView> = {
  title: 'Diff/PatchView',
  component: PatchView,
  decorators: [inColumn],
  args: { path: 'src/parser.ts', patch: parserPatch },
}
export default meta
type Story = StoryObj<typeof PatchView>

const hunk = (lines: number) =>
  `--- a/list.txt\n+++ b/list.txt\n@@ -1,${lines} +1,${lines} @@\n${Array.from({ length: lines }, (_, index) => `-old ${index}\n+new ${index}`).join('\n')}\n`

export const Changed: Story = {
  play: async ({ canvasElement }) => {
    await expect(
      await within(canvasElement).findByRole('figure', { name: 'Changes of src/parser.ts' }),
    ).toBeVisible()
  },
}
export const ChangedDark: Story = { globals: { theme: 'dark' } }
export const Long: Story = { args: { patch: hunk(400), path: 'list.txt' } }
/** Shown as it is written. */
export const TooLong: Story = { tags: ['soak'], args: { patch: hunk(20_000), path: 'list.txt' } }
export const NotAPatch: Story = {
  args: { patch: 'This is <b>not</b> a patch.' },
  play: async ({ canvasElement }) => {
    await expect(await within(canvasElement).findByText(/not<\/b> a patch/)).toBeVisible()
  },
}
export const Hostile: Story = {
  args: {
    path: '<script>.ts',
    patch: `--- a/x.html\n+++ b/x.html\n@@ -1 +1 @@\n-<script>alert(1)</script>\n+<img src=x onerror=alert(1)> ${'w'.repeat(900)} \u202E\n`,
  },
}
