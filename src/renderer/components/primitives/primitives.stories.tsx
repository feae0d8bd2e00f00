/** Every primitive in every state, on one page a kind. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { Copy, FolderOpen, Pencil, Plus, Square, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { expect, fn, userEvent, waitFor, within } from 'storybook/test'
import { inColumn } from '../../../../storybook/decorators.tsx'
import { fixtureNowMs } from '../../../../tests/fixtures/entries/tasks.ts'
import { taskStatuses } from '../../../shared/records/tasks/task-status.ts'
import { noUsage } from '../../../shared/records/usage.ts'
import {
  Button,
  Bytes,
  Cost,
  DialogShell,
  Duration,
  EmptyState,
  ErrorNotice,
  Field,
  IconButton,
  Kbd,
  Menu,
  NoticeLine,
  RelativeTime,
  Select,
  Skeleton,
  StatusIcon,
  StatusText,
  Tabs,
  TextArea,
  TextButton,
  TextInput,
  Toaster,
  Tokens,
  Took,
  toast,
} from './index.ts'

const meta: Meta = { title: 'Primitives', decorators: [inColumn] }
export default meta
type Story = StoryObj

const ago = (ms: number) => new Date(fixtureNowMs - ms).toISOString()

const Row = ({ children }: { children: ReactNode }) => (
  <div className="flex min-h-11 flex-wrap items-center gap-3">{children}</div>
)

const pressed = fn()

export const Buttons: Story = {
  render: () => (
    <>
      <Row>
        <Button onClick={pressed}>Quiet</Button>
        <Button variant="primary" shortcut="Mod+Enter">
          Send
        </Button>
        <Button variant="danger" icon={<Trash2 />}>
          Archive and delete the worktree
        </Button>
        <Button size="small" icon={<Square />}>
          Stop
        </Button>
      </Row>
      <Row>
        <Button disabled>Disabled</Button>
        <Button variant="primary" busy onClick={pressed}>
          Adding…
        </Button>
        <TextButton>Show all</TextButton>
        <IconButton label="New agent" shortcut="Mod+N" icon={<Plus />} />
        <IconButton label="Changes" icon={<Pencil />} pressed />
        <IconButton label="Copy" icon={<Copy />} size="small" disabled />
        <Kbd keys="Mod+K" />
      </Row>
    </>
  ),
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await userEvent.click(canvas.getByRole('button', { name: 'Quiet' }))
    await expect(pressed).toHaveBeenCalledOnce()
    // A busy button can be reached, and does nothing.
    const busy = canvas.getByRole('button', { name: 'Adding…' })
    busy.focus()
    await expect(busy).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    await expect(pressed).toHaveBeenCalledOnce()
    canvas.getByRole('button', { name: 'New agent' }).focus()
    await userEvent.tab({ shift: true })
    await userEvent.tab()
    const tip = await within(document.body).findByText(/Ctrl\+N|⌘N/)
    await waitFor(() => expect(tip).toBeVisible())
  },
}
export const ButtonsDark: Story = { ...Buttons, globals: { theme: 'dark' }, play: undefined }

export const Statuses: Story = {
  render: () => (
    <ul>
      {([...taskStatuses, 'waiting'] as const).map((status) => (
        <li key={status} className="flex h-7 items-center gap-2">
          <StatusIcon status={status} />
          <StatusIcon status={status} small />
          <StatusText status={status} />
        </li>
      ))}
    </ul>
  ),
  play: async ({ canvasElement }) => {
    const icons = within(canvasElement).getAllByRole('img')
    await expect(icons).toHaveLength(2 * (taskStatuses.length + 1))
    await expect(icons[0]).toHaveAccessibleName('Queued')
  },
}
export const StatusesDark: Story = { ...Statuses, globals: { theme: 'dark' }, play: undefined }

export const NumbersAndTimes: Story = {
  render: () => (
    <>
      <Row>
        <RelativeTime at={ago(12_000)} />
        <RelativeTime at={ago(7_200_000)} />
        <RelativeTime at={ago(40 * 86_400_000)} />
        <RelativeTime at="nonsense" />
      </Row>
      <Row>
        <Duration startedAt={ago(72_000)} endedAt={null} />
        <Duration startedAt={ago(72_000)} endedAt={ago(2_000)} />
        <Took ms={1_440} />
        <Bytes count={38_220} />
        <Tokens input={12_345} output={678} />
        <Tokens input={12_345} output={678} complete={false} />
        <Cost usage={{ ...noUsage, inputTokens: 9_000, costUsd: 0.416, pricedBy: 'agent' }} />
        <Cost usage={{ ...noUsage, costUsd: 0.002, pricedBy: 'estimate', unpriced: true }} />
        <Cost usage={{ ...noUsage, inputTokens: 9_000, unpriced: true }} />
      </Row>
    </>
  ),
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await expect(canvas.getByText('12s ago')).toHaveAttribute(
      'title',
      expect.stringContaining('2026'),
    )
    await expect(canvas.getByText('1m 12s')).toBeVisible()
    await expect(canvas.getByText('13K tokens')).toHaveAttribute(
      'title',
      '12,345 tokens in, 678 out',
    )
  },
}

const act = fn()

export const Notices: Story = {
  render: () => (
    <div className="space-y-3">
      <NoticeLine
        tone="info"
        text="One transcript was healed at start."
        details={['sessions/7c1a/chat.jsonl: an unfinished last line was set aside.']}
        onDismiss={act}
      />
      <NoticeLine
        tone="warning"
        text="Three agents were interrupted when Shiplog was closed."
        action={{ label: 'Show them', onClick: act }}
      />
      <NoticeLine tone="error" text="The disk is full: nothing more can be recorded." />
      <ErrorNotice
        what="/home/robin/notes is not a directory."
        next="Choose a folder, or make it first."
        details="INVALID dir=/home/robin/notes"
        action={{ label: 'Choose a folder', onClick: act }}
      />
      <ErrorNotice what={`It failed at ${'x'.repeat(300)}`} next={null} />
      <Skeleton lines={3} />
    </div>
  ),
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await userEvent.click(canvas.getByRole('button', { name: 'Details' }))
    await expect(canvas.getByText(/an unfinished last line/)).toBeVisible()
    await userEvent.click(canvas.getByRole('button', { name: 'Show them' }))
    await expect(act).toHaveBeenCalledOnce()
  },
}
export const NoticesDark: Story = { ...Notices, globals: { theme: 'dark' }, play: undefined }

export const Empty: Story = {
  render: () => (
    <EmptyState
      sentence="Agents work on a project, which is a folder of yours. Try it out on a small one first."
      action={{ label: 'Try the demo', onClick: act }}
      secondAction={{ label: 'Add a project', onClick: act }}
    />
  ),
}

function Form() {
  const [agent, setAgent] = useState<'scripted' | 'model'>('scripted')
  return (
    <form className="flex flex-col gap-4">
      <Field label="Title" hint="What the lists call it.">
        <TextInput defaultValue="Fix the parser" />
      </Field>
      <Field label="Folder" error="/nowhere is not a directory. Choose a folder that exists.">
        <TextInput defaultValue="/nowhere" />
      </Field>
      <Field label="Prompt">
        <TextArea placeholder="Describe the task" />
      </Field>
      <Field label="Agent">
        <Select
          value={agent}
          onChange={setAgent}
          options={[
            { value: 'scripted', label: 'Scripted', hint: 'Plays a scenario file' },
            { value: 'model', label: 'Model', hint: 'Not set up yet', disabled: true },
          ]}
        />
      </Field>
    </form>
  )
}

export const Fields: Story = {
  render: () => <Form />,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await expect(canvas.getByRole('textbox', { name: 'Title' })).toHaveAccessibleDescription(
      'What the lists call it.',
    )
    await expect(canvas.getByRole('textbox', { name: 'Folder' })).toBeInvalid()
    const select = canvas.getByRole('combobox', { name: 'Agent' })
    select.focus()
    await userEvent.keyboard('{Enter}')
    const options = await within(document.body).findAllByRole('option')
    await expect(options).toHaveLength(2)
    const list = await within(document.body).findByRole('listbox', { name: 'Agent' })
    await waitFor(() => expect(list).toContainElement(document.activeElement as HTMLElement))
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(select).toHaveFocus())
  },
}
/** An open list is checked for accessibility too: of a closing one, that would depend on the machine's speed. */
export const ListOpen: Story = {
  render: () => <Form />,
  play: async ({ canvasElement }) => {
    await userEvent.click(within(canvasElement).getByRole('combobox', { name: 'Agent' }))
    await within(document.body).findByRole('listbox', { name: 'Agent' })
  },
}
export const FieldsDark: Story = { ...Fields, globals: { theme: 'dark' }, play: undefined }

const chosen = fn()

export const MenuOfActions: Story = {
  render: () => (
    <Menu
      trigger={<Button>Open</Button>}
      entries={[
        { label: 'Open in editor', icon: <Pencil />, onSelect: chosen },
        { label: 'Open folder', icon: <FolderOpen />, shortcut: 'Mod+O', onSelect: chosen },
        { kind: 'separator' },
        { label: 'Archive', icon: <Trash2 />, danger: true, onSelect: chosen },
      ]}
    />
  ),
  play: async ({ canvasElement }) => {
    within(canvasElement).getByRole('button', { name: 'Open' }).focus()
    await userEvent.keyboard('{Enter}')
    const menu = await within(document.body).findByRole('menu')
    await waitFor(() => expect(menu).toContainElement(document.activeElement as HTMLElement))
    await userEvent.keyboard('{ArrowDown}{Enter}')
    await waitFor(() => expect(chosen).toHaveBeenCalledOnce())
    await waitFor(() => expect(within(document.body).queryByRole('menu')).toBeNull())
  },
}

function TabsOfTwo() {
  const [tab, setTab] = useState<'report' | 'transcript'>('report')
  return (
    <Tabs
      label="What is kept"
      value={tab}
      onChange={setTab}
      tabs={[
        { value: 'report', label: 'Report', content: <p className="p-3">The report.</p> },
        {
          value: 'transcript',
          label: 'Transcript',
          count: 46,
          content: <p className="p-3">The transcript.</p>,
        },
      ]}
    />
  )
}

export const TabsStory: Story = {
  name: 'Tabs',
  render: () => <TabsOfTwo />,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    canvas.getByRole('tab', { name: 'Report' }).focus()
    await userEvent.keyboard('{ArrowRight}')
    await waitFor(() => expect(canvas.getByRole('tab', { name: /Transcript/ })).toHaveFocus())
    await userEvent.keyboard('{Enter}')
    await expect(await canvas.findByText('The transcript.')).toBeVisible()
    await waitFor(() => expect(canvas.queryByText('The report.')).toBeNull())
  },
}

const closed = fn()

export const Dialog: Story = {
  render: () => (
    <DialogShell
      open
      onClose={closed}
      title="Add a project"
      size="small"
      footer={
        <>
          <Button>Cancel</Button>
          <Button variant="primary">Add project</Button>
        </>
      }
    >
      <div className="p-4">
        <Field label="Folder">
          <TextInput defaultValue="/home/robin/api" />
        </Field>
      </div>
    </DialogShell>
  ),
  play: async () => {
    const dialog = await within(document.body).findByRole('dialog', { name: 'Add a project' })
    await waitFor(() => expect(dialog).toContainElement(document.activeElement as HTMLElement))
    await userEvent.keyboard('{Escape}')
    await expect(closed).toHaveBeenCalledWith('escape')
  },
}
export const DialogDark: Story = { ...Dialog, globals: { theme: 'dark' }, play: undefined }

export const Toasts: Story = {
  render: () => (
    <>
      <Button onClick={() => toast.success('Applied 2 files to main')}>Apply</Button>
      <Button onClick={() => toast.error('The changes conflict; nothing was changed')}>Fail</Button>
      <Toaster />
    </>
  ),
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await userEvent.click(canvas.getByRole('button', { name: 'Apply' }))
    const said = await within(document.body).findByText('Applied 2 files to main')
    await waitFor(() => expect(said).toBeVisible())
  },
}
