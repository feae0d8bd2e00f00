import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, fn, userEvent, within } from 'storybook/test'
import type { TrashEntry } from '../../../shared/contract/retention.ts'
import { TrashList } from './trash-list.tsx'

const day = 86_400_000
const nowMs = Date.parse('2026-11-21T09:00:00Z')
const iso = (days: number) => new Date(nowMs + days * day).toISOString()

const common = {
  taskId: null,
  projectDir: '/home/ada/shop',
  reason: null,
  notRestorable: null,
  recreatable: [],
  count: null,
}
const entries: TrashEntry[] = [
  {
    ...common,
    name: 'archive-1',
    kind: 'trashed-workspace',
    title: 'Move the settings',
    reason: 'person',
    count: 12,
    bytes: 4_200_000,
    since: iso(-1),
    until: iso(6),
  },
  {
    ...common,
    name: 'transcript-2',
    kind: 'trashed-transcript',
    title: 'Cover the parser',
    reason: 'age',
    bytes: 820_000,
    since: iso(-2),
    until: iso(5),
  },
  {
    ...common,
    name: 'worktree-3',
    kind: 'trashed-worktree',
    title: 'Import the rows',
    count: 3,
    bytes: 91_000_000,
    since: iso(-3),
    until: iso(4),
    notRestorable: 'The worktree of this sub-agent is gone. Open its folder to copy what you need.',
    recreatable: [{ path: 'node_modules', madeBy: 'a package manager, by package.json' }],
  },
  {
    ...common,
    name: 'transcript-4',
    kind: 'trashed-transcript',
    until: null,
    title: `A title ${'that goes on '.repeat(20)}`,
    bytes: 12,
    since: iso(-4),
  },
]

const meta: Meta<typeof TrashList> = {
  title: 'Retention/Trash',
  component: TrashList,
  args: {
    entries,
    bytes: 96_020_012,
    bytesMax: 5_000_000_000,
    progress: null,
    dir: '/home/ada/.local/share/shiplog/trash',
    onOpen: fn(),
    onRestore: fn(),
    onDelete: fn(),
  },
}
export default meta
type Story = StoryObj<typeof meta>

export const Full: Story = {}
export const Empty: Story = { args: { entries: [], bytes: 0 } }
export const Restoring: Story = { args: { progress: 'Restored 120 of 269…' } }
export const OpensFolders: Story = {
  play: async ({ canvasElement, args }) => {
    const [all, worktree] = within(canvasElement).getAllByRole('button', { name: 'Open folder' })
    if (!all || !worktree) throw new Error('There is no button.')
    await userEvent.click(all)
    await expect(args.onOpen).toHaveBeenLastCalledWith(null)
    await userEvent.click(worktree)
    await expect(args.onOpen).toHaveBeenLastCalledWith('worktree-3')
  },
}
/** In a browser, which may be on another machine than the trash. */
export const CopiesPaths: Story = {
  args: { onOpen: null },
  play: async ({ canvasElement }) => {
    const buttons = within(canvasElement).getAllByRole('button', { name: 'Copy path of folder' })
    await expect(buttons).toHaveLength(2)
  },
}
export const Several: Story = {
  play: async ({ canvasElement, args }) => {
    const canvas = within(canvasElement)
    await userEvent.click(canvas.getByRole('checkbox', { name: 'Select Move the settings' }))
    await userEvent.click(canvas.getByRole('checkbox', { name: 'Select Import the rows' }))
    await userEvent.click(canvas.getByRole('button', { name: 'Restore' }))
    // A sub-agent's worktree can't be restored.
    await expect(args.onRestore).toHaveBeenCalledWith(['archive-1'])
    await userEvent.click(canvas.getByRole('button', { name: 'Delete permanently…' }))
    await expect(args.onDelete).toHaveBeenCalledWith([entries[0], entries[2]])
  },
}
