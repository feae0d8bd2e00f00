/** The installed agents of a machine: what is found, what checks of real processes show, and what a user sets. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openAgentStore } from '../../../src/main/agents/acp/installed/agent-store.ts'
import { createInstalledAgents } from '../../../src/main/agents/acp/installed/installed-agents.ts'
import {
  createFindProgram,
  type FindProgram,
} from '../../../src/main/agents/acp/process/find-program.ts'
import { launchOf } from '../../../src/main/agents/acp/process/launch.ts'
import { createCustody } from '../../../src/main/processes/custody.ts'
import { isSecret } from '../../../src/main/secrets/agent-environment.ts'
import type { AgentScript } from '../../acp-agent/script.ts'
import { ended, textChunk } from '../../acp-agent/script.ts'
import { temporaryDir } from '../../harness.ts'
import { asking } from './acp-stage.ts'

const program = resolve(import.meta.dirname, '../../acp-agent/agent.ts')

async function machine({ find = createFindProgram() }: { find?: FindProgram } = {}) {
  const dir = await temporaryDir()
  const running = join(dir, 'running')
  const file = join(dir, 'installed-agents.json')
  const opened: string[][] = []
  const open = async () =>
    createInstalledAgents({
      store: await openAgentStore(file),
      find,
      custody: createCustody(running),
      scratchParent: join(dir, 'scratch'),
      version: '0.0.0',
      now: Date.now,
      hostEnv: process.env,
      isSecret,
      environment: () => ({ PATH: process.env.PATH ?? '', HOME: dir }),
      openTerminal: async (command) => opened.push([...command]) > 0,
      onWarning: () => {},
    })
  return {
    dir,
    file,
    running,
    opened,
    open,
    agents: await open(),
    async scripted(script: AgentScript) {
      const place = join(dir, 'agent')
      await mkdir(place, { recursive: true })
      await writeFile(join(place, 'script.json'), JSON.stringify(script))
      return { name: 'mine', command: `node ${program}`, sets: { SCRIPTED_ACP: place } }
    },
    methods: async () =>
      (await readFile(join(dir, 'agent', 'log.jsonl'), 'utf8'))
        .trim()
        .split('\n')
        .flatMap((line) => (JSON.parse(line) as { method?: string }).method ?? []),
  }
}

const installed =
  (...commands: string[]): FindProgram =>
  async (command, path) =>
    commands.includes(command) ? { file: `/opt/${command}`, path } : null

describe('a check of an installed agent', () => {
  it('shows and stores what the agent reports, and leaves nothing running', async () => {
    const on = await machine()
    await on.agents.saveOwn(
      await on.scripted({
        capabilities: {
          loadSession: true,
          mcpCapabilities: { http: true },
          promptCapabilities: { image: true },
        },
        modes: asking,
        configOptions: [
          {
            type: 'select',
            id: 'model',
            name: 'Model',
            category: 'model',
            currentValue: 'a',
            options: [{ group: 'g', name: 'G', options: [{ value: 'a', name: 'A' }] }],
          },
          { type: 'boolean', id: 'fast', name: 'Fast', currentValue: false },
        ],
        prompts: [],
      }),
    )
    const found = await on.agents.check('mine', { prompts: false })
    expect(found).toMatchObject({
      outcome: 'ready',
      version: '1.0.0',
      signedIn: null,
      answeredMs: null,
      can: { resume: true, fork: false, mcp: true, images: true, subAgents: null },
      modes: { current: 'free', choices: [{ value: 'free' }, { value: 'asking' }] },
      options: [
        { id: 'model', category: 'model', current: 'a', choices: [{ value: 'a', name: 'A' }] },
        { id: 'fast', category: null, current: false, choices: [] },
      ],
    })
    expect(await on.methods()).toEqual(['initialize', 'session/new'])
    expect(await readdir(on.running)).toEqual([])
    const [own] = (await (await on.open()).list()).filter((one) => one.own)
    expect(own).toMatchObject({ id: 'mine', available: true, version: '1.0.0', check: found })
  })

  it('has the agent sign in by a method of its own, if the user chose it', async () => {
    const on = await machine()
    const methods = [
      { id: 'api-key', name: 'API key' },
      { id: 'gateway', name: 'Gateway', _meta: { gateway: {} } },
      { id: 'login', name: 'Login', type: 'terminal' },
    ]
    await on.agents.saveOwn(
      await on.scripted({ signedOut: 'session/new', authMethods: methods, prompts: [] }),
    )
    const before = await on.agents.check('mine', { prompts: false })
    expect(before).toMatchObject({
      outcome: 'signed-out',
      signInMethods: [{ id: 'api-key', name: 'API key', description: null }],
    })
    expect(await on.methods()).not.toContain('authenticate')
    expect(await on.agents.authenticate('mine', 'other')).toMatchObject({ outcome: 'failed' })
    const after = await on.agents.authenticate('mine', 'api-key')
    expect(after).toMatchObject({ outcome: 'ready', why: null })
    expect(await on.methods()).toEqual([
      ...['initialize', 'session/new', 'initialize', 'authenticate'],
      ...['initialize', 'authenticate', 'session/new'],
    ])
    const [own] = (await (await on.open()).list()).filter((one) => one.own)
    expect(own?.check).toEqual(after)
    expect(await on.agents.check('mine', { prompts: false })).toMatchObject({ outcome: 'ready' })
    expect(await readdir(on.running)).toEqual([])
  })

  it('[G7] distinguishes an agent without a sign-in from one that fails', async () => {
    const on = await machine()
    await on.agents.saveOwn(await on.scripted({ signedOut: 'session/new', prompts: [] }))
    expect(await on.agents.check('mine', { prompts: false })).toMatchObject({
      outcome: 'signed-out',
      signedIn: false,
      version: '1.0.0',
    })
    await on.scripted({ diesAt: 'initialize', prompts: [] })
    expect(await on.agents.check('mine', { prompts: false })).toMatchObject({
      outcome: 'failed',
      why: expect.stringContaining('7'),
      can: null,
      signedIn: null,
    })
  })

  it('makes one short exchange when it is asked to', async () => {
    const on = await machine()
    await on.agents.saveOwn(await on.scripted({ prompts: [[textChunk('ready'), ended()]] }))
    const found = await on.agents.check('mine', { prompts: true })
    expect(found).toMatchObject({ outcome: 'ready', answeredMs: expect.any(Number) })
    await on.scripted({ prompts: [[ended()]] })
    expect(await on.agents.check('mine', { prompts: true })).toMatchObject({
      outcome: 'failed',
      why: expect.stringContaining('answered nothing'),
    })
  })
})

describe('the list of installed agents', () => {
  it('states where each is, what its adapter uses, and what npx would fetch', async () => {
    const { agents } = await machine({ find: installed('codex-acp', 'codex', 'claude', 'npx') })
    const list = await agents.list()
    expect(list.map(({ id, available }) => [id, available])).toEqual([
      ...[
        ['codex', true],
        ['claude-code', false],
        ['opencode', false],
      ],
      ...[
        ['gemini', false],
        ['qwen', false],
      ],
    ])
    expect(list[0]).toMatchObject({
      file: '/opt/codex-acp',
      version: null,
      signedIn: null,
      check: null,
      uses: { command: 'codex', file: '/opt/codex' },
      signIn: { command: ['/opt/codex', 'login'] },
    })
    expect(list[1]).toMatchObject({
      file: null,
      why: 'claude-agent-acp was not found on your PATH',
      package: { megabytes: 391, allowed: false, fetchable: true },
    })
  })

  it('reads the version of a package without starting it', async () => {
    const { dir, agents } = await machine({
      find: async (command, path) =>
        command === 'codex-acp' ? { file: join(dir, 'bin/codex-acp'), path } : null,
    })
    const from = join(dir, 'node_modules/@agentclientprotocol/codex-acp')
    await mkdir(from, { recursive: true })
    await writeFile(
      join(from, 'package.json'),
      JSON.stringify({ name: '@agentclientprotocol/codex-acp', version: '2.6.1' }),
    )
    expect((await agents.list())[0]?.version).toBe('2.6.1')
  })

  it('opens a terminal for the sign-in, if its command is known', async () => {
    const { agents, opened } = await machine({ find: installed('gemini') })
    expect(await agents.signIn('gemini')).toEqual({ opened: true, command: ['/opt/gemini'] })
    expect(await agents.signIn('codex')).toEqual({ opened: false, command: null })
    expect(opened).toEqual([['/opt/gemini']])
  })
})

it.each([
  ['name', { name: 'codex' }],
  ['name', { name: 'Mine' }],
  ['command', { command: 'a | b' }],
  ['sets', { sets: { MY_API_KEY: 'x' } }],
  ['passes', { passes: ['A=1'] }],
])('refuses an agent of the user’s own with an unusable %s', async (field, over) => {
  const { agents } = await machine()
  const own = { name: 'mine', command: 'copilot --acp', ...over }
  await expect(agents.saveOwn(own)).rejects.toMatchObject({ failure: { kind: 'invalid', field } })
})

it('removes one of the user’s own, and sets a damaged file aside', async () => {
  const { agents, open, file, dir } = await machine()
  await agents.saveOwn({ name: 'mine', command: 'copilot --acp' })
  await agents.removeOwn('mine')
  expect((await agents.list()).every(({ own }) => own === null)).toBe(true)
  await expect(agents.removeOwn('mine')).rejects.toMatchObject({ failure: { kind: 'not-found' } })
  await writeFile(file, '{"version":1,')
  expect(await (await open()).list()).toHaveLength(5)
  expect(await readdir(dir)).toContain('installed-agents.json.damaged-1')
})

it('is fetched by npx at its pinned version, and only if that was allowed', async () => {
  const at = { find: installed('npx'), env: { PATH: '/bin' }, cwd: '/work' }
  const spec = { kind: 'acp', program: 'codex', agent: 'codex' } as const
  expect(await launchOf(spec, at)).toBeNull()
  expect(await launchOf(spec, { ...at, isFetchAllowed: () => true })).toMatchObject({
    program: '/opt/npx',
    args: ['--yes', '--package=@agentclientprotocol/codex-acp@2.6.0', '--', 'codex-acp'],
    // A repository's own `.npmrc` and packages decide nothing.
    cwd: homedir(),
  })
})

it('forgets the permission for a fetch that failed', async () => {
  const { agents } = await machine({ find: installed('npx') })
  await expect(agents.allowFetch('codex', '0.0.1')).rejects.toMatchObject({
    failure: { kind: 'invalid', field: 'version' },
  })
  expect(await agents.allowFetch('codex', '2.6.0')).toMatchObject({ outcome: 'failed' })
  expect((await agents.list())[0]).toMatchObject({ available: false, package: { allowed: false } })
})
