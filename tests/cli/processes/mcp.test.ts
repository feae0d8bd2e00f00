/** `shiplog mcp` as a client of the protocol sees it: lines of JSON-RPC over standard input and output. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import { runToEnd, startCli } from '../fake-process.ts'
import { createFakeShiplog, type FakeShiplog } from '../fake-shiplog.ts'

let fake: FakeShiplog
let lead: TaskId
let tester: TaskId
let client: ReturnType<typeof connect>

beforeEach(() => {
  fake = createFakeShiplog()
  const projectId = fake.addProject('/code/api')
  lead = fake.createTask({ projectId, title: 'Fix the parser' })
  fake.spawn(lead)
  fake.say(lead, 'The albatross \u001b[31mflew\u202e away.')
  tester = fake.createTask({ projectId, title: 'Add tests', parentId: lead })
  fake.spawn(tester)
  fake.say(tester, 'An albatross was tested.')
  fake.report(tester, 'Tests added', 'All tests pass.')
  fake.complete(tester)
})

afterEach(async () => {
  await client.close()
})

describe('mcp --read', () => {
  it('offers read-only tools, and explains transcripts', async () => {
    client = connect('--read')
    const { instructions, capabilities } = await client.initialize()
    expect(instructions).toMatch(/never an instruction/)
    expect(capabilities).toHaveProperty('tools')
    const { tools } = await client.call('tools/list', {})
    expect(tools.map(({ name }: { name: string }) => name).toSorted()).toEqual([
      'files_touched',
      'list_failures',
      'list_tasks',
      'read_entry',
      'read_report',
      'read_transcript',
      'search_record',
    ])
    for (const { annotations, inputSchema } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true })
      expect(inputSchema.type).toBe('object')
    }
  })

  it('finds an entry and reads it, with hidden characters shown', async () => {
    client = connect('--read')
    await client.initialize()
    const found = await client.tool('search_record', { query: 'albatross flew' })
    const [, id, seq] = /shiplog:\/\/task\/(\S+)\?seq=(\d+)/.exec(found) ?? []
    expect(id).toBe(lead)
    const read = await client.tool('read_transcript', { task: lead.slice(0, 8), seq: Number(seq) })
    expect(read).toContain('The albatross')
    expect(read).toContain('<U+202E>')
    expect(read).not.toContain('\u001b')
    expect(read).toContain(`of shiplog://task/${lead}`)
    const entry = await client.tool('read_entry', { task: lead, seq: Number(seq) })
    expect(JSON.parse(entry)).toMatchObject({ seq: Number(seq) })
  })

  it('lists tasks, failures and files, and opens reports', async () => {
    fake.interrupt(lead)
    client = connect('--read')
    await client.initialize()
    expect(await client.tool('list_tasks', {})).toMatch(
      new RegExp(
        `^- ${lead.slice(0, 8)} interrupted: Fix.*\\n {2}- ${tester.slice(0, 8)} completed`,
      ),
    )
    expect(await client.tool('read_report', { task: tester })).toContain('All tests pass.')
    expect(await client.tool('list_failures', {})).toContain(`${lead.slice(0, 8)} interrupted`)
    expect(await client.tool('files_touched', { task: tester })).toMatch(/^No call edited a file\./)
  })

  it('shows an agent only the tasks below its own', async () => {
    client = connect('--read', '--task', lead)
    await client.initialize()
    expect(await client.tool('search_record', { query: 'albatross' })).not.toContain(`task/${lead}`)
    expect(await client.tool('search_record', { query: `albatross task:${lead}` })).toContain(
      tester,
    )
    const listed = await client.tool('list_tasks', {})
    expect(listed).toMatch(`- ${tester.slice(0, 8)}`)
    expect(listed).not.toContain('Fix the parser')
    const refused = await client.call('tools/call', {
      name: 'read_transcript',
      arguments: { task: lead },
    })
    expect(refused.isError).toBe(true)
    expect(await client.tool('read_transcript', { task: tester })).toContain('was tested')
  })

  it('answers an impossible request with an error and its reason, and continues', async () => {
    client = connect('--read')
    await client.initialize()
    for (const [name, given] of [
      ['read_transcript', { task: 'ffffffff' }],
      ['search_record', { query: 'is:nothing' }],
      ['files_touched', {}],
    ] as const) {
      const answer = await client.call('tools/call', { name, arguments: given })
      expect(answer.isError, name).toBe(true)
      expect(answer.content[0].text).not.toBe('')
    }
    expect(await client.tool('list_tasks', {})).toContain('Fix the parser')
  })

  it('accepts no prefix of an id that could later match another task', async () => {
    client = connect('--read')
    const { code, stderr } = await runToEnd(['mcp', '--read', '--task', lead.slice(0, 8)], { fake })
    expect(code).toBe(2)
    expect(stderr).toContain('whole id')
  })
})

describe('mcp', () => {
  const started = /\{"task": "([^"]+)"\}/

  it('starts a task in the project of the working directory, and returns its report', async () => {
    client = connect()
    await client.initialize()
    const { tools } = await client.call('tools/list', {})
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['list_projects', 'start_task', 'await_task', 'stop_task']),
    )
    expect(await client.tool('list_projects', {})).toBe('- api: /code/api')
    const ended = Promise.withResolvers<TaskId>()
    fake.onStart(async (root) => {
      fake.spawn(root)
      ended.resolve(root)
    })
    const said = await client.tool('start_task', {
      prompt: 'Look at it.',
      project: 'api',
      agent: 'codex',
    })
    const [, task = ''] = started.exec(said) ?? []
    const call = fake.calls.find(({ path }) => path === 'tasks.start')
    // No grant that only a user has: permissions, environment and budget are the project's.
    expect(call?.input).toMatchObject({ agent: { kind: 'acp', program: 'codex' } })
    for (const name of ['permissions', 'env', 'budget'])
      expect(call?.input).not.toHaveProperty(name)
    const root = await ended.promise
    const waiting = client.tool('await_task', { task: task.slice(0, 8) })
    fake.report(root, 'Looked', 'All is well.')
    fake.complete(root)
    expect(await waiting).toMatch(/is completed\.[\s\S]*All is well\./)
  })

  it('lists the existing tasks and agents if one is unknown', async () => {
    client = connect()
    await client.initialize()
    const refused = (name: string, given: object) => client.tool(name, given).catch(String)
    expect(await refused('start_task', { prompt: 'Look.', project: 'web' })).toContain(
      'There is no project web. Projects: api (/code/api).',
    )
    expect(await refused('start_task', { prompt: 'Look.', project: 'api' })).toContain(
      'There is no default model',
    )
    expect(
      await refused('start_task', { prompt: 'x', project: 'api', agent: 'codex', model: 'a/b' }),
    ).toContain('codex chooses its model itself')
    expect(await refused('await_task', { task: 'ffffffff' })).toContain('There is no task ffffffff')
  })

  it('offers an agent no tool that starts tasks', async () => {
    client = connect('--read')
    const { code, stderr } = await runToEnd(['mcp', '--task', lead], { fake })
    expect(code).toBe(2)
    expect(stderr).toContain('--read')
  })

  it('stops a task', async () => {
    client = connect()
    await client.initialize()
    expect(await client.tool('stop_task', { task: lead })).toBe('Stopped 1 task.')
    expect(await client.tool('stop_task', { task: tester })).toContain('was not running')
  })
})

/** A client of the revision of June 2025, as most agents speak it. */
function connect(...options: string[]) {
  const started = startCli(['mcp', ...options], { fake })
  let id = 0
  const call = async (method: string, params: object) => {
    id += 1
    const asked = id
    started.type(`${JSON.stringify({ jsonrpc: '2.0', id: asked, method, params })}\n`)
    const answer = await started.printedLine((line) => JSON.parse(line).id === asked)
    const { result, error } = JSON.parse(answer)
    if (error) throw new Error(error.message)
    return result
  }
  return {
    call,
    initialize: async () => {
      const result = await call('initialize', {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      })
      started.type(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
      return result
    },
    tool: async (name: string, given: object): Promise<string> => {
      const { content, isError } = await call('tools/call', { name, arguments: given })
      if (isError) throw new Error(content[0].text)
      return content[0].text
    },
    close: async () => {
      started.endInput()
      expect(await started.ended).toMatchObject({ code: 0 })
    },
  }
}
