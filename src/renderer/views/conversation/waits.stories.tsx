/** What a user sees, and can do, while an agent starts for long or waits before its next request to the model. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { useState } from 'react'
import { expect, userEvent, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost, type StoryHost } from '../../../../storybook/story-host.ts'
import { session } from '../../../../tests/fixtures/entries/builder.ts'
import { fixtureNowMs, ids, liveRecords } from '../../../../tests/fixtures/entries/tasks.ts'
import { runIdOf } from '../../../shared/records/ids.ts'
import type { LedgerEvent, LedgerRecord } from '../../../shared/records/ledger.ts'
import type { Activity } from '../../../shared/records/tasks/activity.ts'
import { noUsage } from '../../../shared/records/usage.ts'

const minuteMs = 60_000

const starting: Activity = {
  state: 'working',
  text: 'Starting Codex',
  starts: true,
  silentSince: fixtureNowMs - 70_000,
}

const retrying: Activity = {
  state: 'working',
  text: 'Waiting to try again',
  retriesAt: fixtureNowMs + 3 * minuteMs,
}

/** Its next request is due in three minutes. */
const limited = (isCut: boolean) => {
  const builder = session(ids.lead).prompt('Bring the new grammar to the parser.')
  if (isCut)
    builder.add({
      type: 'message',
      role: 'assistant',
      parts: [{ type: 'text', text: 'I read the tokenizer' }],
      cwd: '/home/robin/api',
      timestamp: new Date(fixtureNowMs).toISOString(),
      gitBranch: null,
      sessionId: ids.lead,
      runId: runIdOf(ids.lead, 1),
      turn: 1,
      status: 'superseded',
    })
  return builder.add({
    type: 'retrying',
    runId: runIdOf(ids.lead, 1),
    turn: 1,
    cause: { kind: 'quota', untilMs: null, detail: '429 too many requests' },
    untilMs: fixtureNowMs + 3 * minuteMs,
  })
}

const detail =
  'Codex had not started after 2 minutes, and was ended (no answer to session/new). Start it in a terminal to see what it waits for'

/** It was ended, as its start hung. */
const endedRecords = (): LedgerRecord[] => {
  const { seq, at } = liveRecords.at(-1) ?? { seq: 0, at: 0 }
  const event: LedgerEvent = {
    type: 'task.interrupted',
    taskId: ids.lead,
    run: 1,
    cause: { kind: 'not-started', step: 'run', detail },
    usage: noUsage,
  }
  return [...liveRecords, { seq: seq + 1, at, event }]
}

/** For the play function: what was asked of the host. */
let shown: StoryHost

function Stage({ activity, isCut = false }: { activity: Activity | null; isCut?: boolean }) {
  const [fake] = useState(() =>
    createStoryHost({
      records: activity ? liveRecords : endedRecords(),
      sessions: {
        [ids.lead]: {
          entries: (activity === retrying ? limited(isCut) : session(ids.lead).prompt('Go on.'))
            .entries,
        },
      },
      activity: activity ? { [ids.lead]: activity } : {},
    }),
  )
  shown = fake
  return <AppStage fake={fake} address={`#/t/${ids.lead}`} />
}

const meta: Meta<typeof Stage> = {
  title: 'Screens/Waits',
  decorators: [inWindow],
  component: Stage,
}
export default meta
type Story = StoryObj<typeof meta>

/** The user ends the wait before the time that the provider named. */
export const TryNow: Story = {
  args: { activity: retrying },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByText(/Trying again in 3m/)
    await userEvent.click(canvas.getByRole('button', { name: 'Try now' }))
    await waitFor(() => expect(shown.asked('tasks.tryNow')).toEqual([{ taskId: ids.lead }]))
    await waitFor(() => expect(canvas.queryByRole('button', { name: 'Try now' })).toBeNull())
    // How long it waited is not known before the next entry.
    await canvas.findByText(/Tried again\.$/)
  },
}

/** The output of a failed attempt is folded in a line that is a button itself. */
export const TryNowAfterOutput: Story = {
  args: { activity: retrying, isCut: true },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByText(/Trying again in 3m/)
    expect(canvasElement.querySelector('button button, button a')).toBeNull()
    await userEvent.click(canvas.getByRole('button', { name: 'Try now' }))
    await waitFor(() => expect(shown.asked('tasks.tryNow')).toHaveLength(1))
    expect(canvas.queryByText('I read the tokenizer')).toBeNull()
  },
}

/** Nothing came of an installed agent for a minute. */
export const StartsForLong: Story = {
  args: { activity: starting },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    expect(await canvas.findByRole('region', { name: 'Silent' })).toHaveTextContent(
      'Starting Codex… still nothing for 1m.',
    )
    await userEvent.click(canvas.getByRole('button', { name: 'Stop' }))
    await waitFor(() => expect(shown.asked('tasks.stop')).toHaveLength(1))
    await waitFor(() => expect(canvas.queryByRole('region', { name: 'Silent' })).toBeNull())
  },
}
export const StartsForLongDark: Story = {
  ...StartsForLong,
  tags: ['soak'],
  globals: { theme: 'dark' },
}

/** What a user can do is shown whole, however long the cause is. */
export const EndedAtStart: Story = {
  args: { activity: null },
  play: async ({ canvasElement }) => {
    const line = within(
      await within(canvasElement).findByRole('region', { name: 'Why it stopped' }),
    )
    line.getByText(/had not started after 2 minutes/)
    const another = line.getByRole('button', { name: 'Continue with another agent…' })
    const { left, top, width, height } = another.getBoundingClientRect()
    const { ownerDocument } = canvasElement
    expect(ownerDocument.elementFromPoint(left + width / 2, top + height / 2)).toBe(another)
  },
}
