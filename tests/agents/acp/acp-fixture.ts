/** Shiplog with the scripted ACP agent as an installed one: whole trees, with its processes. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { PermissionMode } from '../../../src/shared/agents/permission-modes.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import type { Budget } from '../../../src/shared/records/tasks/budgets.ts'
import type { AgentScript } from '../../acp-agent/script.ts'
import { entriesOf, openFixture } from '../../harness.ts'

const program = resolve(import.meta.dirname, '../../acp-agent/agent.ts')

interface LogLine {
  method?: string
  started?: number
  /** The result of a call over MCP. */
  mcp?: object
  params?: { mcpServers?: { name: string; args?: string[] }[]; sessionId?: string }
}

export async function acpFixture(script: AgentScript) {
  const fixture = await openFixture({ canAsk: () => true })
  const agentDir = join(fixture.dir, 'agent')
  await mkdir(agentDir)
  const play = (next: AgentScript) => writeFile(join(agentDir, 'script.json'), JSON.stringify(next))
  await play(script)
  const begin = async (
    permissions: PermissionMode = 'allow-all',
    more: { budget?: Budget; isolation?: 'in-place' } = {},
  ): Promise<TaskId> => {
    const { taskId } = await fixture.shiplog.client.tasks.start({
      projectId: fixture.project.id,
      agent: {
        kind: 'acp',
        program: 'acp',
        command: `env SCRIPTED_ACP=${agentDir} ${process.execPath} ${program}`,
      },
      prompt: 'Go',
      title: 'Lead',
      permissions,
      ...more,
    })
    return taskId
  }
  /** The messages of a task, as role and text. */
  const said = async (taskId: TaskId) =>
    (await entriesOf(fixture.shiplog, taskId)).flatMap((entry) =>
      entry.type === 'message'
        ? [
            [
              entry.role,
              entry.parts.map((part) => ('text' in part ? part.text : part.type)).join(' '),
            ],
          ]
        : [],
    )
  /** What the agents of the fixture were sent, all of their processes. */
  const log = async (): Promise<LogLine[]> =>
    (await readFile(join(agentDir, 'log.jsonl'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as LogLine)
  return { ...fixture, fixture, agentDir, play, begin, said, log }
}
