/** The archive after sweeps: pinned, expired and permanently deleted transcripts. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, userEvent, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost } from '../../../../storybook/story-host.ts'
import { testsEnded } from '../../../../tests/fixtures/entries/conversations.ts'
import {
  created,
  fixtureNowMs,
  ids,
  laterRecords,
} from '../../../../tests/fixtures/entries/tasks.ts'
import type { TaskChecks } from '../../../shared/contract/changes/checks.ts'
import type { ReceiptId, TaskId, ToolCallId } from '../../../shared/records/ids.ts'

const receiptId = '7f3c1d52-2f0a-4f9e-8a51-0d3b8a1c2e4f' as ReceiptId

const callId = (text: string) => text as ToolCallId
const checksOfTests: TaskChecks = {
  checks: [
    {
      kind: 'tests',
      command: 'npx vitest run tests/parse',
      seq: 12,
      callId: callId('c2'),
      turn: 3,
      at: fixtureNowMs - 90_000,
      durationMs: 8_400,
      outcome: 'passed',
      exitCode: 0,
      times: 3,
      state: 'fresh',
      changed: [],
      changedMore: 0,
      cited: true,
      end: 'known',
    },
    {
      kind: 'types',
      command: 'npx tsc --noEmit',
      seq: 5,
      callId: callId('c1'),
      turn: 2,
      at: fixtureNowMs - 300_000,
      durationMs: 12_000,
      outcome: 'failed',
      exitCode: 2,
      times: 1,
      state: 'stale',
      changed: ['src/parse/list.ts', 'tests/records.test.ts'],
      changedMore: 0,
      cited: false,
      end: 'known',
    },
    {
      kind: 'lint',
      command: 'npm run lint 2>&1',
      seq: 4,
      callId: callId('c0'),
      turn: 1,
      at: fixtureNowMs - 400_000,
      durationMs: 900,
      outcome: 'unclear',
      exitCode: null,
      times: 1,
      state: 'unknown',
      changed: [],
      changedMore: 0,
      cited: false,
      end: 'running',
    },
  ],
  more: 0,
  cited: [
    {
      callId: callId('c2'),
      seq: 12,
      turn: 3,
      name: 'bash',
      outcome: 'ok',
      title: 'npx vitest run tests/parse',
    },
  ],
  citedMore: 0,
  neverRan: [{ kind: 'build', command: 'npm run build' }],
}

function fakeWith(state: 'expired' | 'gone' | 'kept') {
  const fake = createStoryHost({
    records: laterRecords,
    sessions: { [ids.tests]: { entries: testsEnded() } },
    reports: { [ids.tests]: 'All of it is covered now.' },
    checks: { [ids.tests]: checksOfTests },
    retention: {
      receipts: [
        {
          id: receiptId,
          at: new Date(fixtureNowMs).toISOString(),
          by: 'start' as const,
          transcripts: 1,
          bytes: 48_000,
          inTrash: 1,
          keptUntil: null,
          deleted: 0,
          deletedBytes: 0,
          restored: 0,
          gone: 0,
        },
      ],
    },
  })
  fake.record({ type: 'task.pinned', taskId: ids.notes })
  if (state === 'kept') return fake
  const keptUntil = fixtureNowMs + 7 * 86_400_000
  fake.record({ type: 'transcript.expired', taskId: ids.tests, receiptId, keptUntil })
  if (state === 'gone') fake.record({ type: 'transcript.purged', taskId: ids.tests, receiptId })
  return fake
}

const meta: Meta<{ state: 'expired' | 'gone' | 'kept' }> = {
  title: 'Screens/Archive',
  decorators: [inWindow],
  render: ({ state }) => (
    <AppStage fake={fakeWith(state)} address={`#/archive/${ids.tests}/transcript`} />
  ),
}
export default meta
type Story = StoryObj<typeof meta>

export const Trash: Story = {
  args: { state: 'expired' },
  render: ({ state }) => {
    const fake = fakeWith(state)
    fake.record({ type: 'workspace.trashed', workspaceId: ids.notes })
    return <AppStage fake={fake} address="#/archive" />
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const page = within(canvasElement.ownerDocument.body)
    await userEvent.click(await canvas.findByRole('combobox', { name: 'Show' }))
    await userEvent.click(await page.findByRole('option', { name: 'Trash' }))
    const row = await canvas.findByRole('checkbox', { name: /^Select all/ })
    await userEvent.click(row)
    await userEvent.click(canvas.getByRole('button', { name: 'Restore' }))
    await canvas.findByText(/^The trash is empty/)
    // "Archive" leads to the archive, also after a visit to the trash.
    await userEvent.keyboard('ga')
    await canvas.findByRole('heading', { name: 'Archive' })
    await expect(canvas.getByRole('combobox', { name: 'Show' })).toHaveTextContent('Archived')
  },
}
/** It is asked about, with the focus on the safe side, and says what is lost. */
export const DeletedPermanently: Story = {
  ...Trash,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const page = within(canvasElement.ownerDocument.body)
    await userEvent.click(await canvas.findByRole('combobox', { name: 'Show' }))
    await userEvent.click(await page.findByRole('option', { name: 'Trash' }))
    await userEvent.click(await canvas.findByRole('checkbox', { name: /^Select Collect/ }))
    const ask = async () => {
      await userEvent.click(canvas.getByRole('button', { name: 'Delete permanently…' }))
      const dialog = await page.findByRole('dialog', { name: 'Permanently delete this?' })
      await waitFor(() =>
        expect(within(dialog).getByRole('button', { name: 'Cancel' })).toHaveFocus(),
      )
      return within(dialog)
    }
    const asked = await ask()
    asked.getByText(
      /^The transcripts, reports and patches of 1 agent are lost. This can’t be undone/,
    )
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(page.queryByRole('dialog')).toBeNull())
    await expect(canvas.getByRole('checkbox', { name: /^Select Collect/ })).toBeChecked()
    await userEvent.click((await ask()).getByRole('button', { name: 'Delete permanently' }))
    await waitFor(() =>
      expect(canvas.queryByRole('checkbox', { name: /^Select Collect/ })).toBeNull(),
    )
  },
}
/** The shown agent must not stay in place of the trash. */
export const TrashWhileReading: Story = {
  args: { state: 'kept' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const page = within(canvasElement.ownerDocument.body)
    await canvas.findByRole('region', { name: /^Transcript of / })
    await userEvent.click(await canvas.findByRole('combobox', { name: 'Show' }))
    await userEvent.click(await page.findByRole('option', { name: 'Trash' }))
    await canvas.findByText(/^The trash is empty/)
  },
}
/** Another window or the command line deletes the agent while it is open here. */
export const DeletedWhileReading: Story = {
  args: { state: 'kept' },
  render: ({ state }) => {
    const fake = fakeWith(state)
    fake.record({ type: 'workspace.trashed', workspaceId: ids.notes })
    return <AppStage fake={fake} address={`#/archive/${ids.notes}`} />
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByText(/was deleted\. It can be restored from the trash\.$/)
    await userEvent.click(canvas.getByRole('button', { name: 'Open the trash' }))
    await canvas.findByRole('checkbox', { name: /^Select all/ })
  },
}
/** A link to it leads to the trash as well, instead of to a transcript that can't be read. */
export const LinkToDeleted: Story = {
  ...DeletedWhileReading,
  render: ({ state }) => {
    const fake = fakeWith(state)
    fake.record({ type: 'workspace.trashed', workspaceId: ids.notes })
    return <AppStage fake={fake} address={`#/t/${ids.notes}`} />
  },
}
/** Beside the list, a replay has the height and the width of the reader. */
export const Replay: Story = {
  args: { state: 'kept' },
  render: () => (
    <AppStage fake={fakeWith('kept')} address={`#/archive/${ids.tests}/transcript?seq=5&replay`} />
  ),
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByRole('slider')
    await expect(canvas.queryByText('Runs', { exact: true })).toBeNull()
    await expect(canvas.queryByRole('heading', { name: /^As of turn/ })).toBeNull()
  },
}
/** A report with the checks that its agent ran: one opens at its call. */
export const ReportWithChecks: Story = {
  args: { state: 'kept' },
  render: () => <AppStage fake={fakeWith('kept')} address={`#/archive/${ids.tests}`} />,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const checks = within(await canvas.findByRole('region', { name: 'Checks' }))
    await userEvent.click(await checks.findByText('2 files changed after it ran'))
    await expect(checks.getByText('src/parse/list.ts')).toBeVisible()
    await checks.findByText(/never ran/)
    await userEvent.click(checks.getByRole('button', { name: 'Turn 2' }))
    await canvas.findByRole('region', { name: /^Transcript of / })
  },
}
export const ReportWithChecksDark: Story = {
  ...ReportWithChecks,
  args: { state: 'kept' },
  globals: { theme: 'dark' },
  play: undefined,
}
/** Where many tasks continue it, the first are named, and the others are in a menu. */
export const ContinuedOften: Story = {
  tags: ['soak'],
  args: { state: 'kept' },
  render: () => {
    const fake = fakeWith('kept')
    for (let nth = 1; nth <= 40; nth++) {
      const title = `Continue with ${nth < 3 ? `part ${nth}` : '\u202ethe same '.repeat(12)}`
      const id = `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}` as TaskId
      fake.record(created(id, title, { resumedFrom: { taskId: ids.tests, seq: 1 } }))
    }
    return <AppStage fake={fake} address={`#/archive/${ids.tests}`} />
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByRole('link', { name: 'Continue with part 2' })
    await userEvent.click(canvas.getByRole('button', { name: '38 more' }))
    const menu = await within(document.body).findByRole('menu')
    await expect(within(menu).getAllByRole('menuitem')).toHaveLength(38)
    await expect(menu.getBoundingClientRect().bottom).toBeLessThanOrEqual(window.innerHeight)
    await userEvent.keyboard('{End}{Enter}')
    await canvas.findByText('Continues')
  },
}
export const Expired: Story = {
  args: { state: 'expired' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByText(/^This transcript expired on .+ You can restore it until /)
  },
}
export const ExpiredDark: Story = { args: { state: 'expired' }, globals: { theme: 'dark' } }
export const Restored: Story = {
  args: { state: 'expired' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await userEvent.click(await canvas.findByRole('button', { name: 'Restore' }))
    await canvas.findByRole('region', { name: /^Transcript of / })
  },
}
export const GoneForGood: Story = {
  args: { state: 'gone' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByText(/was permanently deleted on/)
    await expect(canvas.queryByRole('button', { name: 'Restore' })).toBeNull()
  },
}
export const Pinning: Story = {
  args: { state: 'kept' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const pin = await canvas.findByRole('button', { name: /^Pin: / })
    await userEvent.click(pin)
    await canvas.findByRole('button', { name: /^Unpin: / })
  },
}

/** Only a sub-agent's transcript is deleted; its report stays, and the toast undoes the deletion. */
export const DeletesTranscript: Story = {
  args: { state: 'kept' },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const page = within(canvasElement.ownerDocument.body)
    await userEvent.click(await canvas.findByRole('button', { name: 'Delete transcript' }))
    // It stays while the pointer is on it, however long the rest takes.
    const undo = await page.findByRole('button', { name: 'Undo' })
    await userEvent.hover(undo)
    await canvas.findByText(
      /^You deleted this transcript on .+ The report is kept\. You can restore/,
    )
    await expect(canvas.queryByRole('button', { name: 'Delete transcript' })).toBeNull()
    await userEvent.click(undo)
    await canvas.findByRole('button', { name: 'Delete transcript' })
  },
}
