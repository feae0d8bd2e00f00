/** The tools of Shiplog as installed agents get them: clients of both eras of the protocol, over HTTP. */
import { PassThrough } from 'node:stream'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  createToolServers,
  type RunToolServer,
} from '../../../../src/main/agents/acp/mcp/tool-servers.ts'
import { runBridge } from '../../../../src/main/hosts/mcp/task-bridge.ts'
import type { AgentHost, HostCall } from '../../../../src/shared/agents/driver/agent-session.ts'
import type { ToolResult } from '../../../../src/shared/agents/driver/tool-result.ts'
import { newTaskId } from '../../../../src/shared/records/ids.ts'

type Era = '2025' | '2026'
type Options = Parameters<AgentHost['callTool']>[1]

const usual = { progressMs: 5, answerMs: 60_000, silentAnswerMs: 60_000, graceMs: 5 }

async function serve({ mustReport = true, timing = usual } = {}) {
  const servers = createToolServers({ version: '1.2.3', timing })
  const server = await servers.open({
    has: () => true,
    mustReport,
    agents: async () => [{ name: 'explore', description: 'Reads.' }],
  })
  onTestFinished(() => server.close())
  return server
}

async function connect({ entry }: Pick<RunToolServer, 'entry'>, era: Era = '2025') {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: era === '2025' ? 'legacy' : { pin: '2026-07-28' } } },
  )
  const headers = Object.fromEntries(entry.headers.map(({ name, value }) => [name, value]))
  await client.connect(
    new StreamableHTTPClientTransport(new URL(entry.url), { requestInit: { headers } }),
  )
  onTestFinished(() => client.close())
  return client
}

/** A host whose calls `play` answers, in the order in which they came. */
function hostOf(play: (call: HostCall, options: Options) => Promise<ToolResult>) {
  const calls: HostCall[] = []
  const callTool: AgentHost['callTool'] = (call, options) => {
    calls.push(call)
    return play(call, options)
  }
  return { calls, host: { callTool } as AgentHost }
}

const allRead = async () => {}
const ok = (output: string): ToolResult => ({ outcome: 'ok', output })
const taskId = newTaskId()
const running = (output: string): ToolResult => ({
  outcome: 'ok',
  output,
  detail: {
    kind: 'tasks',
    tasks: [
      { taskId, title: 'Look', agent: 'explore', status: 'spawned', cause: null, report: null },
    ],
  },
})
const untilAborted = (signal: AbortSignal | undefined) =>
  new Promise<void>((resolve) => {
    if (signal?.aborted) resolve()
    else signal?.addEventListener('abort', () => resolve(), { once: true })
  })

const look = { agent: 'explore', title: 'Look', prompt: 'Find it' }
const textOf = (result: unknown) => {
  const { content, isError = false } = result as {
    content: { text: string }[]
    isError?: boolean
  }
  return { text: content[0]?.text, isError }
}

describe.each<Era>(['2025', '2026'])('a client of %s', (era) => {
  it('is offered the tools for sub-agents, and a sub-agent the one for its report', async () => {
    const server = await serve()
    const client = await connect(server, era)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'task',
      'task_await',
      'task_list',
      'task_stop',
      'task_apply_patch',
      'agent_report',
    ])
    for (const { _meta, inputSchema } of tools) {
      expect(_meta).toEqual({ 'anthropic/alwaysLoad': true })
      expect(inputSchema.type).toBe('object')
    }
    expect(tools[0]?.description).toContain('- explore: Reads.')
    expect(await server.listed()).toBe(true)
    const root = await connect(await serve({ mustReport: false }), era)
    const ofRoot = (await root.listTools()).tools.map(({ name }) => name)
    expect(ofRoot).not.toContain('agent_report')
  })

  it('has its calls executed by the host of the run, under the agent’s ids', async () => {
    const server = await serve()
    const client = await connect(server, era)
    const { host, calls } = hostOf(async ({ name }) =>
      name === 'task_stop'
        ? { outcome: 'error', output: 'There is no such task.' }
        : { ...ok('Reported: Done'), endsRun: true },
    )
    // The agent may be faster than the start of its run.
    const early = client.callTool({
      name: 'task_stop',
      arguments: { task: 'x' },
      _meta: { 'claudecode/toolUseId': 'toolu_1' },
    })
    await expect.poll(() => server.received('toolu_1')).toBe(true)
    server.connect(host, allRead)
    expect(textOf(await early)).toEqual({ text: 'There is no such task.', isError: true })
    expect(server.reported()).toBe(false)
    await client.callTool({
      name: 'agent_report',
      arguments: { title: 'Done', markdown: '' },
      _meta: { callId: 'call_2' },
    })
    expect(calls).toEqual([
      { name: 'task_stop', input: { task: 'x' }, callId: 'toolu_1' },
      { name: 'agent_report', input: { title: 'Done', markdown: '' }, callId: 'call_2' },
    ])
    expect(server.reported()).toBe(true)
  })

  it('gets progress, and an answer before its timeout', async () => {
    const server = await serve({ timing: { ...usual, answerMs: 100 } })
    const { host } = hostOf(async (_call, options) => {
      await untilAborted(options?.stopWaiting)
      return running('Still running')
    })
    server.connect(host, allRead)
    const client = await connect(server, era)
    let progress = 0
    const call = client.callTool(
      { name: 'task', arguments: look },
      {
        onprogress: () => {
          progress += 1
        },
      },
    )
    expect(textOf(await call).text).toBe('Still running')
    expect(progress).toBeGreaterThan(0)
  })

  it('may time out: the sub-agent continues, and the same request waits for it', async () => {
    const server = await serve()
    const { host, calls } = hostOf(async ({ name }, options) => {
      if (name === 'task_await') return ok('Its report')
      await untilAborted(options?.stopWaiting)
      expect(options?.signal).toBeUndefined()
      return running('Still running')
    })
    server.connect(host, allRead)
    const gone = await connect(server, era)
    const given = { name: 'task', arguments: look }
    const left = gone.callTool(given).catch(() => 'left')
    await expect.poll(() => calls.length).toBe(1)
    await gone.close()
    expect(await left).toBe('left')
    const client = await connect(server, era)
    const { agent, title, prompt } = look
    const again = client.callTool({ ...given, arguments: { prompt, title, agent } })
    expect(textOf(await again).text).toBe('Its report')
    expect(calls.map(({ name, input }) => ({ name, input }))).toEqual([
      { name: 'task', input: look },
      { name: 'task_await', input: { tasks: [taskId] } },
    ])
  })
})

it('starts another sub-agent for the same request in a later turn, or under another id', async () => {
  const server = await serve()
  const { host, calls } = hostOf(async () => ok('Its report'))
  server.connect(host, allRead)
  const client = await connect(server)
  const call = (callId?: string) =>
    client.callTool({ name: 'task', arguments: look, ...(callId && { _meta: { callId } }) })
  await call()
  await call()
  expect(calls).toHaveLength(1)
  server.turnEnded()
  await call()
  expect(calls).toHaveLength(2)
  await call('a')
  await call('a')
  await call('b')
  expect(calls).toHaveLength(4)
})

it('answers waiting calls when the turn ends, so that they can be recorded', async () => {
  const server = await serve()
  const { host, calls } = hostOf(async (_call, options) => {
    await untilAborted(options?.stopWaiting)
    return running('Still running')
  })
  server.connect(host, allRead)
  const client = await connect(server)
  const call = client.callTool({ name: 'task_await', arguments: { tasks: 'all' } })
  await expect.poll(() => calls.length).toBe(1)
  server.turnEnded()
  expect(textOf(await call).text).toBe('Still running')
})

it('answers that the user is being asked if the tool does not answer in time', async () => {
  const server = await serve({ timing: { ...usual, silentAnswerMs: 5 } })
  const asked = Promise.withResolvers<ToolResult>()
  const { host, calls } = hostOf(({ name }) =>
    name === 'task' ? asked.promise : Promise.resolve(ok('Its report')),
  )
  server.connect(host, allRead)
  const client = await connect(server)
  const first = await client.callTool({ name: 'task', arguments: look })
  expect(textOf(first).text).toContain('Call task_await')
  const waiting = client.callTool(
    { name: 'task_await', arguments: { tasks: 'all' } },
    { onprogress: () => asked.resolve(running('Started')) },
  )
  expect(textOf(await waiting).text).toBe('Its report')
  expect(calls.map(({ name }) => name)).toEqual(['task', 'task_await'])
})

it('serves no client without the token, no web page, and none after the run', async () => {
  const server = await serve()
  const { url, headers } = server.entry
  const post = (over: Record<string, string>, at = url) =>
    fetch(at, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...over,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    }).then(({ status }) => status)
  const Authorization = headers[0]?.value ?? ''
  expect(await post({ Authorization })).toBe(200)
  expect(await post({})).toBe(401)
  expect(await post({ Authorization: `${Authorization}x` })).toBe(401)
  expect(await post({ Authorization, origin: 'https://example.com' })).toBe(403)
  expect(await post({ Authorization }, `${url}0`)).toBe(404)
  const other = await serve()
  expect(await post({ Authorization }, other.entry.url)).toBe(401)
  await server.close()
  await expect(post({ Authorization })).rejects.toThrow('fetch failed')
})

it('reports an agent that has not listed the tools', async () => {
  const server = await serve()
  expect(await server.listed(1)).toBe(false)
})

it('[K7] connects a bridge only with the token of its task, and while its run lasts', async () => {
  const server = await serve()
  const { url } = server.entry
  const streams = { input: new PassThrough(), output: new PassThrough() }
  const { env } = server.bridge(taskId)
  const token = env.find(({ name }) => name === 'SHIPLOG_TASK_TOOLS_TOKEN')?.value ?? ''
  await expect(runBridge({ url, token: `${token}x` }, streams)).rejects.toThrow('token was refused')
  const serving = runBridge({ url, token }, streams)
  const ask = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const client = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'a', version: '1' },
  }
  streams.input.write(
    `${JSON.stringify({ ...ask, id: 0, method: 'initialize', params: client })}\n`,
  )
  streams.input.write(`${JSON.stringify(ask)}\n`)
  let answered = ''
  for await (const piece of streams.output) {
    answered += piece
    if (answered.includes('agent_report')) break
  }
  await server.close()
  await serving
  await expect(runBridge({ url, token }, streams)).rejects.toThrow("can't be reached")
})
