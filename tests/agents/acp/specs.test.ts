import { describe, expect, it } from 'vitest'
import { createAcpDriver } from '../../../src/main/agents/acp/driver.ts'
import { launchOf } from '../../../src/main/agents/acp/process/launch.ts'
import { createOpenTaskTools } from '../../../src/main/agents/acp/task-tools.ts'
import { createCustody } from '../../../src/main/processes/custody.ts'
import { agentEnvironment } from '../../../src/main/secrets/agent-environment.ts'
import { createMasker } from '../../../src/main/secrets/masker.ts'
import { agentPresets, documentedVariables } from '../../../src/shared/agents/installed-agents.ts'
import { noDefinitions } from '../../fixtures/drivers.ts'

const driverWith = (installed: readonly string[]) =>
  createAcpDriver({
    mask: createMasker(),
    custody: createCustody('/nowhere'),
    version: '0.0.0',
    hostEnv: { PATH: '/bin' },
    onNotice: () => {},
    definitions: noDefinitions,
    onModel: async () => null,
    allowConfiguration: async () => null,
    find: async (command, path) =>
      installed.includes(command) ? { file: `/opt/${command}`, path } : null,
  })

describe('an installed agent', () => {
  it.each([
    ['copilot --acp', ['copilot', '--acp']],
    ['"/a b/agent" \'--x y\'', ['/a b/agent', '--x y']],
  ])('takes the command %s as a program with its arguments', async (command, words) => {
    const { spec } = await driverWith([]).prepare({ kind: 'acp', program: 'acp', command }, '/')
    expect(spec.command).toEqual(words)
  })

  it.each(['', 'a; b', 'a | b', 'KEY=1 a', 'a $HOME', 'a > b', 'a "'])(
    'refuses a command that only a shell could run: %s',
    async (command) => {
      await expect(
        driverWith([]).prepare({ kind: 'acp', program: 'acp', command }, '/'),
      ).rejects.toThrow(/program|command/)
    },
  )

  it('[G7] states what to install if it is missing', async () => {
    const driver = driverWith([])
    const { spec } = await driver.prepare({ kind: 'acp', program: 'codex' }, '/')
    expect(await driver.check(spec, { read: async () => '' })).toMatchObject({
      state: 'unavailable',
      cause: { detail: expect.stringContaining('npm install -g @agentclientprotocol/codex-acp') },
    })
    expect(await driverWith(['codex-acp']).check(spec, { read: async () => '' })).toEqual({
      state: 'ready',
    })
  })

  it('[K2] is started without the variables of the agent that Shiplog was started from', async () => {
    const launch = await launchOf(
      { kind: 'acp', program: 'claude-code', agent: 'claude-code' },
      {
        cwd: '/project',
        env: {
          PATH: '/bin',
          CLAUDECODE: '1',
          CLAUDE_CODE_ENTRYPOINT: 'cli',
          CLAUDE_CODE_USE_BEDROCK: '1',
          CLAUDE_CODE_SKIP_BEDROCK_AUTH: '1',
        },
        find: async (command, path) => ({ file: `/opt/${command}`, path }),
      },
    )
    expect(launch?.program).toBe('/opt/claude-agent-acp')
    expect(launch?.env).toEqual({
      PATH: '/bin',
      CLAUDE_CODE_USE_BEDROCK: '1',
      CLAUDE_CODE_SKIP_BEDROCK_AUTH: '1',
      CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false',
      CLAUDE_CODE_EXECUTABLE: '/opt/claude',
    })
  })

  it('[K2] gets the keys that it documents, and those of a cloud only where that cloud is chosen', () => {
    const host = {
      PATH: '/bin',
      ANTHROPIC_API_KEY: 'sk-ant-1',
      AWS_SECRET_ACCESS_KEY: 'aws-1',
      GOOGLE_APPLICATION_CREDENTIALS: '/keys/vertex.json',
      NPM_TOKEN: 'npm-1',
    }
    const secretsOf = (more: Record<string, string> = {}) => {
      const env = { ...host, ...more }
      const allowed = documentedVariables(agentPresets['claude-code'], env)
      return agentEnvironment(env, { allowed, only: null }).withheld
    }
    const [aws, google, npm] = [
      'AWS_SECRET_ACCESS_KEY',
      'GOOGLE_APPLICATION_CREDENTIALS',
      'NPM_TOKEN',
    ]
    expect(secretsOf()).toEqual([aws, google, npm])
    expect(secretsOf({ CLAUDE_CODE_USE_BEDROCK: '1' })).toEqual([google, npm])
    expect(secretsOf({ CLAUDE_CODE_USE_VERTEX: '1' })).toEqual([aws, npm])
    const keys = { ...host, OPENROUTER_API_KEY: 'sk-or-1' }
    const allowed = documentedVariables(agentPresets.opencode, keys)
    expect(agentEnvironment(keys, { allowed, only: null }).withheld).toEqual([aws, google, npm])
  })

  it('may start the other installed agents by their names', async () => {
    let offered: readonly { name: string; description: string }[] = []
    const open = createOpenTaskTools({
      servers: {
        async open({ agents }) {
          offered = await agents()
          return { connect: () => {} } as never
        },
      },
      definitions: { of: async () => [{ name: 'codex', description: 'Mine.' } as never] },
      isInstalled: async (command) => command !== 'gemini',
    })
    await open({
      place: { cwd: '/' } as never,
      host: {} as never,
      definition: null,
      untilRead: async () => {},
    })
    expect(offered.map(({ name }) => name)).toEqual(['codex', 'claude-code', 'opencode', 'qwen'])
    // The one of two with the same name that would be started.
    expect(offered[0]?.description).toBe('Mine.')
  })
})
