/** Writing to an agent of kind model: the settings of its next run, over the fake contract. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { useState } from 'react'
import { expect, userEvent, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost, type StoryHost } from '../../../../storybook/story-host.ts'
import { leadLive } from '../../../../tests/fixtures/entries/conversations.ts'
import { ids, laterRecords } from '../../../../tests/fixtures/entries/tasks.ts'
import type { LedgerRecord } from '../../../shared/records/ledger.ts'

const server = {
  name: 'ollama',
  kind: 'openai-compatible' as const,
  baseUrl: 'http://127.0.0.1:11434/v1',
}

/** The lead is an agent of kind model. */
const records = laterRecords.map((record): LedgerRecord => {
  const { event } = record
  if (event.type !== 'task.created' || event.taskId !== ids.lead) return record
  const { baseUrl } = server
  const spec = {
    kind: 'model' as const,
    provider: server.kind,
    model: 'qwen3-coder:30b',
    baseUrl,
    agent: 'lead',
  }
  return { ...record, event: { ...event, spec, model: 'openai-compatible/qwen3-coder:30b' } }
})

const fakeWith = () =>
  createStoryHost({
    records,
    sessions: { [ids.lead]: leadLive() },
    files: [
      'README.md',
      'docs/CLI.md',
      'src/parser.ts',
      'src/parser.test.ts',
      'my notes/parser.md',
    ],
    permissions: { project: { mode: 'allow-edits', rules: [] } },
    models: {
      entries: [server],
      lists: { ollama: ['gpt-oss:20b', 'qwen3-coder:30b', 'qwen3-coder:480b'] },
      defaultModel: 'ollama/qwen3-coder:30b',
    },
  })

/** For the play function: records the requests to the host. */
let shown: StoryHost

function Stage() {
  const [fake] = useState(fakeWith)
  shown = fake
  return <AppStage fake={fake} address={`#/t/${ids.lead}`} />
}

/** A host that answers prompts once `letGo` is called. */
function SlowStage() {
  const [fake] = useState(() => {
    const fake = fakeWith()
    const { tasks } = fake.client
    const answered = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const prompt: typeof tasks.prompt = async (...args) => {
      await answered
      return tasks.prompt(...args)
    }
    // The client's members are getters, so the object can't be spread.
    const slowly = Object.create(tasks, { prompt: { value: prompt } })
    return { ...fake, client: Object.create(fake.client, { tasks: { value: slowly } }) }
  })
  return <AppStage fake={fake} address={`#/t/${ids.lead}`} />
}
let letGo = () => {}

const meta: Meta = {
  title: 'Screens/Composer',
  decorators: [inWindow],
  render: () => <Stage />,
}
export default meta
type Story = StoryObj<typeof meta>

/** The mode is the project's until another is selected; model and mode are selected by keyboard. */
export const NextRun: Story = {
  tags: ['soak'],
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const body = within(document.body)
    const permissions = await canvas.findByRole('combobox', { name: 'Permissions' })
    await waitFor(() => expect(permissions).toHaveTextContent('Allow edits'))
    await userEvent.click(permissions)
    await userEvent.click(await body.findByRole('option', { name: /^Allow all/ }))
    await waitFor(() => expect(permissions).toHaveTextContent('Allow all'))
    const model = canvas.getByRole('button', { name: /^Model: / })
    await expect(model).toHaveTextContent('qwen3-coder:30b')
    await userEvent.click(model)
    const search = await body.findByRole('combobox', { name: 'Agents and models' })
    await body.findByRole('option', { name: /qwen3-coder:30b.*in use/ })
    await userEvent.type(search, 'oss{Enter}')
    await waitFor(() =>
      expect(shown.asked('tasks.setNextRun')).toEqual([
        { taskId: ids.lead, permissions: 'allow-all' },
        { taskId: ids.lead, model: 'ollama/gpt-oss:20b' },
      ]),
    )
    await waitFor(() =>
      expect(body.queryByRole('combobox', { name: 'Agents and models' })).toBeNull(),
    )
  },
}
/** A file and a command are completed by keyboard; Escape closes the list and keeps the typed text. */
export const Completed: Story = {
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const field = await canvas.findByRole('textbox', { name: 'Follow-up' })
    await userEvent.type(field, 'Look at @parser')
    const files = within(await canvas.findByRole('listbox', { name: 'Files' }))
    const options = await files.findAllByRole('option')
    await expect(options.map((one) => one.textContent)).toEqual([
      'parser.tssrc',
      'parser.mdmy notes',
      'parser.test.tssrc',
    ])
    await expect(field).toHaveAttribute('aria-activedescendant', options[0]?.id)
    await userEvent.keyboard('{ArrowDown}')
    await expect(field).toHaveAttribute('aria-activedescendant', options[1]?.id)
    await userEvent.keyboard('{Enter}')
    await waitFor(() => expect(field).toHaveValue('Look at @"my notes/parser.md" '))
    await userEvent.type(field, 'and @cli')
    await canvas.findByRole('option', { name: /CLI\.md/ })
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(canvas.queryByRole('listbox')).toBeNull())
    await expect(field).toHaveValue('Look at @"my notes/parser.md" and @cli')
    await userEvent.clear(field)
    await userEvent.type(field, '/')
    await canvas.findByRole('listbox', { name: 'Commands' })
    await userEvent.type(field, 'perm{Enter}')
    await expect(field).toHaveValue('')
    await within(document.body).findByRole('option', { name: /^Allow all/ })
  },
}
const pixel = Uint8Array.from(
  atob(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  ),
  (char) => char.charCodeAt(0),
)

/**
 * Images are selected, dropped or pasted; one can be removed, a file of another type is refused by name, and they are
 * sent.
 */
export const Images: Story = {
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const field = await canvas.findByRole('textbox', { name: 'Follow-up' })
    const files = ['one.png', 'two.png'].map((name) => new File([pixel], name))
    const input = canvasElement.querySelector<HTMLInputElement>('input[type=file]')
    if (!input) throw new Error('there is no field for files')
    await userEvent.upload(input, files, { applyAccept: false })
    const list = within(await canvas.findByRole('list', { name: 'Images' }))
    await waitFor(() => expect(list.getAllByRole('img')).toHaveLength(2))
    await userEvent.click(list.getByRole('button', { name: 'Remove one.png' }))
    await waitFor(() => expect(list.getAllByRole('img')).toHaveLength(1))
    const pasted = new DataTransfer()
    pasted.items.add(new File(['text'], 'notes.txt'))
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: pasted, bubbles: true }))
    await canvas.findByText('notes.txt is not a PNG, JPEG, GIF or WebP image.')
    const dropped = new DataTransfer()
    dropped.items.add(new File([pixel], 'three.png'))
    field.dispatchEvent(
      new DragEvent('drop', { dataTransfer: dropped, bubbles: true, cancelable: true }),
    )
    await list.findByRole('img', { name: 'three.png' })
    await userEvent.type(field, 'What is wrong here?')
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await waitFor(() =>
      expect(shown.asked('tasks.prompt')).toMatchObject([
        {
          prompt: 'What is wrong here?',
          images: [{ data: expect.any(String) }, { data: expect.any(String) }],
        },
      ]),
    )
    await waitFor(() => expect(canvas.queryByRole('list', { name: 'Images' })).toBeNull())
    await canvas.findByText(/With 2 images\./)
    await userEvent.click(canvas.getByRole('button', { name: 'Edit' }))
    await waitFor(() => expect(field).toHaveValue('What is wrong here?'))
    const again = within(await canvas.findByRole('list', { name: 'Images' }))
    await waitFor(() => expect(again.getAllByRole('img')).toHaveLength(2))
  },
}
/** Text typed while a prompt is being sent stays; sent prompts are recalled, as is the prompt that started the root. */
export const TypedWhileSending: Story = {
  render: () => <SlowStage />,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const field = await canvas.findByRole<HTMLTextAreaElement>('textbox', { name: 'Follow-up' })
    await userEvent.type(field, 'Fix the parser{Control>}{Enter}{/Control}')
    await canvas.findByRole('button', { name: 'Sending…' })
    await userEvent.type(field, ' and then the docs')
    letGo()
    await waitFor(() => expect(field).toHaveValue('and then the docs'))
    await userEvent.clear(field)
    await userEvent.keyboard('{ArrowUp}')
    await expect(field).toHaveValue('Fix the parser')
    field.setSelectionRange(0, 0)
    await userEvent.keyboard('{ArrowUp}')
    await expect(field).toHaveValue(
      'Make the parser accept trailing commas, with tests and a note in the docs.',
    )
  },
}
export const Dark: Story = { globals: { theme: 'dark' } }
