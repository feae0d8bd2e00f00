/** Models over the fake contract: setting a provider up, testing a model, and starting an agent with one. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, userEvent, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost } from '../../../../storybook/story-host.ts'
import { apiProject, laterRecords } from '../../../../tests/fixtures/entries/tasks.ts'

const agents = (available: boolean) => [
  { kind: 'scripted' as const, name: 'Scenario', available: true, why: null },
  {
    kind: 'model' as const,
    name: 'Model',
    available,
    why: available ? null : 'No model is set up: add a key in Settings, or by shiplog agent setup.',
  },
]
const server = {
  name: 'ollama',
  kind: 'openai-compatible' as const,
  baseUrl: 'http://127.0.0.1:11434/v1',
}
const lists = {
  anthropic: ['claude-haiku-5-5', 'claude-opus-5-5', 'claude-sonnet-5-5'],
  ollama: ['gpt-oss:20b', 'qwen3-coder:30b'],
}

const meta: Meta<{
  models: NonNullable<NonNullable<Parameters<typeof createStoryHost>[0]>['models']>
  starts?: boolean
  isFirstStart?: boolean
}> = {
  title: 'Screens/Models',
  decorators: [inWindow],
  render: ({ models, starts = false, isFirstStart = false }) => (
    <AppStage
      fake={createStoryHost({
        records: isFirstStart ? [] : laterRecords,
        models,
        info: { agents: agents((models.entries ?? []).length > 0) },
      })}
      address={starts || isFirstStart ? '#/' : '#/settings'}
      {...(starts && { overlay: { kind: 'new-agent' as const, projectId: apiProject } })}
    />
  ),
}
export default meta
type Story = StoryObj<typeof meta>

/** A key is entered, the provider is named as ready, and a model is chosen from its list and tested. */
export const SetUp: Story = {
  args: { models: { lists } },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const body = within(document.body)
    await userEvent.click(await canvas.findByRole('button', { name: 'Add a key for Anthropic' }))
    const dialog = within(await body.findByRole('dialog', { name: 'Key for Anthropic' }))
    const field = dialog.getByLabelText('Key')
    await expect(field).toHaveAttribute('type', 'password')
    await expect(dialog.getByRole('button', { name: 'Save' })).toBeDisabled()
    await userEvent.type(field, 'sk-ant-planted-0123456789')
    await userEvent.click(dialog.getByRole('button', { name: 'Save' }))
    await canvas.findByText('Key in a file only you can read')
    const model = await canvas.findByRole('combobox', { name: 'Default model' })
    await userEvent.type(model, 'opus')
    await userEvent.click(await body.findByRole('option', { name: 'anthropic/claude-opus-5-5' }))
    await expect(model).toHaveValue('anthropic/claude-opus-5-5')
    await waitFor(() => expect(body.queryByRole('listbox')).toBeNull())
    await userEvent.click(canvas.getByRole('button', { name: 'Test' }))
    await canvas.findByText(/and calls tools\./)
  },
}
/** A key of the environment is offered, and used after a yes. */
export const FoundInEnvironment: Story = {
  args: { models: { env: { OPENAI_API_KEY: 'sk-planted-0123456789' } } },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await canvas.findByText('OPENAI_API_KEY is set and not used yet')
    await userEvent.click(canvas.getByRole('button', { name: 'Use OPENAI_API_KEY' }))
    await canvas.findByText('Key from OPENAI_API_KEY')
  },
}
/** On the first start, of two keys and the demo one button stands out: the first key. */
export const FoundOnFirstStart: Story = {
  args: {
    models: {
      env: { ANTHROPIC_API_KEY: 'sk-ant-planted-0123', OPENAI_API_KEY: 'sk-planted-0123' },
    },
    isFirstStart: true,
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const first = await canvas.findByRole('button', { name: 'Use ANTHROPIC_API_KEY' })
    const colourOf = (button: HTMLElement) => getComputedStyle(button).backgroundColor
    const others = ['Use OPENAI_API_KEY', 'Set up a model…', 'Add a project…', 'Try the demo']
    for (const name of others)
      await expect(colourOf(canvas.getByRole('button', { name }))).not.toBe(colourOf(first))
    await userEvent.click(first)
    await canvas.findByText('Anthropic: Key from ANTHROPIC_API_KEY')
  },
}
export const Server: Story = {
  args: { models: { lists } },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const body = within(document.body)
    await userEvent.click(await canvas.findByRole('button', { name: 'Add a server…' }))
    const dialog = within(await body.findByRole('dialog', { name: 'Add a server' }))
    await userEvent.type(dialog.getByRole('textbox', { name: 'Name' }), 'My box')
    const window = dialog.getByRole('textbox', { name: 'Context window, in tokens' })
    await userEvent.type(window, '32')
    const address = dialog.getByRole('textbox', { name: 'Address' })
    await userEvent.type(address, 'ftp://box.lan/v1')
    await userEvent.click(dialog.getByRole('button', { name: 'Save' }))
    // All at once, each at its field only.
    await dialog.findByText(/^The name takes lower-case letters/)
    await dialog.findByText(/^The address must be an http or https address/)
    await dialog.findByText('The context window must be at least 4,000 tokens.')
    await userEvent.clear(dialog.getByRole('textbox', { name: 'Name' }))
    await userEvent.type(dialog.getByRole('textbox', { name: 'Name' }), 'Box')
    await userEvent.clear(address)
    await userEvent.type(address, 'http://box.lan/v1')
    await userEvent.type(window, ',768')
    await userEvent.type(
      dialog.getByLabelText('Key, if the server needs one'),
      'sk-planted-01234567',
    )
    await userEvent.click(dialog.getByRole('button', { name: 'Save' }))
    await dialog.findByText(/A key is sent over https only/)
    await userEvent.clear(dialog.getByLabelText('Key, if the server needs one'))
    await userEvent.click(dialog.getByRole('button', { name: 'Save' }))
    const row = within((await canvas.findByText('box')).closest('li') as HTMLElement)
    row.getByText(/http:\/\/box\.lan\/v1 · Used without a key/)
    // What is wrong with it is said on its own row, until it is changed.
    await row.findByText('box can’t be reached: connection refused.')
    await expect(row.getByRole('button', { name: 'Try again: box' })).toBeEnabled()
  },
}
export const Failing: Story = {
  args: {
    models: {
      entries: [server],
      lists,
      defaultModel: 'ollama/qwen3-coder:30b',
      test: { outcome: 'failed', why: 'connect ECONNREFUSED 127.0.0.1:11434' },
    },
  },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await userEvent.click(await canvas.findByRole('button', { name: 'Test' }))
    await canvas.findByText('connect ECONNREFUSED 127.0.0.1:11434')
  },
}
export const FailingDark: Story = { tags: ['soak'], ...Failing, globals: { theme: 'dark' } }

const dialogIn = async () =>
  within(await within(document.body).findByRole('dialog', { name: 'New agent' }))

export const NewAgent: Story = {
  args: { models: { entries: [server], lists, defaultModel: 'ollama/gpt-oss:20b' }, starts: true },
  play: async () => {
    const dialog = await dialogIn()
    await waitFor(() =>
      expect(dialog.getByRole('combobox', { name: 'Model' })).toHaveValue('ollama/gpt-oss:20b'),
    )
    await userEvent.type(dialog.getByRole('textbox', { name: 'Prompt' }), 'Fix the parser')
    await userEvent.click(dialog.getByRole('combobox', { name: 'Permissions' }))
    await userEvent.click(
      await within(document.body).findByRole('option', { name: /^Allow edits/ }),
    )
    await dialog.findByText('Also change files of the worktree.')
    await expect(dialog.getByRole('button', { name: /Start/ })).toBeEnabled()
    // While it closes, the list has lost its name already.
    const option = () => within(document.body).queryByRole('option', { name: /^Allow edits/ })
    await waitFor(() => expect(option()).toBeNull())
    // What a cost limit can't count is said before the start.
    await userEvent.click(dialog.getByRole('button', { name: /^Limits/ }))
    await userEvent.type(dialog.getByRole('textbox', { name: 'Cost (USD)' }), '5')
    await dialog.findByText(/^ollama\/gpt-oss:20b has no known price, so the cost limit can’t be/)
    await userEvent.clear(dialog.getByRole('textbox', { name: 'Cost (USD)' }))
    await waitFor(() => expect(dialog.queryByText(/has no known price/)).toBeNull())
  },
}
/** The server does not answer: the field says so, and takes a name. */
export const NewAgentWithoutList: Story = {
  args: { models: { entries: [server] }, starts: true },
  play: async () => {
    const dialog = await dialogIn()
    await dialog.findByText(/ollama can’t be reached: connection refused\./)
    await userEvent.type(dialog.getByRole('textbox', { name: 'Prompt' }), 'Fix the parser')
    await userEvent.type(dialog.getByRole('combobox', { name: 'Model' }), 'ollama/qwen3:8b')
    await userEvent.tab()
    await expect(dialog.getByRole('button', { name: /Start/ })).toBeEnabled()
    await userEvent.click(dialog.getByRole('button', { name: 'Open Settings' }))
    await within(document.body).findByRole('heading', { name: 'Settings' })
  },
}
export const NewAgentDark: Story = { tags: ['soak'], ...NewAgent, globals: { theme: 'dark' } }
export const NewAgentWithoutModel: Story = {
  args: { models: {}, starts: true },
  play: async () => {
    const dialog = await dialogIn()
    await userEvent.click(await dialog.findByRole('combobox', { name: 'Agent' }))
    await userEvent.click(await within(document.body).findByRole('option', { name: /^Model/ }))
    await dialog.findByText('No model is set up. Add a key, or a server of your own.')
    await expect(dialog.getByRole('button', { name: /Start/ })).toBeDisabled()
  },
}
