/**
 * The process of an agent, or Shiplog's own, is killed at each step of a session; then the tree is resumed, in each of
 * the ways in which agents continue a session. The record has what the agent sent, in its order, and nothing twice.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { openShiplog, type Shiplog } from '../../../src/main/composition/shiplog.ts'
import { allProcessStats } from '../../../src/main/processes/stat.ts'
import {
  type AgentScript,
  call,
  callUpdate,
  ended,
  type Step,
  textChunk,
} from '../../acp-agent/script.ts'
import { allTasks, entriesOf, gitProject, temporaryDir, until } from '../../harness.ts'
import { itInSoak } from '../../soak.ts'

const never: Step = { never: true }
const before: Step[] = [
  textChunk('One. ', 'm1'),
  call('c1', { title: 'ls', kind: 'execute' }),
  callUpdate('c1', { status: 'completed', rawOutput: 'a' }),
  textChunk('Two. ', 'm2'),
]
const command = { title: 'rm x', kind: 'execute', rawInput: { command: 'rm x' } }
const ask: Step = { ask: { toolCallId: 'c2', ...command } }
const task = { agent: 'explore', title: 'Look', prompt: 'Find it' }
const asking = {
  currentModeId: 'free',
  availableModes: [
    { id: 'free', name: 'Free' },
    { id: 'asking', name: 'Asking' },
  ],
}

interface Moment {
  /** What the agent does there, and then nothing more. */
  script: Partial<AgentScript>
  /** In its log when it is there. */
  marker: string
  /** A user stops it. */
  isStopped?: boolean
  /** It has completed by then. */
  isOver?: boolean
}

const moments: Record<string, Moment> = {
  ...Object.fromEntries(
    ['initialize', 'session/new', 'session/set_mode', 'session/prompt'].map((method) => [
      method,
      { script: { silentAt: method }, marker: `"method":"${method}"` },
    ]),
  ),
  'in its text': { script: { prompts: [[...before, never]] }, marker: '"text":"Two. "' },
  'in a permission': { script: { prompts: [[...before, ask]] }, marker: '"asks":"c2"' },
  'in a tool call': {
    script: { prompts: [[...before, call('c2', command), never]] },
    marker: '"toolCallId":"c2"',
  },
  'in a call of Shiplog’s tools': {
    script: {
      prompts: [[textChunk('One. ', 'm1'), { mcp: { tool: 'task', input: task } }, ended()]],
      childPrompts: [[textChunk('I look.'), never]],
    },
    marker: '"text":"I look."',
  },
  'in a cancel': {
    script: { prompts: [[...before, never]] },
    marker: '"method":"session/cancel"',
    isStopped: true,
  },
  'at the end of its input': {
    script: { prompts: [[...before, ended()]], staysAtEnd: true },
    marker: '"method":"end"',
    isOver: true,
  },
}

const ways: Record<string, object> = {
  resume: { loadSession: true, sessionCapabilities: { resume: {} } },
  load: { loadSession: true },
  new: {},
}

const agentFile = resolve(import.meta.dirname, '../../acp-agent/agent.ts')
const hostFile = resolve(import.meta.dirname, 'crash-host.ts')

interface LogLine {
  asks?: string
  started?: number
  sent?: { sessionUpdate: string; content?: { text?: string }; toolCallId?: string }
}

async function crash(
  { script, marker, isStopped = false, isOver = false }: Moment,
  { victim, way }: { victim: 'agent' | 'host'; way: string },
) {
  const dir = await temporaryDir()
  const project = await gitProject(join(dir, 'project'))
  const [dataDir, agentDir] = [join(dir, 'data'), join(dir, 'agent')]
  await mkdir(agentDir)
  const logFile = join(agentDir, 'log.jsonl')
  const play = (next: Partial<AgentScript>) =>
    writeFile(
      join(agentDir, 'script.json'),
      JSON.stringify({
        logsSent: true,
        modes: asking,
        prompts: [[textChunk('x'), ended()]],
        capabilities: { mcpCapabilities: { http: true }, ...ways[way] },
        ...next,
      }),
    )
  const log = async () =>
    (await readFile(logFile, 'utf8'))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as LogLine)
  await play(script)
  const first = await openShiplog({ host: 'cli', dataDir, canAsk: () => true })
  const { id: projectId } = await first.client.projects.add({ dir: project })
  const request = {
    projectId,
    prompt: 'Go',
    title: 'Lead',
    permissions: 'ask' as const,
    agent: {
      kind: 'acp' as const,
      program: 'acp' as const,
      mode: 'asking',
      command: `env SCRIPTED_ACP=${agentDir} ${process.execPath} ${agentFile}`,
    },
  }
  const isThere = async () =>
    existsSync(logFile) && (await readFile(logFile, 'utf8')).includes(marker)
  let shiplog: Shiplog
  if (victim === 'host') {
    await first.close()
    const args = [hostFile, dataDir, JSON.stringify(request), ...(isStopped ? [logFile] : [])]
    const host = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
    const over = new Promise((resolve) => host.once('exit', resolve))
    while (!(await isThere()) && host.exitCode === null) await sleep(20)
    host.kill('SIGKILL')
    await over
    shiplog = await openShiplog({ host: 'cli', dataDir, canAsk: () => true })
  } else {
    shiplog = first
    const { taskId } = await shiplog.client.tasks.start(request)
    const stopping = async () => {
      while (
        !(await log().catch(() => [])).some((line) =>
          JSON.stringify(line).includes('"text":"Two. "'),
        )
      )
        await sleep(20)
      await shiplog.client.tasks.stop({ taskId })
    }
    const stopped = isStopped ? stopping() : Promise.resolve()
    while (!(await isThere())) await sleep(20)
    for (const { started } of await log())
      if (started !== undefined) process.kill(started, 'SIGKILL')
    await stopped
  }
  onTestFinished(() => shiplog.close())
  await until(shiplog, (tasks) =>
    tasks.every(({ status }) => ['interrupted', 'completed'].includes(status)),
  )
  const [root] = await allTasks(shiplog)
  if (!root) return expect.unreachable()
  if (isOver && root.status === 'completed') return { shiplog, root, log }
  expect(root).toMatchObject({ status: 'interrupted' })
  const report = { title: 'Found', markdown: 'It is here.' }
  await play({
    prompts: [[textChunk('Three. ', 'm3'), ended()]],
    childPrompts: [[{ mcp: { tool: 'agent_report', input: report } }, ended()]],
  })
  await shiplog.client.tasks.resume({ selector: { by: 'tree', taskId: root.id } })
  await until(shiplog, (tasks) => tasks.every(({ status }) => status === 'completed'))
  return { shiplog, root, log }
}

async function check(
  { shiplog, root, log }: Awaited<ReturnType<typeof crash>>,
  { victim, isWhole }: { victim: string; isWhole: boolean },
) {
  const entries = await entriesOf(shiplog, root.id)
  const recorded = entries.flatMap((entry) => {
    if (entry.type === 'tool-call' && entry.by === 'agent') return [entry.callId as string]
    if (entry.type !== 'message' || entry.role !== 'assistant') return []
    return entry.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  })
  const results = entries.flatMap((entry) => (entry.type === 'tool-result' ? [entry.callId] : []))
  expect(results.toSorted()).toEqual([...new Set(results)].toSorted())
  const sent = (await log()).flatMap(({ sent: update, asks }) => {
    if (asks !== undefined) return [asks]
    if (update?.sessionUpdate === 'tool_call') return [update.toolCallId ?? '']
    return update?.content?.text?.match(/^(?:One|Two|Three)\. $/) ? [update.content.text] : []
  })
  // Calls are recorded before the message that they are in.
  const sorted = recorded.toSorted()
  // A host that is killed had no time for the text of the last half second; what comes after a stop is not recorded, and the log is also that of sub-agents.
  if (victim === 'agent' && isWhole) expect(sorted).toEqual(sent.toSorted())
  else expect(sent).toEqual(expect.arrayContaining(sorted))
  expect(new Set(recorded).size).toBe(recorded.length)
  const started = (await log()).flatMap(({ started: pid }) => pid ?? [])
  await until(shiplog, async () => {
    const living = new Set(
      (await allProcessStats()).flatMap(({ pid, isAlive }) => (isAlive ? [pid] : [])),
    )
    return started.every((pid) => !living.has(pid))
  })
}

for (const [name, moment] of Object.entries(moments))
  for (const victim of ['agent', 'host'] as const)
    for (const way of Object.keys(ways)) {
      const isCore =
        (name === 'in a permission' && victim === 'host' && way === 'load') ||
        (name === 'in a tool call' && victim === 'agent' && way === 'resume')
      const isWhole = !moment.isStopped && moment.script.childPrompts === undefined
      const title = `goes on by ${way} after its ${victim} was killed: ${name}`
      const test = async () => check(await crash(moment, { victim, way }), { victim, isWhole })
      if (isCore) it(title, { timeout: 180_000 }, test)
      else itInSoak(title, { timeout: 180_000 }, test)
    }
