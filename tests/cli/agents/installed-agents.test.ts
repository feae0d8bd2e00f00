/** Installed agents on the command line: list, set up, test, remove. */
import { expect, it } from 'vitest'
import { commandText } from '../../../src/shared/text/agent-check-text.ts'
import { presetState, readyCheck } from '../../fixtures/installed-agents.ts'
import { runToEnd, startCli } from '../fake-process.ts'
import { createFakeShiplog } from '../fake-shiplog.ts'

const codex = {
  ...presetState('codex'),
  available: true,
  why: null,
  file: '/opt/codex-acp',
  version: '2.6.0',
  uses: { command: 'codex', file: '/opt/codex', version: '0.169.0' },
  signIn: { text: 'Sign in with: codex login', command: ['/opt/codex', 'login'] },
}
const fakeWith = (more: object = {}) => createFakeShiplog({ agents: [codex], ...more })

it('lists installed agents, with unknown values as unknown', async () => {
  const fake = fakeWith()
  const before = await runToEnd(['agent', 'list'], { fake })
  expect(before.stdout).toMatch(/codex +Codex +✓ \/opt\/codex-acp +2\.6\.0 +unknown/)
  expect(before.stdout).toContain('uses /opt/codex (0.169.0)')
  expect(before.stdout).toContain(
    'shiplog agent setup gemini lets npx fetch @google/gemini-cli 0.61.0 (98 MB)',
  )
  expect(before.stderr).toContain('agent list --check')
  const after = await runToEnd(['agent', 'list', '--check'], { fake })
  expect(after.stdout).toMatch(/2\.6\.0 +yes/)
  expect(after.stdout).toContain('can resume, fork, MCP, images; unknown: sub-agents (checked')
  const { stdout } = await runToEnd(['agent', 'list', '--json'], { fake })
  const { agents } = JSON.parse(stdout) as { agents: { kind: string }[] }
  expect(agents.find(({ kind }) => kind === 'codex')).toMatchObject({
    available: true,
    version: '2.6.0',
    signedIn: true,
    capabilities: { resume: true, subAgents: null },
  })
})

it('fetches a package only after the user agreed to its name and size', async () => {
  const fake = fakeWith()
  const no = await runToEnd(['agent', 'setup', 'gemini'], { fake })
  expect(no.code).toBe(5)
  expect(no.stderr).toContain('@google/gemini-cli 0.61.0 (98 MB)')
  expect(no.stderr).toContain('npm install -g @google/gemini-cli')
  expect(fake.calls.map(({ path }) => path)).not.toContain('agents.allowFetch')
  const cli = startCli(['agent', 'setup', 'gemini'], { fake, stdinText: '', stderrTTY: true })
  await cli.said('Fetch it?')
  cli.type('y\n')
  expect((await cli.ended).code).toBe(0)
  expect(fake.calls.find(({ path }) => path === 'agents.allowFetch')?.input).toEqual({
    id: 'gemini',
    version: '0.61.0',
  })
})

it('signs in on this terminal', async () => {
  const signedOut = {
    ...readyCheck,
    outcome: 'signed-out' as const,
    signedIn: false,
    why: 'Codex is not signed in.',
  }
  const fake = fakeWith({ agentChecks: { codex: signedOut } })
  const ran: (readonly string[])[] = []
  const cli = startCli(['agent', 'setup', 'codex'], {
    fake,
    stdinText: '',
    stderrTTY: true,
    runAttached: async (command) => {
      ran.push(command)
      return 0
    },
  })
  await cli.said('Run /opt/codex login here?')
  cli.type('y\n')
  const { code, stderr } = await cli.ended
  expect(ran).toEqual([['/opt/codex', 'login']])
  // The fake stays signed out.
  expect(code).toBe(1)
  expect(stderr).toContain('Codex is not signed in.')
})

it('signs in by a method of an agent whose own command is not installed', async () => {
  const signedOut = {
    ...readyCheck,
    outcome: 'signed-out' as const,
    signedIn: false,
    why: 'Codex is not signed in.',
    signInMethods: [
      { id: 'api-key', name: 'API Key', description: 'Use an API key' },
      { id: 'chat-gpt', name: 'ChatGPT', description: null },
    ],
  }
  const agents = [{ ...codex, uses: null, signIn: { ...codex.signIn, command: null } }]
  const setUp = () => {
    const fake = createFakeShiplog({ agents, agentChecks: { codex: signedOut } })
    const options = { fake, stdinText: '', stderrTTY: true }
    return { fake, cli: startCli(['agent', 'setup', 'codex'], options) }
  }
  const { fake, cli } = setUp()
  await cli.said('1. API Key (Use an API key)')
  await cli.said('A number (empty: none):')
  cli.type('2\n')
  expect((await cli.ended).code).toBe(0)
  expect(fake.calls.find(({ path }) => path === 'agents.authenticate')?.input).toEqual({
    id: 'codex',
    method: 'chat-gpt',
  })
  const other = setUp()
  await other.cli.said('A number (empty: none):')
  other.cli.type('\n')
  expect((await other.cli.ended).code).toBe(1)
  expect(other.fake.calls.map(({ path }) => path)).not.toContain('agents.authenticate')
})

it('adds, changes, tests and removes a command of the user', async () => {
  const fake = fakeWith()
  const run = (...argv: string[]) => runToEnd(['agent', ...argv], { fake })
  const own = async () => (await fake.shiplog.client.agents.list()).agents.at(-1)?.own
  const added = await run(
    ...['setup', 'copilot', '--command', 'copilot --acp'],
    ...['--env', 'GH_TOKEN', '--set', 'LEVEL=a=b'],
  )
  expect(added).toMatchObject({ code: 0 })
  expect(added.stderr).toContain('--agent copilot')
  expect(await own()).toEqual({
    name: 'copilot',
    command: 'copilot --acp',
    passes: ['GH_TOKEN'],
    sets: { LEVEL: 'a=b' },
  })
  await run('setup', 'copilot', '--agent-mode', 'plan')
  expect(await own()).toMatchObject({ mode: 'plan', passes: ['GH_TOKEN'] })
  expect(await run('test', 'copilot')).toMatchObject({
    code: 0,
    stdout: 'copilot answered in 2.1 s.\n',
  })
  expect((await run('remove', 'copilot')).code).toBe(0)
  expect(await run('remove', 'copilot')).toMatchObject({
    code: 3,
    stderr: 'Error: There is no agent "copilot"; `shiplog agent list` shows every agent\n',
  })
})

it('starts an agent of the user by its name', async () => {
  const fake = fakeWith()
  fake.onStart(async (root) => {
    fake.spawn(root)
    fake.complete(root)
  })
  await runToEnd(['agent', 'run', 'Fix it', '--project', '/code/here', '--agent', 'copilot'], {
    fake,
  })
  expect(fake.calls.find(({ path }) => path === 'tasks.start')?.input).toMatchObject({
    agent: { kind: 'acp', program: 'acp', own: 'copilot' },
  })
})

it('prints a command as it is typed in a shell', () => {
  expect(commandText(['/a b/agent', '--x', "it's"])).toBe("'/a b/agent' --x 'it'\\''s'")
})
