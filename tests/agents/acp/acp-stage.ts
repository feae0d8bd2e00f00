/** Runs of the scripted ACP agent as a real process, recorded in a session of their own. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createAcpDriver } from '../../../src/main/agents/acp/driver.ts'
import { createFindProgram } from '../../../src/main/agents/acp/process/find-program.ts'
import type { OpenTaskTools } from '../../../src/main/agents/acp/task-tools.ts'
import { createCustody } from '../../../src/main/processes/custody.ts'
import type { RunOptions } from '../../../src/main/runs/run-options.ts'
import type { PermissionMode } from '../../../src/shared/agents/permission-modes.ts'
import type { AgentScript } from '../../acp-agent/script.ts'
import { noDefinitions } from '../../fixtures/drivers.ts'
import { temporaryDir } from '../../harness.ts'
import { stage } from '../../runs/run-stage.ts'

const program = resolve(import.meta.dirname, '../../acp-agent/agent.ts')

interface LogLine {
  method?: string
  params?: { prompt?: { text: string }[]; modeId?: string; sessionId?: string }
  answered?: object
  left?: number
  started?: number
  env?: string[]
}

/** `mode`: what it may do unasked; its session is put in the mode `asking`. */
export async function acpStage({
  isSubAgent = false,
  mode = 'allow-all' as PermissionMode,
  options,
  openTools,
}: {
  isSubAgent?: boolean
  mode?: PermissionMode
  options?: Record<string, string | boolean>
  openTools?: OpenTaskTools
} = {}) {
  const dir = await temporaryDir()
  const agentDir = join(dir, 'agent')
  await mkdir(agentDir)
  const notices: string[] = []
  const custody = createCustody(join(dir, 'running'))
  const stage1 = await stage(isSubAgent ? {} : { parentId: null })
  const driver = createAcpDriver({
    mask: stage1.secrets,
    custody,
    version: '0.0.0',
    find: createFindProgram(),
    hostEnv: process.env,
    definitions: noDefinitions,
    onModel: async () => null,
    allowConfiguration: async () => null,
    ...(openTools && { openTools }),
    onNotice: (text) => notices.push(text),
  })
  const { spec } = await driver.prepare(
    {
      kind: 'acp',
      program: 'acp',
      command: `node ${program}`,
      mode: 'asking',
      ...(options && { options }),
    },
    dir,
  )
  const env = { PATH: process.env.PATH ?? '', HOME: dir, SCRIPTED_ACP: agentDir }
  const log = async (): Promise<LogLine[]> => {
    const text = await readFile(join(agentDir, 'log.jsonl'), 'utf8')
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as LogLine)
  }
  return {
    ...stage1,
    driver,
    spec,
    notices,
    log,
    async run(script: AgentScript, over: Partial<RunOptions> = {}) {
      await writeFile(join(agentDir, 'script.json'), JSON.stringify(script))
      return stage1.play(() => noEvents(), {
        openAgent: (place) => driver.open(spec, { ...place, env }, { read: async () => '' }),
        endProcesses: () => custody.endAll(stage1.task.id),
        permissions: {
          mode,
          isNarrowed: () => false,
          check: async () => null,
          ask: async () => ({ kind: 'nobody' }),
        },
        ...over,
      })
    },
    sent: async (method: string) =>
      (await log()).flatMap((line) => (line.method === method ? [line.params ?? {}] : [])),
  }
}

async function* noEvents() {}

export const asking = {
  currentModeId: 'free',
  availableModes: [
    { id: 'free', name: 'Free' },
    { id: 'asking', name: 'Asking' },
  ],
}
