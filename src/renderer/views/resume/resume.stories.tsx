/** Resuming over the whole window: what is interrupted, the dialog, several at once; hostile, broken, narrow. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, userEvent, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost } from '../../../../storybook/story-host.ts'
import { leadLive } from '../../../../tests/fixtures/entries/conversations.ts'
import {
  conflictDrift,
  hostileDrift,
  hostileIds,
  hostileRecords,
  interruptedRecords,
  manyInterruptedRecords,
  movedDrift,
  oneInterruptedRecords,
} from '../../../../tests/fixtures/entries/interrupted.ts'
import { ids, laterRecords } from '../../../../tests/fixtures/entries/tasks.ts'
import type { DriftReport } from '../../../shared/records/drift.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { LedgerRecord } from '../../../shared/records/ledger.ts'
import type { Overlay } from '../../store/window/overlay.ts'

interface Args {
  records: LedgerRecord[]
  address: string
  drift?: Record<TaskId, DriftReport>
  overlay?: Exclude<Overlay, { kind: 'none' }>
  /** The host that can't say what has changed, or does not answer. */
  plan?: 'fails' | 'never'
  /** It was resumed, and there is no room for it yet. */
  waiting?: TaskId
}

const meta: Meta<Args> = {
  title: 'Screens/Resume',
  decorators: [inWindow],
  render: ({ records, address, drift, overlay, plan, waiting }) => (
    <AppStage
      fake={createStoryHost({
        records,
        drift,
        sessions: { [ids.lead]: leadLive() },
        beforePlan: plan && plans[plan],
        activity: waiting ? { [waiting]: { state: 'waiting' } } : {},
      })}
      address={address}
      overlay={overlay}
    />
  ),
}
export default meta
type Story = StoryObj<Args>

const plans = {
  fails: () => Promise.reject(new Error('git ended with signal 9')),
  never: () => new Promise<void>(() => {}),
}

const lead = `#/t/${ids.lead}`
const tree = { kind: 'resume', target: { of: 'task', taskId: ids.lead } } as const
const notes = { kind: 'resume', target: { of: 'task', taskId: ids.notes } } as const
const all = { kind: 'resume', target: { of: 'all' } } as const
const body = () => within(document.body)
/** Keys are its own from then on. */
const untilFocused = () =>
  waitFor(() =>
    expect(body().getByRole('dialog')).toContainElement(document.activeElement as HTMLElement),
  )

export const Tree: Story = {
  args: {
    records: interruptedRecords,
    address: lead,
    drift: { [ids.lead]: movedDrift(ids.lead), [ids.tests]: conflictDrift(ids.tests) },
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const section = within(await canvas.findByRole('region', { name: 'Interrupted' }))
    await userEvent.click(await section.findByRole('button', { name: 'Resume Fix the parser' }))
    const dialog = within(await body().findByRole('dialog', { name: 'Resume “Fix the parser”' }))
    await dialog.findByRole('radio', { name: 'Whole tree (5)' })
    // With conflicts Enter must not resume by accident.
    await waitFor(() => expect(dialog.getByRole('button', { name: 'Cancel' })).toHaveFocus())
    await userEvent.click(dialog.getByRole('radio', { name: 'Only this agent' }))
    await waitFor(() => expect(dialog.getByRole('button', { name: 'Resume' })).toBeEnabled())
    await userEvent.click(dialog.getByRole('radio', { name: 'Whole tree (5)' }))
    await userEvent.click(await dialog.findByRole('button', { name: 'Resume anyway' }))
    // The toast first: it goes away by itself.
    await body().findAllByText('Resumed 5 agents.')
    await waitFor(() => expect(body().queryByRole('dialog')).toBeNull())
    await section.findByText(/^Resuming 5 of 5/)
    // Nothing of it is cut off beside the button, at the width that a sidebar has at first.
    const words = await section.findByText(/^0 completed, 5 running$/)
    await expect(words.scrollWidth).toBeLessThanOrEqual(words.clientWidth)
    await userEvent.click(section.getByRole('button', { name: 'Stop resuming' }))
    await waitFor(() => expect(section.queryByText(/^Resuming/)).toBeNull())
    await body().findByText('Stopped. 0 of 5 completed.')
    await body().findByText('5 running agents stopped. The partial output was saved.')
  },
}
export const TreeDialog: Story = {
  args: { ...Tree.args, overlay: tree } as Args,
}
/** From the header's menu: title, sentence and button say what is chosen, whatever that becomes. */
export const TreeAbandoned: Story = {
  args: { records: interruptedRecords, address: lead },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await userEvent.click(await canvas.findByRole('button', { name: 'More' }))
    await userEvent.click(await body().findByRole('menuitem', { name: 'Abandon…' }))
    const dialog = within(await body().findByRole('dialog', { name: 'Abandon “Fix the parser”' }))
    await dialog.findByText('All 5 will be abandoned. What they did stays in the archive.')
    await waitFor(() => expect(dialog.getByRole('button', { name: 'Abandon 5' })).toBeEnabled())
    const choose = async (title: string, choice: string) => {
      await userEvent.click(dialog.getByRole('combobox', { name: `What to do with ${title}` }))
      await userEvent.click(await body().findByRole('option', { name: choice }))
    }
    await choose('Write the docs', 'Resume')
    await dialog.findByText('Of these 5, 1 will resume; 4 will be abandoned.')
    await choose('Fix the parser', 'Resume')
    await body().findByRole('dialog', { name: 'Resume “Fix the parser”' })
    await dialog.findByText('All 5 will pick up where they stopped, with their full history.')
    await choose('Fix the parser', 'Abandon')
    await body().findByRole('dialog', { name: 'Abandon “Fix the parser”' })
    await userEvent.click(dialog.getByRole('radio', { name: 'Only this agent' }))
    await dialog.findByText('It will be abandoned. What it did stays in the archive.')
    await waitFor(() => expect(dialog.getByRole('button', { name: 'Abandon' })).toBeEnabled())
  },
}
export const TreeDialogDark: Story = { ...TreeDialog, globals: { theme: 'dark' }, play: undefined }
export const Listed: Story = { args: { records: interruptedRecords, address: lead } }
export const ListedDark: Story = { ...Listed, globals: { theme: 'dark' }, play: undefined }
export const WaitingForItsTurn: Story = {
  args: { records: interruptedRecords, address: lead, waiting: ids.docs },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const section = within(await canvas.findByRole('region', { name: 'Interrupted' }))
    ;(await section.findByRole('treeitem', { name: /^Fix the parser/ })).focus()
    await userEvent.keyboard('{ArrowRight}')
    await section.findByRole('button', { name: 'Stop Write the docs' })
    await expect(section.queryByRole('button', { name: 'Resume Write the docs' })).toBeNull()
    await expect(await section.findByText('Waiting for a slot')).toBeVisible()
  },
}
export const One: Story = {
  args: { records: oneInterruptedRecords, address: `#/t/${ids.notes}` },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const section = within(await canvas.findByRole('region', { name: 'Interrupted' }))
    await expect(section.queryByRole('button', { name: /^Resume all/ })).toBeNull()
    // Nothing has changed: it resumes at once.
    ;(await section.findByRole('treeitem', { name: /Collect release notes/ })).focus()
    await userEvent.click(
      await section.findByRole('button', { name: 'Resume Collect release notes' }),
    )
    await waitFor(() => expect(canvas.queryByRole('region', { name: 'Interrupted' })).toBeNull())
    await expect(body().queryByRole('dialog')).toBeNull()
  },
}
/** A restart and an end are asked about; what is said is what is left and what stays. */
export const OneEnded: Story = {
  args: { records: oneInterruptedRecords, address: `#/t/${ids.notes}` },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const choose = async (item: string) => {
      await userEvent.click(await canvas.findByRole('button', { name: 'More' }))
      await userEvent.click(await body().findByRole('menuitem', { name: item }))
    }
    await choose('Abandon…')
    const abandon = within(
      await body().findByRole('dialog', { name: 'Abandon “Collect release notes”' }),
    )
    await expect(abandon.getByText(/Its transcript stays/)).toBeVisible()
    await waitFor(() => expect(abandon.getByRole('button', { name: 'Cancel' })).toHaveFocus())
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(body().queryByRole('dialog')).toBeNull())
    await choose('Restart…')
    const restart = within(
      await body().findByRole('dialog', { name: 'Restart “Collect release notes”' }),
    )
    await expect(restart.getByText(/Not taken along: what it had read/)).toBeVisible()
    await userEvent.click(restart.getByRole('button', { name: 'Restart' }))
    // The window goes to the new agent.
    await body().findByText('Restarted “Collect release notes”.')
    const shown = await canvas.findByRole('treeitem', { selected: true })
    await expect(shown.dataset.row).not.toBe(ids.notes)
  },
}
export const OneConflicting: Story = {
  args: {
    records: oneInterruptedRecords,
    address: `#/t/${ids.notes}`,
    drift: { [ids.notes]: conflictDrift(ids.notes) },
    overlay: notes,
  },
  play: async () => {
    const dialog = within(await body().findByRole('dialog'))
    await dialog.findByRole('button', { name: 'Resume anyway' })
    await expect(dialog.getByRole('button', { name: 'Restart' })).toBeEnabled()
    await untilFocused()
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(body().queryByRole('dialog')).toBeNull())
  },
}
export const OneConflictingDark: Story = {
  tags: ['soak'],
  args: OneConflicting.args as Args,
  globals: { theme: 'dark' },
}
export const OneMoved: Story = {
  args: {
    records: oneInterruptedRecords,
    address: `#/t/${ids.notes}`,
    drift: { [ids.notes]: movedDrift(ids.notes) },
    overlay: notes,
  },
  play: async () => {
    const dialog = within(await body().findByRole('dialog'))
    const go = await dialog.findByRole('button', { name: 'Resume' })
    await waitFor(() => expect(go).toHaveFocus())
  },
}
export const Many: Story = {
  tags: ['soak'],
  args: { records: manyInterruptedRecords, address: lead, overlay: all },
  play: async () => {
    const dialog = within(await body().findByRole('dialog', { name: 'Resume interrupted agents' }))
    const atOnce = await dialog.findByRole('spinbutton', { name: 'Max. parallel agents' })
    await expect(atOnce).toHaveValue(3)
    await userEvent.clear(atOnce)
    await userEvent.type(atOnce, '17')
    await expect(await dialog.findByText('A whole number from 1 to 16.')).toBeVisible()
    await expect(dialog.getByRole('button', { name: 'Resume' })).toBeDisabled()
    await userEvent.clear(atOnce)
    await userEvent.type(atOnce, '4')
    await waitFor(() => expect(dialog.getByRole('button', { name: 'Resume' })).toBeEnabled())
  },
}
export const ManyListed: Story = { args: { records: manyInterruptedRecords, address: lead } }
export const Hostile: Story = {
  args: {
    records: hostileRecords,
    address: `#/t/${hostileIds.title}`,
    drift: { [hostileIds.title]: hostileDrift(hostileIds.title) },
    overlay: { kind: 'resume', target: { of: 'task', taskId: hostileIds.title } },
  },
  play: async () => {
    await body().findByRole('button', { name: 'Show all 60' })
    await expect(document.querySelector('img')).toBeNull()
    await expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(window.innerWidth)
  },
}
/** A follow-up to a root whose sub-agents are interrupted asks first; nothing that was typed is lost. */
export const FollowUp: Story = {
  args: {
    records: interruptedRecords,
    address: lead,
    overlay: { kind: 'follow-up', taskId: ids.lead, interrupted: 4, onSend: () => {} },
  },
  play: async () => {
    const dialog = within(
      await body().findByRole('dialog', { name: '4 sub-agents are interrupted' }),
    )
    await waitFor(() =>
      expect(dialog.getByRole('button', { name: 'Resume them first' })).toHaveFocus(),
    )
    await userEvent.click(dialog.getByRole('button', { name: 'Resume them first' }))
    await body().findByRole('dialog', { name: 'Resume “Fix the parser”' })
  },
}
/** The agents that worked side by side, and nobody above or below them. */
export const ParallelGroup: Story = {
  args: {
    records: interruptedRecords,
    address: lead,
    overlay: { kind: 'resume', target: { of: 'group', taskId: ids.tests } },
  },
  play: async () => {
    const dialog = within(
      await body().findByRole('dialog', {
        name: 'Resume the parallel group of “Add parser tests”',
      }),
    )
    const group = await dialog.findByRole('radio', { name: /^Parallel group \(\d\)$/ })
    await expect(group).toBeChecked()
    await expect(dialog.queryByRole('listitem', { name: 'Fix the parser' })).toBeNull()
    await userEvent.click(dialog.getByRole('radio', { name: 'Only this agent' }))
    await body().findByRole('dialog', { name: 'Resume “Add parser tests”' })
  },
}
/** The same from a card of one of them. */
export const ParallelGroupFromCard: Story = {
  tags: ['soak'],
  args: { records: interruptedRecords, address: lead },
  play: async ({ canvasElement }) => {
    const [more] = await within(canvasElement).findAllByRole('button', {
      name: 'More for Add parser tests',
    })
    if (more) await userEvent.click(more)
    await userEvent.click(
      await body().findByRole('menuitem', { name: /^Resume parallel group \(\d\)…$/ }),
    )
    await body().findByRole('dialog', { name: 'Resume the parallel group of “Add parser tests”' })
  },
}
export const ParallelGroupDark: Story = {
  args: ParallelGroup.args as Args,
  globals: { theme: 'dark' },
}
export const Looking: Story = {
  args: { records: interruptedRecords, address: lead, overlay: tree, plan: 'never' },
  play: async () => {
    await body().findByText(/^Checking 1 of 5…$/)
    await untilFocused()
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(body().queryByRole('dialog')).toBeNull())
  },
}
export const LookingFailed: Story = {
  tags: ['soak'],
  args: { records: interruptedRecords, address: lead, overlay: tree, plan: 'fails' },
  play: async () => {
    await body().findByRole('button', { name: 'Copy details' })
    await body().findByRole('button', { name: 'Try again' })
  },
}
export const ContinueAsNew: Story = {
  args: {
    records: laterRecords,
    address: `#/t/${ids.upgrade}`,
    overlay: { kind: 'continue-from', taskId: ids.upgrade },
  },
  play: async ({ canvasElement }) => {
    const dialog = within(await body().findByRole('dialog'))
    const prompt = await dialog.findByRole('textbox', { name: 'Prompt' })
    await waitFor(() => expect(prompt).toHaveValue('Upgrade the test runner'))
    await waitFor(() => expect(dialog.getByRole('button', { name: 'Start' })).toBeEnabled())
    await userEvent.click(dialog.getByRole('button', { name: 'Start' }))
    await within(canvasElement).findByText('Continues')
  },
}
