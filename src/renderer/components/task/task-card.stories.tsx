import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, fn, userEvent, waitFor, within } from 'storybook/test'
import { inColumn } from '../../../../storybook/decorators.tsx'
import { lookupOf } from '../../../../storybook/task-lookup.ts'
import {
  addedFiles,
  awaited,
  testsReport,
} from '../../../../tests/fixtures/entries/conversations.ts'
import {
  fixtureNowMs,
  ids,
  laterState,
  liveActivity,
  liveState,
  taskWith,
} from '../../../../tests/fixtures/entries/tasks.ts'
import type { TreeChanges } from '../../../shared/contract/changes/tree-changes.ts'
import type { Activity } from '../../../shared/records/tasks/activity.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { createFolds, FoldContext } from '../conversation/fold-state.ts'
import {
  type ShownApply,
  type ShownReport,
  TaskActionsContext,
  TaskLookupContext,
} from '../conversation/task-lookup.ts'
import { TaskCard } from './task-card.tsx'

const copied = fn()
const actions = {
  onViewTranscript: fn(),
  onApply: fn(),
  onStop: fn(),
  onResume: fn(),
  onRetry: fn(),
  menuOf: fn(() => [{ label: 'Copy ID', onSelect: copied }]),
  linkTo: (id: string) => `#/t/${id}`,
  onNeedReport: fn(),
  onNeedChanges: fn(),
}

interface Args {
  task: Task | null
  apply?: ShownApply
  report?: ShownReport
  changes?: TreeChanges
  activity?: Activity
  later?: boolean
  result?: boolean
}

const meta: Meta<Args> = {
  title: 'Task/TaskCard',
  decorators: [inColumn],
  render: ({ task, apply, report, changes, activity, later, result }) => (
    <TaskActionsContext value={actions}>
      <TaskLookupContext
        value={lookupOf(later ? laterState : liveState, {
          activity: task && activity ? { [task.id]: activity } : liveActivity,
          changes: task && changes ? { [task.id]: changes } : {},
          applies: task && apply ? { [task.id]: apply } : {},
          reports: task && report ? { [task.id]: report } : {},
        })}
      >
        <FoldContext value={createFolds(() => {})}>
          <TaskCard task={task} result={result ? awaited.tests : null} foldKey="story" />
        </FoldContext>
      </TaskLookupContext>
    </TaskActionsContext>
  ),
}
export default meta
type Story = StoryObj<Args>

const known = (id: (typeof ids)[keyof typeof ids], state = liveState) => state.tasks.get(id) as Task

export const Queued: Story = {
  args: { task: known(ids.review) },
  play: async ({ canvasElement }) => {
    const link = within(canvasElement).getByRole('link', { name: 'Add parser tests' })
    await expect(link).toHaveAttribute('href', `#/t/${ids.tests}`)
  },
}
/** Its model or its command may hang: there was no activity for minutes. */
export const Silent: Story = {
  args: {
    task: known(ids.tests),
    activity: { state: 'working', text: 'Running npm test', silentSince: fixtureNowMs - 245_000 },
  },
  play: async ({ canvas }) => {
    await expect(canvas.getByText('Silent for 4m')).toBeVisible()
  },
}
export const SilentDark: Story = { ...Silent, globals: { theme: 'dark' }, play: undefined }

/** The counts of its changes, read once its run has ended. */
export const Changed: Story = {
  args: {
    task: known(ids.tests, laterState),
    later: true,
    changes: { files: 6, additions: 94, deletions: 16, binary: 2, reported: false, unknown: [] },
  },
  play: async ({ canvas }) => {
    await expect(canvas.getByText('6 files')).toBeVisible()
    await expect(canvas.getByText('2 binary')).toBeVisible()
    await waitFor(() => expect(actions.onNeedChanges).toHaveBeenCalledWith(ids.tests))
  },
}
/** The log of another tool tells its edits, and not what its commands changed. */
export const ChangesReported: Story = {
  args: {
    task: known(ids.tests, laterState),
    later: true,
    changes: {
      files: 1_240,
      additions: 94_000,
      deletions: 16,
      binary: 0,
      reported: true,
      unknown: ['commands'],
    },
  },
  play: async ({ canvas }) => {
    await expect(canvas.getByText('1,240+ files')).toBeVisible()
    await expect(canvas.getByText('reported')).toBeVisible()
    await expect(canvas.getByTitle(/What commands changed is known in part only/)).toBeVisible()
  },
}
export const ChangesUnknown: Story = {
  args: {
    task: known(ids.tests, laterState),
    later: true,
    changes: {
      files: 0,
      additions: 0,
      deletions: 0,
      binary: 0,
      reported: false,
      unknown: ['unreadable'],
    },
  },
  play: async ({ canvas }) => {
    await expect(canvas.getByText('files unknown')).toBeVisible()
  },
}
export const Running: Story = {
  args: { task: known(ids.tests) },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await userEvent.click(
      canvas.getByRole('button', { name: 'View transcript of Add parser tests' }),
    )
    await expect(actions.onViewTranscript).toHaveBeenLastCalledWith(ids.tests)
    await userEvent.click(canvas.getByRole('button', { name: 'Stop Add parser tests' }))
    await expect(actions.onStop).toHaveBeenLastCalledWith(ids.tests)
    await expect(canvas.getByText('1m 29s')).toBeVisible()
  },
}
export const RunningDark: Story = {
  tags: ['soak'],
  ...Running,
  globals: { theme: 'dark' },
  play: undefined,
}
export const Completed: Story = {
  args: {
    task: known(ids.tests, laterState),
    later: true,
    report: { phase: 'ready', title: 'Tests added', markdown: testsReport },
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const last = canvas.getByText(/The benchmark is 2% slower/)
    const box = (canvasElement.querySelector('[data-task]') as HTMLElement).getBoundingClientRect
    const fold = canvas.getByRole('button', { name: 'Show the whole report' })
    await expect(fold).toHaveAttribute('aria-expanded', 'false')
    await userEvent.click(fold)
    await expect(canvas.getByRole('button', { name: 'Show less' })).toBeVisible()
    await expect(last).toBeVisible()
    await expect(box).toBeDefined()
    await userEvent.click(canvas.getByRole('button', { name: 'Apply changes of Add parser tests' }))
    await expect(actions.onApply).toHaveBeenLastCalledWith(ids.tests)
  },
}
export const CompletedDark: Story = { ...Completed, globals: { theme: 'dark' }, play: undefined }
/** 180 kilobytes: the window stays responsive, and the whole report can be read. */
export const HugeReport: Story = {
  tags: ['soak'],
  args: {
    task: known(ids.tests, laterState),
    later: true,
    report: {
      phase: 'ready',
      title: 'Every module was looked at',
      markdown: Array.from(
        { length: 1500 },
        (_, index) =>
          `## Module ${index + 1}\n\n- **kept** as it was, see \`src/m${index}.ts\`\n- _two_ tests were added, and [one issue](https://example.com/${index})\n`,
      ).join('\n'),
    },
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await userEvent.click(await canvas.findByRole('button', { name: 'Show the whole report' }))
    await expect(canvas.getByText('Module 1')).toBeVisible()
    await expect(canvasElement.querySelectorAll('*').length).toBeLessThan(3_000)
    const shown = canvas.getAllByRole('heading').length
    await userEvent.click(canvas.getByRole('button', { name: 'Show more' }))
    await expect(canvas.getAllByRole('heading').length).toBeGreaterThan(shown)
    await expect(canvas.getByText(/^The first [23].* kB of 1.. kB/)).toBeVisible()
    // The focus stays at the place of the removed button.
    await expect(document.activeElement?.textContent).toMatch(/^Module/)
  },
}
export const ReportLoading: Story = {
  args: { task: known(ids.tests, laterState), later: true, report: { phase: 'loading' } },
}
export const ReportNotAskedFor: Story = {
  args: { task: known(ids.tests, laterState), later: true },
  play: async () => {
    await waitFor(() => expect(actions.onNeedReport).toHaveBeenLastCalledWith(ids.tests))
  },
}
export const ReportUnreadable: Story = {
  args: {
    task: known(ids.tests, laterState),
    later: true,
    report: { phase: 'failed', why: 'subagent-reports.json is damaged; it is being rebuilt.' },
  },
}
export const Failed: Story = {
  args: { task: known(ids.docs, laterState), later: true },
  play: async ({ canvasElement, args }) => {
    const canvas = within(canvasElement)
    await userEvent.click(canvas.getByRole('button', { name: 'Retry Write the docs' }))
    await expect(actions.onRetry).toHaveBeenLastCalledWith(ids.docs)
    await userEvent.click(canvas.getByRole('button', { name: 'More for Write the docs' }))
    await userEvent.click(await within(document.body).findByRole('menuitem', { name: 'Copy ID' }))
    await waitFor(() => expect(copied).toHaveBeenCalled())
    await expect(actions.menuOf).toHaveBeenLastCalledWith(args.task)
    await waitFor(() => expect(within(document.body).queryByRole('menu')).toBeNull())
  },
}
/** The reason is a page long: the card shows its beginning. */
export const FailedAtLength: Story = {
  args: {
    task: taskWith({
      status: 'failed',
      cause: { kind: 'said', text: 'It went wrong once more. '.repeat(120) },
    }),
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const why = canvas.getByText(/^It went wrong/)
    await expect(why.getBoundingClientRect().height).toBeLessThan(200)
    await userEvent.click(canvas.getByRole('button', { name: 'Show all' }))
    await expect(why.getBoundingClientRect().height).toBeGreaterThan(300)
    await userEvent.click(canvas.getByRole('button', { name: 'Show less' }))
    await expect(why.getBoundingClientRect().height).toBeLessThan(200)
  },
}
export const Interrupted: Story = {
  args: {
    task: taskWith({ status: 'interrupted', cause: { kind: 'closed', how: 'close' } }),
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await userEvent.click(canvas.getByRole('button', { name: 'Resume Add parser tests' }))
    await expect(actions.onResume).toHaveBeenLastCalledWith(ids.tests)
  },
}
export const Blocked: Story = {
  args: {
    task: taskWith({
      id: ids.review,
      status: 'blocked',
      dependsOn: [ids.tests],
      cause: {
        kind: 'dependencies',
        tasks: [{ taskId: ids.tests, title: 'Add parser tests', status: 'failed' }],
      },
    }),
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await expect(canvas.getByText('it depends on "Add parser tests" (failed)')).toBeVisible()
    await expect(canvas.queryByText(/Waits for/)).toBeNull()
  },
}
export const Applying: Story = {
  args: { task: known(ids.tests, laterState), later: true, apply: { kind: 'applying' } },
}
export const Applied: Story = {
  args: {
    task: taskWith({ status: 'completed', patch: 'applied' }),
    apply: { kind: 'applied', files: addedFiles('tests/parser.test.ts', 'tests/records.test.ts') },
  },
}
export const Conflict: Story = {
  args: {
    task: known(ids.tests, laterState),
    later: true,
    apply: {
      kind: 'conflict',
      paths: ['src/parser.ts', 'tests/parser.test.ts'],
      message: `Conflict in src/parser.ts, tests/parser.test.ts. Nothing was changed.
CONFLICT (content): Merge conflict in src/parser.ts
CONFLICT (add/add): Merge conflict in tests/parser.test.ts`,
    },
  },
}
export const FromItsResultAlone: Story = { args: { task: null, result: true } }
export const Hostile: Story = {
  args: {
    task: taskWith({
      title: `<script>alert(1)</script> ${'longword'.repeat(60)} \u202Egnp.exe`,
      agent: 'a'.repeat(200),
      status: 'failed',
      cause: { kind: 'said', text: `${'x'.repeat(400)} <img src=x onerror=alert(1)>` },
    }),
  },
  play: async ({ canvasElement }) => {
    await expect(canvasElement.querySelector('script, img')).toBeNull()
    await expect(canvasElement.scrollWidth).toBeLessThanOrEqual(canvasElement.clientWidth)
  },
}
