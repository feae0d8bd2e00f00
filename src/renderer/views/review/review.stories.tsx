/** The full screen for an agent's changes: files, comments on them, and the follow-up that takes them to the agent. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, userEvent, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost } from '../../../../storybook/story-host.ts'
import { ids, laterRecords } from '../../../../tests/fixtures/entries/tasks.ts'
import { workspaceDiff } from '../../../../tests/fixtures/entries/workspaces.ts'
import type { TargetComparison } from '../../../shared/contract/changes.ts'
import type { ChangeAuthor } from '../../../shared/contract/review.ts'

/** Two turns wrote the change of the parser, one of them by what a sub-agent did; the others are of one call each. */
const author = (turn: number, tool: string): ChangeAuthor => ({
  ...{ by: 'call', turn, seq: turn, at: 0, tool, applied: null },
})
const authors = (_: unknown, path: string) => ({
  authors: [
    author(1, 'edit_file'),
    { ...author(3, 'task_apply_patch'), applied: { taskId: ids.tests, title: 'Add parser tests' } },
  ],
  written: path === 'src/parser.ts' ? [{ start: 45, lines: 2, author: 0 }] : [],
  removed: path === 'src/parser.ts' ? [] : [{ start: 1, lines: 2, author: 1 }],
})

type Changes = 'some' | 'none' | 'conflicts' | 'committed'

/** Some of it is in the target, and in one file both sides changed a line. */
const comparison: TargetComparison = {
  tree: workspaceDiff.tree,
  files: workspaceDiff.files.map(({ path }) => ({
    ...{ path, hunks: [] },
    state: path.startsWith('docs/') ? 'applied' : 'open',
  })),
  conflicts: [
    {
      ...{ path: 'src/parser.ts', message: 'CONFLICT (content): Merge conflict in src/parser.ts' },
      places: [
        {
          target: "    if (peek() !== ']') expect(',')\n",
          changes: "    if (peek() === ',') next()\n    else break\n",
        },
      ],
    },
  ],
}

function fake(changes: Changes) {
  return createStoryHost({
    records: laterRecords,
    ...(changes === 'none' ? {} : { diff: workspaceDiff, authors }),
    ...(changes === 'conflicts' ? { comparison: () => comparison } : {}),
  })
}

const shownTask: Record<Changes, string> = {
  some: ids.lead,
  none: ids.lead,
  conflicts: ids.tests,
  committed: ids.upgrade,
}

const meta: Meta<{ changes: Changes; theme?: 'light' | 'dark' }> = {
  title: 'Screens/Review',
  decorators: [inWindow],
  args: { changes: 'some' },
  render: ({ changes, theme }, { globals }) => {
    localStorage.removeItem('shiplog.review-comments')
    localStorage.removeItem('shiplog.viewed-files')
    return (
      <AppStage
        fake={fake(changes)}
        // The lead runs; an ended agent's changes can be applied.
        address={`#/t/${shownTask[changes]}/review`}
        theme={theme ?? (globals.theme === 'dark' ? 'dark' : 'light')}
      />
    )
  },
}
export default meta
type Story = StoryObj<typeof meta>

export const Comments: Story = {
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const files = within(await canvas.findByRole('list', { name: 'Changed files' }))
    await expect(files.getAllByRole('button').length).toBeGreaterThan(1)
    await userEvent.click(canvas.getByRole('button', { name: 'Comment on the file' }))
    const field = await canvas.findByRole('textbox', { name: /^Comment on / })
    await userEvent.type(field, 'Name the helper for what it returns.')
    await userEvent.click(canvas.getByRole('button', { name: 'Save comment' }))
    await canvas.findByRole('article', { name: /^Comment on / })
    await expect(canvas.getByText(/^1 comment not sent yet/)).toBeVisible()
    await userEvent.click(canvas.getByRole('checkbox', { name: 'Side by side' }))
    await userEvent.click(canvas.getByRole('checkbox', { name: 'Viewed' }))
    await canvas.findByText(/^1 of \d+ viewed$/)
    // The next file is shown.
    await waitFor(() =>
      expect(files.getByRole('button', { current: true })).toHaveAccessibleName(/lists\.ts/),
    )
    await userEvent.click(canvas.getByRole('checkbox', { name: 'Side by side' }))
  },
}
/** Steps to a change by key, applies it, and sees both sides of a conflict. */
export const Conflicts: Story = {
  args: { changes: 'conflicts' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const line = within(await canvas.findByRole('region', { name: 'Conflicts' }))
    await userEvent.click(line.getByRole('button', { name: 'Show' }))
    await canvas.findByRole('region', { name: 'Conflict' })
    await expect(canvas.getByRole('figure', { name: 'The agent’s' })).toBeVisible()
    await expect(await canvas.findByRole('button', { name: 'Turn 1' })).toBeVisible()
    const change = () => canvas.getByRole('group', { name: 'Change 1 of 1' })
    await waitFor(change)
    await userEvent.keyboard('n')
    await waitFor(() => expect(change()).toHaveFocus())
    await userEvent.keyboard('c')
    await userEvent.click(await canvas.findByRole('button', { name: 'Cancel' }))
    await userEvent.click(canvas.getByRole('button', { name: 'Apply the other 3 files' }))
    await canvas.findByText(/^Applied 3 files to /)
  },
}
export const ConflictsDark: Story = { ...Conflicts, args: { changes: 'conflicts', theme: 'dark' } }
/** A message from the report, and commands for the user's own terminal. */
export const Commit: Story = {
  args: { changes: 'committed' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await userEvent.click(await canvas.findByRole('button', { name: 'Commit…' }))
    const dialog = within(await within(document.body).findByRole('dialog'))
    await userEvent.click(dialog.getByRole('checkbox', { name: /pull request/ }))
    await expect(dialog.getByRole('figure', { name: 'Commands' })).toHaveTextContent(/gh pr create/)
  },
}
export const CommitDark: Story = { ...Commit, args: { changes: 'committed', theme: 'dark' } }
export const Dark: Story = { args: { theme: 'dark' } }
export const NothingChanged: Story = {
  args: { changes: 'none' },
  play: async ({ canvasElement }) => {
    await within(canvasElement).findByText('No files changed.')
  },
}
