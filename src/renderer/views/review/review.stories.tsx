/** The full screen for an agent's changes: files, comments on them, and the follow-up that takes them to the agent. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, userEvent, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost } from '../../../../storybook/story-host.ts'
import { session } from '../../../../tests/fixtures/entries/builder.ts'
import { fixtureNowMs, ids, laterRecords } from '../../../../tests/fixtures/entries/tasks.ts'
import { workspaceDiff } from '../../../../tests/fixtures/entries/workspaces.ts'
import { reviewPrompt } from '../../../shared/agents/review-prompt.ts'
import type { TargetComparison } from '../../../shared/contract/changes/changes.ts'
import type { PublishState } from '../../../shared/contract/changes/publish.ts'
import type { ChangeAuthor } from '../../../shared/contract/changes/review.ts'
import type { WorkspaceDiff } from '../../../shared/contract/workspace.ts'
import { FailureError } from '../../../shared/failure.ts'
import { newCommentId, newPromptId } from '../../../shared/records/ids.ts'
import type { LedgerEvent } from '../../../shared/records/ledger.ts'
import { noUsage } from '../../../shared/records/usage.ts'

/** Two turns wrote the change of the parser, one of them by what a sub-agent did; the others are of one call each. */
const author = (turn: number, tool: string): ChangeAuthor => ({
  by: 'call',
  turn,
  seq: turn,
  at: 0,
  tool,
  applied: null,
})
const authors = (_: unknown, path: string) => ({
  authors: [
    author(1, 'edit_file'),
    { ...author(3, 'task_apply_patch'), applied: { taskId: ids.tests, title: 'Add parser tests' } },
  ],
  written: path === 'src/parser.ts' ? [{ start: 45, lines: 2, author: 0 }] : [],
  removed: path === 'src/parser.ts' ? [] : [{ start: 1, lines: 2, author: 1 }],
})

/** A follow-up of three comments, which turns 4 to 6 answered; turn 5 changed the line of the first. */
const seen = '5555555555555555555555555555555555555555'
const anchor = { path: 'src/parser.ts', side: 'additions' as const, tree: null, contentId: seen }
const comments = [
  { ...anchor, line: 45, lineText: "    if (tokens.at(']')) break", text: 'Is this still needed?' },
  { ...anchor, line: 46, lineText: "    tokens.expect(',')", text: 'Which error does this give?' },
  { ...anchor, line: 0, lineText: '', text: 'Please describe the grammar at the top.' },
].map((comment) => ({ ...comment, commentId: newCommentId() }))

function answered() {
  const taskId = ids.upgrade
  const of = { of: taskId, ids: comments.map(({ commentId }) => commentId), afterSeq: 0 }
  const prompt = reviewPrompt(comments)
  const more: LedgerEvent[] = [
    ...comments.map((comment) => ({ type: 'review.commented' as const, taskId, ...comment })),
    { type: 'task.prompted', taskId, promptId: newPromptId(), prompt, comments: of },
    {
      type: 'task.spawned',
      taskId,
      run: 2,
      process: { pid: 1, startedAt: '1' },
      spawnCommit: null,
    },
    { type: 'task.completed', taskId, run: 2, usage: noUsage },
  ]
  const records = [
    ...laterRecords,
    ...more.map((event, at) => ({ seq: laterRecords.length + at + 1, at: fixtureNowMs, event })),
  ]
  const step = (say: string) => [{ say }]
  const { entries } = session(taskId)
    .runStart()
    .prompt('Upgrade the test runner')
    .turn(step('First.'))
    .turn(step('Second.'))
    .turn(step('Third.'))
    .runEnd()
    .runStart()
    .prompt(prompt)
    .turn(step('I look at the comments.'))
    .turn(step('The check was redundant.'))
    .turn(step('All are addressed.'))
    .runEnd()
  return {
    records,
    sessions: { [taskId]: { entries } },
    authors: (_: unknown, path: string) => ({
      ...authors(_, path),
      authors: [author(5, 'edit_file')],
      written: [],
      removed: [],
      movedLines: { 45: { line: 45, author: 0 } },
    }),
  }
}

type Changes =
  | 'some'
  | 'none'
  | 'conflicts'
  | 'late-conflict'
  | 'all-committed'
  | 'committed'
  | 'no-gh'
  | 'failed'
  | 'huge'
  | 'answered'

/** Some of it is in the target, and in one file both sides changed a line. */
const comparison: TargetComparison = {
  tree: workspaceDiff.tree,
  files: workspaceDiff.files.map(({ path }) => ({
    path,
    hunks: [],
    uncommitted: path === 'src/parser.ts',
    state: path.startsWith('docs/') ? 'applied' : 'open',
  })),
  conflicts: [
    {
      path: 'src/parser.ts',
      message: 'CONFLICT (content): Merge conflict in src/parser.ts',
      places: [
        {
          target: "    if (peek() !== ']') expect(',')\n",
          changes: "    if (peek() === ',') next()\n    else break\n",
        },
      ],
    },
  ],
}

/** The user edits a file of the target after it was compared, so that the apply fails. */
function lateConflict() {
  let compared = 0
  const [message = ''] = comparison.conflicts.map((one) => one.message)
  return {
    comparison: () => (compared++ === 0 ? { ...comparison, conflicts: [] } : comparison),
    apply: { kind: 'conflict' as const, paths: ['src/parser.ts'], message },
  }
}

const noGh = 'GitHub’s command line, gh, is not installed.'
const publishState: PublishState = {
  worktree: '/home/ada/.local/share/shiplog/worktrees/api/lead',
  branch: 'shiplog/upgrade',
  uncommitted: true,
  remote: { url: 'git@github.com:harbour/api.git', repository: 'github.com/harbour/api' },
  cannotPush: null,
  gh: { state: 'ready' },
}

const diffs: Partial<Record<Changes, WorkspaceDiff>> = {
  failed: {
    ...workspaceDiff,
    get files(): never {
      const reason = 'its worktree is missing'
      const file = '/home/ada/.local/share/shiplog/worktrees/api/lead'
      throw new FailureError({ kind: 'damaged', what: 'workspace', id: ids.lead, file, reason })
    },
  },
  huge: {
    ...workspaceDiff,
    files: Array.from({ length: 4_000 }, (_, at) => ({
      path: `src/module-${at % 40}/generated-${at}.ts`,
      change: 'added',
      oldPath: null,
      additions: 12,
      deletions: 0,
      contentId: `${at}`,
    })),
  },
}

function fake(changes: Changes) {
  return createStoryHost({
    records: laterRecords,
    ...(changes === 'none' ? {} : { diff: diffs[changes] ?? workspaceDiff, authors }),
    ...(changes === 'answered' ? answered() : {}),
    ...(changes === 'committed' ? { publish: publishState } : {}),
    ...(changes === 'no-gh'
      ? { publish: { ...publishState, gh: { state: 'missing', reason: noGh } } }
      : {}),
    ...(changes === 'conflicts' ? { comparison: () => comparison } : {}),
    ...(changes === 'late-conflict' ? lateConflict() : {}),
    ...(changes === 'all-committed' ? { publish: { ...publishState, uncommitted: false } } : {}),
  })
}

const shownTask: Record<Changes, string> = {
  some: ids.lead,
  none: ids.lead,
  conflicts: ids.tests,
  'late-conflict': ids.tests,
  'all-committed': ids.upgrade,
  committed: ids.upgrade,
  'no-gh': ids.upgrade,
  failed: ids.lead,
  huge: ids.lead,
  answered: ids.upgrade,
}

const meta: Meta<{ changes: Changes }> = {
  title: 'Screens/Review',
  decorators: [inWindow],
  args: { changes: 'some' },
  render: ({ changes }) => {
    localStorage.removeItem('shiplog.viewed-files')
    return (
      <AppStage
        fake={fake(changes)}
        // The lead runs; an ended agent's changes can be applied.
        address={`#/t/${shownTask[changes]}/review`}
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
    // A line between the changes, by keyboard.
    await canvas.findByRole('group', { name: /^Change 1 of / })
    await userEvent.keyboard('n{ArrowUp}c')
    const onLine = await canvas.findByRole('textbox', { name: /^Comment on line / })
    await waitFor(() => expect(onLine).toHaveFocus())
    await userEvent.type(onLine, 'Why not{Escape}')
    await waitFor(() =>
      expect(canvas.queryByRole('textbox', { name: /^Comment on line / })).toBeNull(),
    )
    await userEvent.keyboard('{ArrowUp}{ArrowDown}c')
    const again = await canvas.findByRole('textbox', { name: /^Comment on line / })
    await waitFor(() => expect(again).toHaveFocus())
    await expect(again).toHaveValue('Why not')
    await userEvent.type(again, ' earlier?{Control>}{Enter}{/Control}')
    await canvas.findByText(/^2 comments not sent yet/)
    await userEvent.click(canvas.getByRole('checkbox', { name: 'Side by side' }))
    await userEvent.click(canvas.getByRole('button', { name: 'Send to the agent' }))
    await waitFor(() => expect(canvas.queryByText(/not sent yet/)).toBeNull())
    await userEvent.click(canvas.getByRole('checkbox', { name: 'Viewed' }))
    await canvas.findByText(/^1 of \d+ viewed$/)
    // The next file is shown.
    await waitFor(() =>
      expect(files.getByRole('button', { current: true })).toHaveAccessibleName(/lists\.ts/),
    )
    await userEvent.click(canvas.getByRole('checkbox', { name: 'Side by side' }))
  },
}

/** What is known of the answer to each comment: the turn that changed its line, else the turns of the reply. */
export const Answered: Story = {
  args: { changes: 'answered' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const files = within(await canvas.findByRole('list', { name: 'Changed files' }))
    await userEvent.click(files.getByRole('button', { name: /parser\.ts/ }))
    const comment = (name: string) => canvas.findByRole('article', { name: `Comment on ${name}` })
    const changed = await comment('line 45')
    await waitFor(() =>
      expect(changed).toHaveTextContent(/Answered in turn 5, which changed the line\.$/),
    )
    await expect(await comment('line 46')).toHaveTextContent(
      /Answered in turns 4 to 6, without a change of the line\.$/,
    )
    await expect(await comment('src/parser.ts')).toHaveTextContent(/Answered in turns 4 to 6\.$/)
    await userEvent.click(within(changed).getByRole('button', { name: 'turn 5' }))
    await canvas.findByText('The check was redundant.')
  },
}

/** Steps to a change by key, applies it, and sees both sides of a conflict. */
export const Conflicts: Story = {
  args: { changes: 'conflicts' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const line = within(await canvas.findByRole('region', { name: 'Conflicts' }))
    // What would fail isn't recommended.
    await expect(canvas.getByTitle(/^1 file conflicts with /)).toHaveAccessibleName(/^Apply to /)
    await userEvent.click(line.getByRole('button', { name: 'Show' }))
    await canvas.findByRole('region', { name: 'Conflict' })
    await expect(canvas.getByRole('figure', { name: 'The agent’s' })).toBeVisible()
    await canvas.findByRole('figure', { name: /, not committed$/ })
    await userEvent.click(canvas.getByRole('button', { name: 'Use the agent’s file…' }))
    const page = within(document.body)
    const question = within(await page.findByRole('dialog', { name: 'Replace src/parser.ts?' }))
    await question.findByText(/has changes that are in no commit/)
    await waitFor(() => expect(question.getByRole('button', { name: 'Cancel' })).toHaveFocus())
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(page.queryByRole('dialog')).toBeNull())
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
/** A failed apply shows the same as a conflict that was found before, not a message without a way on. */
export const LateConflict: Story = {
  args: { changes: 'late-conflict' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByText(/^1 of these files has uncommitted changes in/)
    await userEvent.click(canvas.getByRole('button', { name: /^Apply to/ }))
    const line = within(await canvas.findByRole('region', { name: 'Conflicts' }))
    await expect(line.getByText(/^1 file conflicts with/)).toBeVisible()
    await expect(canvas.queryByText(/^Conflicts in 1 file; nothing was changed/)).toBeNull()
  },
}
export const ConflictsDark: Story = { tags: ['soak'], ...Conflicts, globals: { theme: 'dark' } }
/** A message from the report, and the commands, which run once they were seen. */
export const Commit: Story = {
  args: { changes: 'committed' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await userEvent.click(await canvas.findByRole('button', { name: 'Commit…' }))
    const dialog = within(await within(document.body).findByRole('dialog'))
    await userEvent.click(dialog.getByRole('checkbox', { name: /^Push/ }))
    await userEvent.click(dialog.getByRole('checkbox', { name: /pull request/ }))
    const commands = await dialog.findByRole('region', { name: 'Commands' })
    await expect(commands).toHaveTextContent(/gh pr create --repo github\.com\/harbour\/api/)
    await expect(dialog.getByRole('button', { name: /^Run and open/ })).toBeVisible()
  },
}
/** Nothing to commit: no fields that would do nothing. */
export const AllCommitted: Story = {
  tags: ['soak'],
  args: { changes: 'all-committed' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await userEvent.click(await canvas.findByRole('button', { name: 'Commit…' }))
    const dialog = within(await within(document.body).findByRole('dialog'))
    await dialog.findByText('Everything is committed. Push the branch to share it.')
    await expect(dialog.queryByRole('textbox', { name: 'Subject' })).toBeNull()
    await waitFor(() => expect(dialog.getByRole('checkbox', { name: /^Push/ })).toHaveFocus())
  },
}
/** Without gh the commands are copied, and the reason is shown. */
export const CommitWithoutGh: Story = {
  args: { changes: 'no-gh' },
  tags: ['soak'],
  play: async (context) => {
    await Commit.play?.(context)
    const dialog = within(await within(document.body).findByRole('dialog'))
    await dialog.findByText(noGh)
    await expect(dialog.getByRole('button', { name: /^Run and open/ })).toBeDisabled()
    await expect(dialog.getByRole('button', { name: 'Copy commands' })).toBeEnabled()
  },
}
export const CommitDark: Story = { tags: ['soak'], ...Commit, globals: { theme: 'dark' } }
export const Dark: Story = { globals: { theme: 'dark' } }
export const NothingChanged: Story = {
  args: { changes: 'none' },
  play: async ({ canvasElement }) => {
    await within(canvasElement).findByText('No files changed.')
  },
}
/** The worktree can't be read: the reason, and another try. */
export const Failed: Story = {
  args: { changes: 'failed' },
  tags: ['soak'],
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByText(/its worktree is missing/)
    await userEvent.click(canvas.getByRole('button', { name: 'Try again' }))
    await canvas.findByText(/its worktree is missing/)
  },
}
/** Four hundred files: each is listed, and keys step on. */
export const Huge: Story = {
  tags: ['soak'],
  args: { changes: 'huge' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByText('0 of 4000 viewed')
    const files = within(await canvas.findByRole('list', { name: 'Changed files' }))
    await userEvent.keyboard('jj')
    await waitFor(() =>
      expect(files.getByRole('button', { current: true })).toHaveAccessibleName(/generated-80\./),
    )
    // With thousands of files only those in view are drawn, wherever the reader is.
    await expect(files.getAllByRole('button').length).toBeLessThan(60)
    await userEvent.keyboard('k')
    for (let step = 0; step < 30; step++) await userEvent.keyboard('j')
    const current = await waitFor(() => files.getByRole('button', { current: true }))
    await waitFor(() => expect(current).toHaveAccessibleName(/generated-1240\./))
    await expect(current).toBeVisible()
    await expect(files.getAllByRole('button').length).toBeLessThan(60)
  },
}
