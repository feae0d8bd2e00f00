/** Exports of a session of another tool, which has no recorded files and many records of its tool. */
import { expect, it, onTestFinished } from 'vitest'
import { openShiplog } from '../../src/main/composition/shiplog.ts'
import { claudeCodeAdapter } from '../../src/main/imports/adapters/claude-code/index.ts'
import type { ExportFormat, ExportRequest } from '../../src/shared/contract/exports.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { temporaryDir } from '../harness.ts'
import { claudeLog, writeFiles } from '../imports/claude-code-log.ts'
import { readSessions } from '../imports/read-session.ts'
import { atifTrajectory } from './published-shapes.ts'
import { agentTraceRecord } from './published-traces.ts'

const session = '1b2c3d4e-0000-4000-8000-000000000001' as TaskId

const imported = async (log: { text(): string }) =>
  importedFrom('claude-code', { [`${session}.jsonl`]: log.text() })

async function importedFrom(tool: 'claude-code' | 'atif', files: Record<string, string>) {
  const dir = await writeFiles(await temporaryDir(), files)
  const { client, close } = await openShiplog({ host: 'cli', dataDir: await temporaryDir() })
  onTestFinished(() => close())
  const events = []
  for await (const event of await client.imports.run({ tool, path: dir })) events.push(event)
  const taskId = events.flatMap((one) => (one.type === 'session' ? [one.session.taskId] : []))[0]
  if (!taskId) throw new Error('nothing was imported')
  return async (format: ExportFormat, options: Partial<ExportRequest> = {}) => {
    let text = ''
    for await (const event of await client.exports.read({ taskId, format, ...options }))
      if (event.type === 'text') text += event.text
    return text
  }
}

it('[E1] counts the files that it edited, and whose contents are not kept, in an Agent Trace', async () => {
  const log = claudeLog(session)
  log.prompt('Edit')
  for (const [call, path] of [
    ['c1', 'a.ts'],
    ['c2', 'b.ts'],
    ['c3', 'a.ts'],
  ] as const) {
    log.calls(`m-${call}`, call, 'Edit', { file_path: `/code/app/${path}` })
    const hunk = { oldStart: 7, oldLines: 1, newStart: 7, newLines: 1, lines: ['-a', '+b'] }
    const toolUseResult = { filePath: `/code/app/${path}`, structuredPatch: [hunk] }
    log.returns(call, 'The file has been updated.', { toolUseResult })
  }
  const read = await imported(log)
  const trace = agentTraceRecord.parse(JSON.parse(await read('agent-trace')))
  expect(trace).toMatchObject({ files: [], metadata: { 'dev.shiplog': { filesNotKept: 2 } } })
})

it.each(['md', 'html'] as const)('[E1] limits the records of its tool in %s', async (format) => {
  const log = claudeLog(session)
  log.prompt('Go')
  for (let n = 0; n < 40; n++)
    log.add('progress', {
      data: { type: 'hook_progress', gannet: `${n} ${'gannet '.repeat(2_000)}` },
    })
  log.says('m1', 'Gone.')
  const read = await imported(log)
  const bounded = await read(format)
  expect(bounded.length).toBeLessThan(50_000)
  expect(bounded).toContain('0 gannet')
  expect(bounded).toMatch(/\[… \d+ more left out\]/)
  expect(bounded).toContain('Gone.')
  expect((await read(format, { outputs: 'whole' })).length).toBeGreaterThan(500_000)
})

it('[E1] keeps the price of input that the cache holds for an hour, in the shape of Claude Code', async () => {
  const log = claudeLog(session)
  log.prompt('Go')
  const usage = {
    input_tokens: 10,
    output_tokens: 5,
    cache_creation_input_tokens: 1_000_000,
    cache_creation: { ephemeral_5m_input_tokens: 250_000, ephemeral_1h_input_tokens: 750_000 },
  }
  const content = [{ type: 'text', text: 'Gone.' }]
  log.add('assistant', {
    message: { id: 'm1', role: 'assistant', model: 'claude-opus-4-6', content, usage },
  })
  const costOf = async (text: string) => {
    const dir = await writeFiles(await temporaryDir(), { [`${session}.jsonl`]: text })
    const [one] = await readSessions(claudeCodeAdapter, dir)
    return one?.tasks[0]?.usage.costUsd
  }
  const exported = await (await imported(log))('claude-code')
  expect(await costOf(exported)).toBeGreaterThan(8)
  expect(await costOf(exported)).toBe(await costOf(log.text()))
})

it('[E1] has the cost of the sub-agents in the total of an ATIF trajectory, and its own tokens and steps', async () => {
  const trajectory = (id: string, cost: number, below: object[]) => ({
    schema_version: 'ATIF-v1.7',
    trajectory_id: id,
    agent: { name: id, version: '1' },
    steps: [
      { step_id: 1, source: 'user', message: 'Go' },
      {
        step_id: 2,
        source: 'agent',
        message: 'Gone.',
        metrics: { prompt_tokens: 10, completion_tokens: 2, cost_usd: cost },
      },
    ],
    ...(below.length > 0 && { subagent_trajectories: below }),
  })
  const whole = trajectory('root', 1, [trajectory('child', 2, [trajectory('grandchild', 4, [])])])
  const read = await importedFrom('atif', { 'trajectory.json': JSON.stringify(whole) })
  for (const children of ['inline', 'summary', 'none'] as const) {
    const root = atifTrajectory.parse(JSON.parse(await read('atif', { children })))
    expect(root.final_metrics).toEqual({
      total_prompt_tokens: 10,
      total_completion_tokens: 2,
      total_cached_tokens: 0,
      total_cost_usd: 7,
      total_steps: 2,
    })
  }
  const { subagent_trajectories } = JSON.parse(await read('atif'))
  expect(subagent_trajectories).toMatchObject([{ final_metrics: { total_cost_usd: 6 } }])
})
