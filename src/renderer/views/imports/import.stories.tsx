/** Sessions of other tools: found in the empty app, chosen, imported, and what came of it. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, screen, userEvent, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost } from '../../../../storybook/story-host.ts'
import { testsEnded } from '../../../../tests/fixtures/entries/conversations.ts'
import { ids, laterRecords } from '../../../../tests/fixtures/entries/tasks.ts'
import {
  codexSource,
  importDetails as details,
  importedSession as imported,
  lately,
  claudeSource as source,
} from '../../../../tests/fixtures/imports.ts'
import type { OpenedLog } from '../../../shared/contract/opened.ts'
import type { TaskId } from '../../../shared/records/ids.ts'

const progress = { sessionsTotal: 412, bytesTotal: 1_900_000_000 }

const openedLog: OpenedLog = {
  id: '1b2c3d4e-0000-4000-8000-00000000000e',
  path: '/home/ada/downloads/session.jsonl',
  name: 'session.jsonl',
  tools: ['claude-code'],
  skipped: [],
  sessions: [{ taskId: ids.tests, title: 'Fix the parser' }],
}

const skipped = { source: 'claude-code', session: 'f00', reason: 'It was deleted.' } as const

interface Args {
  theme?: 'light' | 'dark'
  /** Options of the fake host. */
  given?: Parameters<typeof createStoryHost>[0]
}

const meta: Meta<Args> = {
  title: 'Screens/Import',
  decorators: [inWindow],
  render: ({ theme = 'light', given = {} }) => (
    <AppStage
      fake={createStoryHost({
        importSources: [source],
        importEvents: [
          { type: 'progress', ...progress, sessions: 12, bytes: 300_000_000 },
          { type: 'session', session: imported },
          { type: 'skipped', skipped },
        ],
        importDetails: { [ids.lead]: details },
        ...given,
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

const opened = async (canvasElement: HTMLElement) => {
  await within(canvasElement).findByRole('button', { name: 'Try the demo' })
  await userEvent.keyboard('{Control>}k{/Control}')
  await userEvent.keyboard('Import sessions{Enter}')
  return within(await screen.findByRole('dialog', { name: 'Import sessions' }))
}

const importedAll = async (canvasElement: HTMLElement) => {
  await userEvent.click((await found(canvasElement)).getByRole('button', { name: 'Keep all' }))
  return within(await screen.findByRole('dialog', { name: 'Import sessions' }))
}

const idAt = (nth: number) =>
  `1b2c3d4e-0000-4000-8000-${nth.toString(16).padStart(12, '0')}` as TaskId

/** What will be deleted soon is said before anything is read. */
export const FirstMinute: Story = {
  play: async ({ canvasElement }) => {
    const offer = await found(canvasElement)
    await expect(
      offer.getByText(/will delete 37 of them within 5 days \(cleanupPeriodDays is 30\)/),
    ).toBeVisible()
    await userEvent.click(offer.getByRole('button', { name: 'Choose…' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Import sessions' }))
    await dialog.findByRole('button', { name: 'Import 412 sessions' })
    dialog.getByText(/30 deleted soon/)
    await userEvent.click(dialog.getByRole('checkbox', { name: /code\/parser/ }))
    await dialog.findByRole('button', { name: 'Import 111 sessions' })
    await userEvent.click(dialog.getByRole('button', { name: 'Choose all' }))
    await dialog.findByRole('button', { name: 'Import 412 sessions' })
  },
}
export const FirstMinuteDark: Story = { tags: ['soak'], ...FirstMinute, args: { theme: 'dark' } }

const sessionOf = (nth: number, title: string | null) => ({
  session: idAt(nth),
  title,
  bytes: 1_000_000,
  lastAt: lately(nth),
  expiringSoon: nth === 2,
  imported: nth === 3,
})

/** A folder is opened to choose among its sessions. */
export const SingleSessions: Story = {
  args: {
    given: {
      importSources: [
        {
          ...codexSource,
          sessions: 4,
          projects: 1,
          imported: 1,
          byProject: [
            {
              dir: `/home/ada/code/${'a-long-name/'.repeat(9)}parser`,
              sessions: 4,
              bytes: 4_000_000,
              lastAt: lately(1),
              expiringSoon: 1,
              imported: 1,
            },
          ],
        },
      ],
      importSessions: {
        [`codex /home/ada/code/${'a-long-name/'.repeat(9)}parser`]: [
          sessionOf(1, 'Fix the parser'),
          sessionOf(2, `Read \u202e${'every line of the file '.repeat(9)}`),
          sessionOf(3, 'Write the tests'),
          sessionOf(4, null),
        ],
      },
    },
  },
  play: async ({ canvasElement }) => {
    const dialog = await opened(canvasElement)
    const folder = await dialog.findByRole('checkbox', { name: /parser 4 sessions, 3 new/ })
    await userEvent.click(dialog.getByRole('button', { name: /^Sessions of .*parser$/ }))
    const one = await dialog.findByRole('checkbox', { name: /^Fix the parser/ })
    await expect(dialog.getByRole('checkbox', { name: /^Write the tests/ })).toBeDisabled()
    await userEvent.click(one)
    await dialog.findByRole('button', { name: 'Import 2 sessions' })
    await expect(folder).toBePartiallyChecked()
    // The folder takes all of them again, then none.
    await userEvent.click(folder)
    await dialog.findByRole('button', { name: 'Import 3 sessions' })
    await expect(one).toBeChecked()
    await userEvent.click(folder)
    await expect(one).not.toBeChecked()
    await userEvent.click(one)
    await expect(dialog.getByText(/, 1 chosen/)).toBeVisible()
    await userEvent.click(await dialog.findByRole('button', { name: 'Import 1 session' }))
    await dialog.findByText(/^Imported 1 session/)
  },
}

/** What is in the archive already is marked, and only the rest is offered. */
export const Second: Story = {
  tags: ['soak'],
  args: {
    given: {
      importSources: [
        {
          ...source,
          imported: 311,
          byProject: source.byProject.map((one, nth) =>
            nth === 0 ? { ...one, imported: 301 } : nth === 1 ? { ...one, imported: 10 } : one,
          ),
        },
      ],
    },
  },
  play: async ({ canvasElement }) => {
    const dialog = await opened(canvasElement)
    const kept = await dialog.findByRole('checkbox', { name: /code\/parser 301 sessions, in the/ })
    await expect(kept).toBeDisabled()
    await expect(kept).not.toBeChecked()
    await expect(dialog.getByRole('checkbox', { name: /80 sessions, 70 new/ })).toBeChecked()
    await userEvent.click(dialog.getByRole('checkbox', { name: /txt\.exe/ }))
    await userEvent.click(dialog.getByRole('button', { name: 'Import 71 sessions' }))
    // Another import offers the rest again, not the choice of the one before.
    await userEvent.click(await dialog.findByRole('button', { name: 'Import more…' }))
    await dialog.findByRole('button', { name: 'Import 101 sessions' })
  },
}

/** Where the archive has all of them, a deletion is no danger any more, and there is nothing to import. */
export const AllInArchive: Story = {
  args: {
    given: {
      importSources: [
        {
          ...source,
          imported: source.sessions,
          byProject: source.byProject.map((one) => ({ ...one, imported: one.sessions })),
        },
      ],
    },
  },
  play: async ({ canvasElement }) => {
    const dialog = await opened(canvasElement)
    await dialog.findByText(/All of them are in the archive already\.$/)
    await expect(dialog.getByText(/will delete 37 of them/)).toHaveClass('text-muted')
    await expect(dialog.getByRole('button', { name: 'Import' })).toBeDisabled()
    await expect(dialog.queryByRole('button', { name: 'Not now' })).toBeNull()
  },
}

/** Two tools have sessions here: each is chosen by itself. */
export const TwoTools: Story = {
  args: { given: { importSources: [source, codexSource] } },
  play: async ({ canvasElement }) => {
    const offer = await found(canvasElement)
    await expect(offer.getByText(/96 sessions of Codex, 310 MB, 2 projects/)).toBeVisible()
    await userEvent.click(offer.getByRole('button', { name: 'Choose…' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Import sessions' }))
    await dialog.findByRole('button', { name: 'Import 508 sessions' })
    const codex = within(dialog.getByRole('region', { name: 'Codex' }))
    await userEvent.click(codex.getByRole('button', { name: 'Choose none' }))
    await dialog.findByRole('button', { name: 'Import 412 sessions' })
  },
}

/** The import continues while its dialog is closed, and can be stopped. */
export const Running: Story = {
  args: { given: { importGoesOn: true } },
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
    const dialog = await importedAll(canvasElement)
    await dialog.findByText(/^Imported 1 session, 1 could not be read/)
    await expect(
      dialog.getByText(
        /630 are part of the conversation, 1,478 are records of the tool, kept unchanged, 2 lines/,
      ),
    ).toBeVisible()
    await expect(dialog.getByRole('button', { name: 'Fix the parser' })).toBeVisible()
    await userEvent.click(dialog.getByRole('button', { name: '2 damaged lines' }))
    await expect(await dialog.findByText('f00.jsonl:12: it is cut off')).toBeVisible()
    await expect(dialog.getByText('and 100 lines more, which the transcripts show')).toBeVisible()
    await userEvent.click(dialog.getByRole('button', { name: 'Try it again' }))
    await expect(await dialog.findByText('Claude Code f00: It was deleted.')).toBeVisible()
  },
}
export const DoneDark: Story = { tags: ['soak'], ...Done, args: { theme: 'dark' } }

/** What was imported until then is kept, and the rest follows. */
export const Failed: Story = {
  args: { given: { importFails: 'The disk is full.' } },
  play: async ({ canvasElement }) => {
    const dialog = await importedAll(canvasElement)
    await dialog.findByText('The disk is full.')
    await expect(dialog.getByText(/^Stopped. Imported 1 session/)).toBeVisible()
    await userEvent.click(dialog.getByRole('button', { name: 'Try again' }))
    await dialog.findByText(/^Imported 1 session, 1 could not be read/)
  },
}

/** Nothing was found yet. */
export const Scanning: Story = {
  args: { given: { importScanGoesOn: true } },
  play: async ({ canvasElement }) => {
    const dialog = await opened(canvasElement)
    await expect(dialog.getByRole('button', { name: 'Import' })).toBeDisabled()
  },
}

/** There is nothing on this machine. */
export const Empty: Story = {
  args: { given: { importSources: [] } },
  play: async ({ canvasElement }) => {
    const dialog = await opened(canvasElement)
    await dialog.findByText(/^No sessions of Claude Code or Codex were found/)
    await userEvent.click(
      dialog.getByRole('checkbox', { name: /^Import new and growing sessions/ }),
    )
    await dialog.findByText('Looking for sessions…')
    await expect(dialog.getByRole('button', { name: 'From a file…' })).toBeEnabled()
  },
}

/** The list is bounded; the archive has all. */
export const Huge: Story = {
  tags: ['soak'],
  args: {
    given: {
      importSources: [
        {
          ...source,
          sessions: 20_000,
          bytes: 90_000_000_000,
          projects: 400,
          byProject: Array.from({ length: 400 }, (_, nth) => ({
            dir: `/home/ada/code/project-${nth}`,
            sessions: 50,
            bytes: 225_000_000,
            lastAt: lately(nth),
            expiringSoon: 0,
            imported: 0,
          })),
        },
      ],
      importEvents: Array.from({ length: 2_000 }, (_, nth) => ({
        type: 'session' as const,
        session: { ...imported, taskId: idAt(nth), title: `Session ${nth}`, isNew: nth % 2 === 1 },
      })),
    },
  },
  play: async ({ canvasElement }) => {
    const dialog = await importedAll(canvasElement)
    await dialog.findByText(/^Imported 1,000 sessions, 1,000 were already in the archive/)
    await expect(dialog.getByText('and 1,950 more sessions in the archive')).toBeVisible()
    await expect(dialog.getByRole('button', { name: 'Session 1' })).toBeVisible()
  },
}

/** Characters that change the direction of text, or that a terminal obeys, are shown and do nothing (V4). */
export const Hostile: Story = {
  args: {
    given: {
      importSources: [
        {
          ...source,
          byProject: source.byProject.map((one) => ({ ...one, dir: '/code/\u202etxt.exe' })),
        },
      ],
      importEvents: [
        {
          type: 'session' as const,
          session: { ...imported, title: 'Fix \u202eevil\u0007', damaged: 0 },
        },
      ],
    },
  },
  play: async ({ canvasElement }) => {
    const dialog = await opened(canvasElement)
    await expect((await dialog.findAllByText('/code/<U+202E>txt.exe'))[0]).toBeVisible()
    await userEvent.click(dialog.getByRole('button', { name: /^Import [\d,]+ sessions/ }))
    await expect(await dialog.findByRole('button', { name: 'Fix <U+202E>evil␇' })).toBeVisible()
  },
}

/** It continues by itself, and reports quietly what it can’t read. */
export const Watching: Story = {
  args: {
    given: {
      importWatch: { enabled: true, checkedAt: lately(0), kept: 3, failed: [skipped] },
    },
  },
  play: async ({ canvasElement }) => {
    const dialog = await opened(canvasElement)
    await dialog.findByText('3 sessions imported since the start.')
    await userEvent.click(dialog.getByRole('button', { name: 'Details' }))
    await expect(await dialog.findByText('Claude Code f00: It was deleted.')).toBeVisible()
  },
}
export const WatchingDark: Story = {
  tags: ['soak'],
  ...Watching,
  args: { ...Watching.args, theme: 'dark' },
}

/** A log that is opened is read only, and can be kept. */
export const Opened: Story = {
  render: ({ theme = 'light' }) => {
    const fake = createStoryHost({
      openedLog,
      records: laterRecords,
      sessions: { [ids.tests]: { entries: testsEnded() } },
      importEvents: [{ type: 'session', session: imported }],
    })
    return (
      <AppStage fake={fake} address="#/opened?path=%2Fhome%2Fada%2Fsession.jsonl" theme={theme} />
    )
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const bar = within(await canvas.findByRole('region', { name: 'Opened log' }))
    await expect(bar.getByText(/Claude Code · open for reading, not in the archive/)).toBeVisible()
    await canvas.findByRole('tab', { name: 'Transcript', selected: true })
    expect(canvas.queryByRole('button', { name: 'Delete' })).toBeNull()
    await userEvent.click(bar.getByRole('button', { name: 'Import' }))
    await screen.findByText(/^Imported 1 session/)
  },
}
export const OpenedDark: Story = { tags: ['soak'], ...Opened, args: { theme: 'dark' } }

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
