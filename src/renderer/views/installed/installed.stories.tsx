/** Installed agents over the fake contract: Settings, a new agent on one, and continuing a task with one. */
import type { Meta, StoryObj } from '@storybook/react-vite'
import { expect, fireEvent, userEvent, waitFor, within } from 'storybook/test'
import { AppStage } from '../../../../storybook/app-stage.tsx'
import { inWindow } from '../../../../storybook/decorators.tsx'
import { createStoryHost, type StoryHost } from '../../../../storybook/story-host.ts'
import { apiProject, ids, laterRecords } from '../../../../tests/fixtures/entries/tasks.ts'
import { presetState, readyCheck } from '../../../../tests/fixtures/installed-agents.ts'
import type { AgentCheck, InstalledAgentState } from '../../../shared/agents/agent-checks.ts'
import type { Overlay } from '../../store/window/overlay.ts'

const offering: AgentCheck = {
  ...readyCheck,
  modes: {
    current: 'read-only',
    choices: [
      { value: 'read-only', name: 'Read only', description: 'Asks before anything is changed' },
      { value: 'full-access', name: 'Full access', description: 'Changes and runs anything' },
    ],
  },
  options: [
    {
      id: 'model',
      name: 'Model',
      description: null,
      category: 'model',
      current: 'gpt-6.1-sol',
      choices: [
        { value: 'gpt-6.1-sol', name: 'GPT-6.1 Sol', description: null },
        { value: 'gpt-6.1-mini', name: 'GPT-6.1 mini', description: 'Faster, for small tasks' },
      ],
    },
    {
      id: 'fast',
      name: 'Fast mode',
      description: null,
      category: null,
      current: false,
      choices: [],
    },
  ],
}
const codex: InstalledAgentState = {
  ...presetState('codex'),
  available: true,
  why: null,
  file: '/home/robin/.npm-global/bin/codex-acp',
  version: '2.6.0',
  uses: { command: 'codex', file: '/usr/local/bin/codex', version: '0.169.0' },
  signIn: { text: 'Sign in with: codex login', command: ['/usr/local/bin/codex', 'login'] },
}
const claude: InstalledAgentState = {
  ...presetState('claude-code'),
  available: true,
  why: null,
  file: '/usr/local/bin/claude-agent-acp',
  version: '0.100.0',
  signedIn: false,
  signIn: { text: 'Sign in with: claude auth login', command: ['claude', 'auth', 'login'] },
  check: {
    ...readyCheck,
    outcome: 'signed-out',
    signedIn: false,
    version: '0.100.0',
    why: 'Claude Code is not signed in. Sign in with: claude auth login',
  },
}
const own: InstalledAgentState = {
  ...presetState('qwen'),
  id: 'copilot',
  name: 'copilot',
  program: 'acp',
  package: null,
  available: true,
  why: null,
  file: '/usr/local/bin/copilot',
  signIn: { text: 'Sign in to it in a terminal', command: null },
  own: { name: 'copilot', command: 'copilot --acp', passes: ['GH_TOKEN'], sets: {} },
}
const agents = [codex, claude, own]

interface Args {
  agents: InstalledAgentState[]
  checks?: Record<string, AgentCheck>
  configuration?: Record<string, string>
  /** Nothing has been done yet. */
  isEmpty?: boolean
  address?: string
  overlay?: Exclude<Overlay, { kind: 'none' }>
  theme?: 'light' | 'dark'
}

let host: StoryHost

const meta: Meta<Args> = {
  title: 'Screens/Installed agents',
  decorators: [inWindow],
  render: (
    { agents, checks, configuration, isEmpty, address = '#/settings', overlay, theme },
    { globals },
  ) => {
    host = createStoryHost({
      records: isEmpty ? [] : laterRecords,
      agents,
      ...(checks && { agentChecks: checks }),
      ...(configuration && { agentConfiguration: configuration }),
    })
    return (
      <AppStage
        fake={host}
        address={address}
        {...(overlay && { overlay })}
        theme={theme ?? (globals.theme === 'dark' ? 'dark' : 'light')}
      />
    )
  },
}
export default meta
type Story = StoryObj<typeof meta>

const body = () => within(document.body)
const rowOf = async (canvas: HTMLElement, name: string) => {
  const list = await within(canvas).findByRole('list', { name: 'Installed agents' })
  const row = within(list)
    .getAllByRole('listitem')
    .find((one) => one.textContent?.startsWith(name))
  if (!row) throw new Error(`no row of ${name}`)
  row.scrollIntoView({ block: 'center' })
  return within(row)
}
const choose = async (within1: ReturnType<typeof within>, field: string, option: RegExp) => {
  await userEvent.click(await within1.findByRole('combobox', { name: field }))
  await userEvent.click(await body().findByRole('option', { name: option }))
  // While it closes, the list has lost its name already, which the accessibility check refuses.
  await waitFor(() => expect(body().queryByRole('listbox')).toBeNull())
}

/** What was never looked at is unknown; a check shows it. */
export const List: Story = {
  args: { agents },
  play: async ({ canvasElement }) => {
    const row = await rowOf(canvasElement, 'Codex')
    await row.findByText(/Signed in: unknown · Capabilities: unknown/)
    await userEvent.click(row.getByRole('button', { name: 'Check Codex' }))
    await row.findByText(
      /Signed in: yes · Can: resume, fork, MCP, images · Unknown: sub-agents · checked/,
    )
    await (await rowOf(canvasElement, 'Claude Code')).findByRole('button', {
      name: 'Sign in to Claude Code',
    })
  },
}

/** The adapter alone is installed: it signs in itself. */
export const SignInByMethod: Story = {
  args: {
    agents: [
      {
        ...codex,
        uses: null,
        signedIn: false,
        signIn: { text: 'Sign in with: codex login', command: null },
        check: {
          ...readyCheck,
          outcome: 'signed-out',
          signedIn: false,
          why: 'Codex is not signed in. Sign in with: codex login',
          signInMethods: [
            { id: 'api-key', name: 'API Key', description: 'Use an API key to authenticate' },
            { id: 'chat-gpt', name: 'ChatGPT', description: null },
          ],
        },
      },
    ],
  },
  play: async ({ canvasElement }) => {
    const row = await rowOf(canvasElement, 'Codex')
    await userEvent.click(row.getByRole('button', { name: 'Sign in to Codex' }))
    await userEvent.click(
      await body().findByRole('menuitem', { name: 'API Key (Use an API key to authenticate)' }),
    )
    await row.findByText(/Signed in: yes/)
    await waitFor(() => expect(body().queryByRole('menu')).toBeNull())
  },
}
export const ListDark: Story = { args: { ...List.args, theme: 'dark' } as Args }

/** A package is fetched after a yes that names what and how big. */
export const Fetch: Story = {
  args: { agents },
  play: async ({ canvasElement }) => {
    const row = await rowOf(canvasElement, 'Gemini CLI')
    row.getByText(/Shiplog can fetch .* from npm, about 98 MB\./)
    await userEvent.click(row.getByRole('button', { name: 'Fetch 98 MB… for Gemini CLI' }))
    const dialog = within(await body().findByRole('dialog', { name: 'Fetch Gemini CLI' }))
    await dialog.findByText('@google/gemini-cli', { exact: true })
    await dialog.findByText('About 98 MB')
    await userEvent.click(dialog.getByRole('button', { name: 'Fetch 98 MB' }))
    await row.findByText(/Fetched by npx/)
    await waitFor(() => expect(body().queryByRole('dialog')).toBeNull())
  },
}
/** Says what is wrong at the field that is wrong. */
export const OwnCommand: Story = {
  tags: ['soak'],
  args: { agents },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await userEvent.click(await canvas.findByRole('button', { name: 'Add a command…' }))
    const dialog = within(await body().findByRole('dialog', { name: 'Add a command' }))
    const name = dialog.getByRole('textbox', { name: 'Name' })
    await userEvent.type(name, 'codex')
    await userEvent.type(dialog.getByRole('textbox', { name: 'Command' }), 'cline --acp')
    await userEvent.type(dialog.getByRole('textbox', { name: 'Variables' }), 'LEVEL')
    await dialog.findByText('“LEVEL” is not NAME=VALUE.')
    await userEvent.type(dialog.getByRole('textbox', { name: 'Variables' }), '=2')
    await userEvent.click(dialog.getByRole('button', { name: 'Save' }))
    await dialog.findAllByText(/is the name of an agent that Shiplog supports/)
    await userEvent.clear(name)
    await userEvent.type(name, 'cline')
    await userEvent.click(dialog.getByRole('button', { name: 'Save' }))
    await (await rowOf(canvasElement, 'cline')).findByText(/cline --acp/)
  },
}
/** It is saved, because it may be installed later, but not praised. */
export const OwnCommandMissing: Story = {
  args: { agents },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await userEvent.click(await canvas.findByRole('button', { name: 'Add a command…' }))
    const dialog = within(await body().findByRole('dialog', { name: 'Add a command' }))
    await userEvent.type(dialog.getByRole('textbox', { name: 'Name' }), 'mine')
    await userEvent.type(dialog.getByRole('textbox', { name: 'Command' }), 'missing --acp')
    pressModEnter(dialog.getByRole('button', { name: /Save/ }))
    await body().findByText(
      'mine was saved, but it can’t start: missing was not found on your PATH.',
    )
  },
}

/** The key that is shown on the button works on the button as well. */
const pressModEnter = (button: HTMLElement) =>
  fireEvent.keyDown(button, { key: 'Enter', ctrlKey: true })

/** Its model and mode are those that it offered, and are sent with the prompt. */
export const NewAgent: Story = {
  args: {
    agents,
    checks: { codex: offering },
    address: '#/',
    overlay: { kind: 'new-agent', projectId: apiProject },
  },
  play: async () => {
    const dialog = within(await body().findByRole('dialog', { name: 'New agent' }))
    await userEvent.type(dialog.getByRole('textbox', { name: 'Prompt' }), 'Fix the parser')
    await choose(dialog, 'Agent', /^Codex/)
    await userEvent.click(await dialog.findByRole('button', { name: 'Show its models and modes' }))
    await choose(dialog, 'Model', /GPT-6.1 mini/)
    pressModEnter(dialog.getByRole('button', { name: /Start/ }))
    await waitFor(() => expect(body().queryByRole('dialog')).toBeNull())
    const started = host.calls.find(({ path }) => path === 'tasks.start')
    await expect(started?.input).toMatchObject({
      agent: { kind: 'acp', program: 'codex', options: { model: 'gpt-6.1-mini' } },
    })
  },
}
/** What the repository configures for the agent is allowed with its start, and for another agent it is something else. */
export const NewAgentConfigured: Story = {
  args: {
    agents: [{ ...codex, signedIn: true, check: offering }, claude],
    address: '#/',
    overlay: { kind: 'new-agent', projectId: apiProject },
    configuration: {
      codex:
        'Configuration for Codex: .codex/config.toml\n\n.codex/config.toml:\n  [mcp_servers.docs]\n  command = "./tools/docs-server"\n  args = ["--\u200bport", "4100"]',
    },
  },
  play: async () => {
    const dialog = within(await body().findByRole('dialog', { name: 'New agent' }))
    await userEvent.type(dialog.getByRole('textbox', { name: 'Prompt' }), 'Fix the parser')
    await choose(dialog, 'Agent', /^Codex/)
    const asked = await dialog.findByRole('region', { name: 'The configuration' })
    await expect(asked).toHaveTextContent('command = "./tools/docs-server"')
    await expect(asked).toHaveTextContent('--<U+200B>port')
    await choose(dialog, 'Agent', /^Claude Code/)
    await waitFor(() =>
      expect(dialog.queryByRole('region', { name: 'The configuration' })).toBeNull(),
    )
    await choose(dialog, 'Agent', /^Codex/)
    const allow = await dialog.findByRole('button', { name: /Allow and start/ })
    await waitFor(() => expect(allow).toBeEnabled())
    await userEvent.click(allow)
    await waitFor(() => expect(body().queryByRole('dialog')).toBeNull())
    await expect(host.asked('agents.allowConfiguration')).toMatchObject([
      { id: 'codex', projectId: apiProject, sha256s: ['of codex'] },
    ])
    await expect(host.asked('tasks.start')).toHaveLength(1)
  },
}
const configured: Partial<Story> = {
  args: NewAgentConfigured.args as Args,
  play: async () => {
    const dialog = within(await body().findByRole('dialog', { name: 'New agent' }))
    await choose(dialog, 'Agent', /^Codex/)
    await dialog.findByRole('region', { name: 'The configuration' })
  },
}
export const NewAgentConfiguredDark: Story = {
  tags: ['soak'],
  ...configured,
  args: { ...configured.args, theme: 'dark' } as Args,
}
const chosen: Partial<Story> = {
  args: { ...NewAgent.args, agents: [{ ...codex, signedIn: true, check: offering }] } as Args,
  play: async () => {
    const dialog = within(await body().findByRole('dialog', { name: 'New agent' }))
    await choose(dialog, 'Agent', /^Codex/)
    await dialog.findByRole('combobox', { name: 'Mode' })
  },
}
export const NewAgentDark: Story = {
  tags: ['soak'],
  ...chosen,
  args: { ...chosen.args, theme: 'dark' } as Args,
}

/** Another agent takes over, from files that are named. */
export const ContinueWith: Story = {
  args: {
    agents: [{ ...codex, signedIn: true, check: offering }],
    address: `#/t/${ids.upgrade}`,
    overlay: { kind: 'continue-from', taskId: ids.upgrade },
  },
  play: async () => {
    const dialog = within(await body().findByRole('dialog', { name: /^Continue/ }))
    await choose(dialog, 'Agent', /^Codex/)
    await dialog.findByRole('combobox', { name: 'Mode' })
    await userEvent.click(dialog.getByRole('button', { name: 'Start' }))
    await waitFor(() => expect(body().queryByRole('dialog')).toBeNull())
    const asked = host.calls.find(({ path }) => path === 'tasks.continueFrom')
    await expect(asked?.input).toMatchObject({ agent: { kind: 'acp', program: 'codex' } })
  },
}

/** A follow-up is written, and another agent is chosen for it. */
export const ContinueFromComposer: Story = {
  tags: ['soak'],
  args: { ...ContinueWith.args, overlay: undefined } as Args,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    const field = await canvas.findByRole('textbox', { name: 'Follow-up' })
    await userEvent.type(field, 'Finish the upgrade')
    await userEvent.click(canvas.getByRole('button', { name: /^Agent: / }))
    const search = await body().findByRole('combobox', { name: 'Agents and models' })
    await body().findByRole('option', { name: /^Codex/ })
    await userEvent.type(search, 'cod{Enter}')
    const dialog = within(await body().findByRole('dialog', { name: /^Continue/ }))
    await waitFor(() =>
      expect(dialog.getByRole('textbox', { name: 'Prompt' })).toHaveValue('Finish the upgrade'),
    )
    await waitFor(() => expect(dialog.getByRole('textbox', { name: 'Prompt' })).toHaveFocus())
    await waitFor(() =>
      expect(dialog.getByRole('combobox', { name: 'Agent' })).toHaveTextContent('Codex'),
    )
    await userEvent.click(dialog.getByRole('button', { name: 'Start' }))
    await waitFor(() => expect(body().queryByRole('dialog')).toBeNull())
    await expect(host.asked('tasks.continueFrom')).toMatchObject([
      { prompt: 'Finish the upgrade', agent: { kind: 'acp', program: 'codex' } },
    ])
  },
}
export const PickerDark: Story = {
  tags: ['soak'],
  args: { ...ContinueFromComposer.args, theme: 'dark' } as Args,
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await userEvent.click(await canvas.findByRole('button', { name: /^Agent: / }))
    await body().findByRole('option', { name: /^Codex/ })
  },
}

/** An agent that is set up can take part in the demo. */
export const DemoWith: Story = {
  tags: ['soak'],
  args: { agents: [claude, codex], address: '#/', isEmpty: true },
  play: async ({ canvasElement }) => {
    const canvas = within(canvasElement)
    await userEvent.click(await canvas.findByRole('button', { name: 'Try it with Codex' }))
    await waitFor(() => expect(host.asked('projects.startDemo')).toEqual([{ agent: 'codex' }]))
  },
}
const firstSteps: Partial<Story> = {
  args: { ...DemoWith.args } as Args,
  play: async ({ canvasElement }) => {
    await within(canvasElement).findByRole('button', { name: 'Try it with Codex' })
  },
}
export const FirstStepsDark: Story = {
  ...firstSteps,
  args: { ...firstSteps.args, theme: 'dark' } as Args,
}
