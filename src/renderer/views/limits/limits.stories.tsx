/** Limits of a tree in the window, and what a user can say to a running agent, over the fake contract. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { useState } from 'react'
import { expect, userEvent, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost, type StoryHost } from '../../../../storybook/story-host.ts'
import { leadLive } from '../../../../tests/fixtures/entries/conversations.ts'
import { ids, liveActivity, liveRecords } from '../../../../tests/fixtures/entries/tasks.ts'
import { newPromptId } from '../../../shared/records/ids.ts'
import type { LedgerEvent, LedgerRecord } from '../../../shared/records/ledger.ts'
import type { Budget } from '../../../shared/records/tasks/budgets.ts'
import { noUsage } from '../../../shared/records/usage.ts'

/** The lead is a model, with a budget that its tree has used up. */
const recordsWith = (budget: Budget): LedgerRecord[] => {
  const records = liveRecords.map((record): LedgerRecord => {
    const { event } = record
    if (event.type !== 'task.created' || event.taskId !== ids.lead) return record
    const spec = {
      kind: 'model' as const,
      provider: 'anthropic' as const,
      model: 'claude-opus-5-5',
      agent: 'lead',
    }
    return { ...record, event: { ...event, spec, options: { ...event.options, budget } } }
  })
  const last = records.at(-1)
  if (!last) return records
  const reached = { type: 'task.budget-reached', taskId: ids.lead, part: 'usd' } as const
  return [
    ...records,
    { seq: last.seq + 1, at: last.at, event: { ...reached, level: 'near', used: 4.1 } },
    { seq: last.seq + 2, at: last.at, event: { ...reached, level: 'spent', used: 5.08 } },
  ]
}

/** For the play function: what was asked of the host. */
let shown: StoryHost

/** Its quota is spent, and the tree waits for it. */
const sleepingRecords = (): LedgerRecord[] => {
  const records = recordsWith({ usd: 5 }).slice(0, -2)
  const { seq, at } = records.at(-1) ?? { seq: 0, at: 0 }
  const untilMs = at + 3 * 3_600_000
  const cause = { kind: 'quota' as const, untilMs, detail: '5-hour limit' }
  const promptId = newPromptId()
  const events: LedgerEvent[] = [
    {
      type: 'task.prompted',
      taskId: ids.tests,
      promptId,
      atNextTurn: true,
      prompt: 'Cover nested arrays as well, please.',
    },
    { type: 'task.interrupted', taskId: ids.tests, run: 1, cause, usage: noUsage },
    { type: 'task.interrupted', taskId: ids.lead, run: 1, cause, usage: noUsage },
    {
      type: 'task.sleep-started',
      taskId: ids.lead,
      untilMs,
      wait: 1,
      reason: cause.detail,
    },
  ]
  return [...records, ...events.map((event, n) => ({ seq: seq + 1 + n, at, event }))]
}

function Stage(props: { address: string; sleeping: boolean }) {
  const { address, sleeping } = props
  const [fake] = useState(() =>
    createStoryHost({
      records: sleeping ? sleepingRecords() : recordsWith({ usd: 5 }),
      sessions: { [ids.lead]: leadLive() },
      activity: sleeping ? {} : { ...liveActivity, [ids.tests]: { state: 'paused' } },
    }),
  )
  shown = fake
  return <AppStage fake={fake} address={address} />
}

const meta: Meta<{ address: string; sleeping?: boolean }> = {
  title: 'Screens/Limits',
  decorators: [inWindow],
  args: { address: `#/t/${ids.lead}` },
  render: ({ address, sleeping = false }) => <Stage address={address} sleeping={sleeping} />,
}
export default meta
type Story = StoryObj<typeof meta>

/** The tree waits: the user raises the limit, changes it, has it wrap up, or stops it. */
export const Reached: Story = {
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const line = within(await canvas.findByRole('region', { name: 'Budget' }))
    await line.findByText(/The limit is reached: \$5\.08 of \$5\.00/)
    // The one in the composer is enough.
    await expect(line.queryByRole('button', { name: 'Stop' })).toBeNull()
    await userEvent.click(line.getByRole('button', { name: 'Wrap up' }))
    await waitFor(() => expect(shown.asked('tasks.wrapUp')).toEqual([{ taskId: ids.lead }]))
    await line.findByText(/Wrapping up: agents report and end/)
    await waitFor(() => expect(line.queryByRole('button', { name: 'Wrap up' })).toBeNull())
    expect(canvas.queryByText(/Limit reached/)).toBeNull()
    await userEvent.click(line.getByRole('button', { name: 'Raise to $10.16' }))
    await waitFor(() =>
      expect(shown.asked('tasks.setBudget')).toEqual([
        { taskId: ids.lead, budget: { usd: 10.16 } },
      ]),
    )
    await waitFor(() => expect(canvas.queryByRole('region', { name: 'Budget' })).toBeNull())
  },
}
export const ReachedDark: Story = { globals: { theme: 'dark' } }

/** A message for the next step, beside one for the next run. */
export const SendNow: Story = {
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await userEvent.type(await canvas.findByRole('textbox', { name: 'Follow-up' }), 'Make it blue')
    await userEvent.click(canvas.getByRole('button', { name: 'Send now' }))
    await canvas.findByText('Will be read before the next step.')
    expect(shown.asked('tasks.prompt')).toMatchObject([
      { taskId: ids.lead, prompt: 'Make it blue', atNextTurn: true },
    ])
    await userEvent.click(canvas.getByRole('button', { name: 'More ways to stop' }))
    const page = within(canvasElement.ownerDocument.body)
    await userEvent.click(await page.findByRole('menuitem', { name: 'Wrap up: report now' }))
    await waitFor(() => expect(shown.asked('tasks.wrapUp')).toHaveLength(1))
  },
}

/** Set on a running root, for everything below it. */
export const Change: Story = {
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await userEvent.click(await canvas.findByRole('button', { name: 'Change limits…' }))
    const page = within(canvasElement.ownerDocument.body)
    const dialog = within(await page.findByRole('dialog', { name: 'Limits' }))
    const cost = dialog.getByRole('textbox', { name: 'Cost (USD)' })
    await expect(cost).toHaveValue('5')
    await userEvent.clear(cost)
    await userEvent.type(cost, '0')
    await dialog.findByText('Enter a number above 0, or leave it empty.')
    await userEvent.clear(cost)
    await userEvent.type(dialog.getByRole('textbox', { name: 'Tokens' }), '200000')
    await userEvent.click(dialog.getByRole('button', { name: 'Set limits' }))
    await waitFor(() =>
      expect(shown.asked('tasks.setBudget')).toEqual([
        { taskId: ids.lead, budget: { tokens: 200_000 } },
      ]),
    )
  },
}

/** What new agents have unless they are started with something else. */
export const Settings: Story = {
  args: { address: '#/settings' },
  play: async ({ canvasElement }) => {
    const form = within(await within(canvasElement).findByRole('form', { name: 'Limits' }))
    await userEvent.type(form.getByRole('textbox', { name: 'Minutes' }), '90')
    await userEvent.click(form.getByRole('checkbox', { name: /quota is used up/ }))
    await userEvent.click(form.getByRole('button', { name: 'Save limits' }))
    await waitFor(() =>
      expect(shown.asked('limits.setSettings')).toEqual([
        { budget: { minutes: 90 }, quotaWaits: 3 },
      ]),
    )
    await waitFor(() => expect(form.queryByRole('button', { name: 'Discard changes' })).toBeNull())
  },
}

/** A stopped sub-agent, and a message that it has not read: it is withdrawn here. */
export const NotRead: Story = {
  tags: ['soak'],
  args: { address: `#/t/${ids.tests}`, sleeping: true },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const kept = within(await canvas.findByRole('region', { name: 'Not read' }, { timeout: 5_000 }))
    await kept.findByText('Not read. The sub-agent reads it when it continues.')
    expect(kept.queryByRole('button', { name: 'Edit' })).toBeNull()
    await userEvent.click(kept.getByRole('button', { name: 'Discard' }))
    await waitFor(() => expect(shown.asked('tasks.withdrawPrompt')).toHaveLength(1))
    await waitFor(() => expect(canvas.queryByRole('region', { name: 'Not read' })).toBeNull())
  },
}

/** It waits for a quota: the user wakes it, or ends the wait. */
export const Sleeping: Story = {
  args: { sleeping: true },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const line = within(await canvas.findByRole('region', { name: 'Sleeping' }))
    await line.findByText(/Sleeping until/)
    await userEvent.click(line.getByRole('button', { name: 'Wake now' }))
    await waitFor(() => expect(shown.asked('tasks.wake')).toEqual([{ taskId: ids.lead }]))
    await waitFor(() => expect(canvas.queryByRole('region', { name: 'Sleeping' })).toBeNull())
  },
}
