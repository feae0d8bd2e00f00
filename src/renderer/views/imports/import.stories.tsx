/** Sessions of other tools: found in the empty app, chosen, imported, and what came of it. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, screen, userEvent, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost } from '../../../../storybook/story-host.ts'
import { fixtureNowMs, ids } from '../../../../tests/fixtures/entries/tasks.ts'
import type { ImportedSession, ImportSourceFound } from '../../../shared/contract/imports.ts'

const source: ImportSourceFound = {
  ...{ tool: 'claude-code', path: '/home/ada/.claude', sessions: 412, subAgents: 1_204 },
  ...{ bytes: 1_900_000_000, projects: 4, expiringSoon: 37, hidden: 12, imported: 0 },
  byProject: [
    { dir: '/home/ada/code/parser', sessions: 301, bytes: 1_200_000_000, lastAt: lately(1) },
    {
      dir: `/home/ada/code/${'a-long-name-'.repeat(12)}`,
      sessions: 80,
      bytes: 650_000_000,
      lastAt: lately(9),
    },
    { dir: '/home/ada/\u202etxt.exe', sessions: 30, bytes: 49_000_000, lastAt: lately(40) },
    { dir: null, sessions: 1, bytes: 1_000_000, lastAt: lately(400) },
  ],
}
function lately(days: number): string {
  return new Date(fixtureNowMs - days * 86_400_000).toISOString()
}
const imported: ImportedSession = {
  ...{ source: 'claude-code', taskId: ids.lead, title: 'Fix the parser', isNew: true },
  ...{ lines: 2_110, mapped: 630, foreign: 1_478, damaged: 2, withheld: 0, isUpdated: false },
  ...{ linked: 2, unlinked: 0, orphaned: 0 },
}
const progress = { sessionsTotal: 412, bytesTotal: 1_900_000_000 }

const meta: Meta<{ theme?: 'light' | 'dark'; sources?: ImportSourceFound[]; goesOn?: boolean }> = {
  title: 'Screens/Import',
  decorators: [inWindow],
  render: ({ theme = 'light', sources = [source], goesOn = false }) => (
    <AppStage
      fake={createStoryHost({
        importSources: sources,
        importEvents: [
          { type: 'progress', ...progress, sessions: 12, bytes: 300_000_000 },
          { type: 'session', session: imported },
          {
            type: 'skipped',
            skipped: { source: 'claude-code', session: 'f00', reason: 'It was deleted.' },
          },
        ],
        importGoesOn: goesOn,
      })}
      address="#/"
      theme={theme}
    />
  ),
}
export default meta
type Story = StoryObj<typeof meta>

const found = async (canvasElement: HTMLElement) =>
  within(await within(canvasElement).findByRole('region', { name: 'Sessions on this machine' }))

/** What will be deleted soon is said before anything is read. */
export const FirstMinute: Story = {
  play: async ({ canvasElement }) => {
    const offer = await found(canvasElement)
    await expect(offer.getByText(/will delete 37 of them within 5 days/)).toBeVisible()
    await userEvent.click(offer.getByRole('button', { name: 'Choose…' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Import sessions' }))
    await dialog.findByRole('button', { name: 'Keep 412 sessions' })
    await userEvent.click(dialog.getByRole('checkbox', { name: /code\/parser/ }))
    await dialog.findByRole('button', { name: 'Keep 111 sessions' })
    await userEvent.click(dialog.getByRole('button', { name: 'Choose all' }))
    await dialog.findByRole('button', { name: 'Keep 412 sessions' })
  },
}
export const FirstMinuteDark: Story = { ...FirstMinute, args: { theme: 'dark' } }

/** The import goes on while its dialog is closed, and can be stopped. */
export const Running: Story = {
  args: { goesOn: true },
  play: async ({ canvasElement }) => {
    const offer = await found(canvasElement)
    await userEvent.click(offer.getByRole('button', { name: 'Keep all' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Import sessions' }))
    await dialog.findByText(/^12 of 412 sessions · 300 MB of 1.9 GB/)
    await userEvent.click(dialog.getByRole('button', { name: 'Hide' }))
    await userEvent.click(await offer.findByRole('button', { name: 'Show the import' }))
    const again = within(await screen.findByRole('dialog', { name: 'Import sessions' }))
    await userEvent.click(again.getByRole('button', { name: 'Stop' }))
    await again.findByText(/^Stopped. Imported 1 session/)
  },
}

/** Every line is accounted for, and each session opens. */
export const Done: Story = {
  play: async ({ canvasElement }) => {
    const offer = await found(canvasElement)
    await userEvent.click(offer.getByRole('button', { name: 'Keep all' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Import sessions' }))
    await dialog.findByText(/^Imported 1 session, 1 could not be read/)
    await expect(
      dialog.getByText(/630 are part of the conversation, 1,478 are kept unchanged, 2 lines/),
    ).toBeVisible()
    await expect(dialog.getByRole('button', { name: 'Fix the parser' })).toBeVisible()
  },
}

/** "Not now" is remembered; the palette still has it. */
export const NotNow: Story = {
  play: async ({ canvasElement }) => {
    const offer = await found(canvasElement)
    await userEvent.click(offer.getByRole('button', { name: 'Not now' }))
    await waitFor(() =>
      expect(
        within(canvasElement).queryByRole('region', { name: 'Sessions on this machine' }),
      ).toBeNull(),
    )
  },
}
