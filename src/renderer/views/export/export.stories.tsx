/** Exporting a task: what is masked in it, its size, and the command that does the same. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, screen, userEvent, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { chooseFromRowMenu } from '../../../../storybook/row-menu.ts'
import { createStoryHost } from '../../../../storybook/story-host.ts'
import { ids, laterRecords } from '../../../../tests/fixtures/entries/tasks.ts'
import type { RedactionHit } from '../../../shared/contract/exports.ts'

const { lead } = ids
const hits: RedactionHit[] = [
  {
    id: 'a1b2c3d4e5f6',
    kind: 'key',
    mark: '[hidden: key]',
    kept: false,
    count: 3,
    match: 'sk-ant-api03-Zm9vYmFyYmF6cXV4cXV1eA',
    places: [
      { taskId: lead, seq: 14, before: 'export ANTHROPIC_API_KEY=', after: '\nnpm test -- --run' },
      { taskId: lead, seq: 31, before: 'curl -H "x-api-key: ', after: '" https://api.example.com' },
    ],
  },
  {
    id: 'b1b2c3d4e5f6',
    kind: 'home',
    mark: '~',
    kept: false,
    count: 212,
    match: '/home/ada',
    places: [{ taskId: lead, seq: 2, before: 'cd ', after: '/code/parser && git status' }],
  },
  {
    id: 'c1b2c3d4e5f6',
    kind: 'named',
    mark: '[hidden: password]',
    kept: false,
    count: 1,
    match: '<script>alert(1)</script>\u202etxt.exe',
    places: [{ taskId: lead, seq: null, before: '{"password": "', after: '"}' }],
  },
]

const meta: Meta<{ hits?: RedactionHit[] }> = {
  title: 'Screens/Export',
  decorators: [inWindow],
  render: ({ hits: given = hits }) => (
    <AppStage
      fake={createStoryHost({
        records: laterRecords,
        exportHits: given,
        exportResult: { tasks: 3, entries: 214, bytes: 183_520, images: 2, withheld: 1 },
      })}
      address="#/settings"
    />
  ),
}
export default meta
type Story = StoryObj<typeof meta>

async function open(canvasElement: HTMLElement): Promise<HTMLElement> {
  await chooseFromRowMenu(canvasElement, { row: /Fix the parser/, item: 'Export…' })
  return screen.findByRole('dialog', { name: /^Export/ })
}

export const Masked: Story = {
  play: async ({ canvasElement }) => {
    const dialog = within(await open(canvasElement))
    await dialog.findByText(/masked in 216 places/)
    const home = await dialog.findByRole('checkbox', { name: /Mask the home directory/ })
    await userEvent.click(home)
    await dialog.findByText(/masked in 4 places/)
    await expect(home).not.toBeChecked()
    await expect(dialog.getByText(/<U\+202E>txt\.exe/)).toBeVisible()
    await expect(dialog.getByText(/--keep b1b2c3d4e5f6 -o export-/)).toBeVisible()
    await waitFor(() => expect(dialog.getByRole('button', { name: 'Save' })).toBeEnabled())
  },
}
export const MaskedDark: Story = { tags: ['soak'], ...Masked, globals: { theme: 'dark' } }

/** Other choices change the command and the size; without masking, it says what that means. */
export const NothingMasked: Story = {
  tags: ['soak'],
  play: async ({ canvasElement }) => {
    const dialog = within(await open(canvasElement))
    await userEvent.click(await dialog.findByRole('checkbox', { name: /^Mask keys/ }))
    await dialog.findByText(/Nothing is masked/)
    await userEvent.click(dialog.getByRole('combobox', { name: 'Format' }))
    await userEvent.click(await screen.findByRole('option', { name: /^JSON Lines/ }))
    await dialog.findByText(/--format jsonl --no-redact -o export-/)
    await expect(dialog.queryByRole('button', { name: 'Copy' })).not.toBeInTheDocument()
    await waitFor(() => expect(dialog.getByRole('button', { name: 'Save' })).toBeEnabled())
  },
}

/** A part by turns is in the command; an empty field is no bound. */
export const SomeTurns: Story = {
  play: async ({ canvasElement }) => {
    const dialog = within(await open(canvasElement))
    await userEvent.click(await dialog.findByRole('combobox', { name: 'Part' }))
    await userEvent.click(await screen.findByRole('option', { name: 'Some of its turns' }))
    const from = await dialog.findByRole('spinbutton', { name: 'From turn' })
    await userEvent.clear(from)
    await userEvent.type(from, '2')
    await userEvent.type(dialog.getByRole('spinbutton', { name: 'through turn' }), '4')
    await dialog.findByText(/--from-turn 2 --through-turn 4 -o export-/)
  },
}

export const NothingFound: Story = {
  tags: ['soak'],
  args: { hits: [] },
  play: async ({ canvasElement }) => {
    const dialog = within(await open(canvasElement))
    await dialog.findByText(/No keys, passwords or home directories were found/)
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  },
}
