import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { codexAdapter } from '../../src/main/imports/adapters/codex/index.ts'
import { temporaryDir } from '../harness.ts'
import { itInSoak } from '../soak.ts'
import { writeFiles } from './claude-code-log.ts'
import { codexLog, codexStartMs, rolloutName, rolloutPath, threadIdAt } from './codex-log.ts'
import { expectEveryMutationRead, expectNothingLost } from './mutated-lines.ts'
import { messagesOf, type ReadSession, readSessions, typesOf } from './read-session.ts'

const session = threadIdAt(codexStartMs)
const agentId = threadIdAt(codexStartMs + 5_000, 2)

async function read(files: Record<string, string>): Promise<ReadSession[]> {
  return readSessions(codexAdapter, await writeFiles(await temporaryDir(), files))
}
async function readLog(log: { text(): string }): Promise<ReadSession> {
  const [only] = await read({ [rolloutPath(session)]: log.text() })
  if (!only) throw new Error('no session was found')
  return only
}

describe.each(['items', 'events'] as const)('a conversation with %s', (style) => {
  it('is listed with the first prompt of a user, not with what Codex adds', async () => {
    const log = codexLog(session, { style })
    const text = '<environment_context>\n<cwd>/code/app</cwd>\n</environment_context>'
    log.item({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
    log.turn()
    log.prompt('\nFix the parser\nand its tests')
    const dir = await writeFiles(await temporaryDir(), { [rolloutPath(session)]: log.text() })
    const prompts: unknown[] = []
    for await (const found of codexAdapter.discover(dir, AbortSignal.timeout(60_000)))
      prompts.push(await codexAdapter.firstPrompt?.(found))
    expect(prompts).toEqual(['Fix the parser'])
  })

  it('[I2] imports each message once, and counts each answer once', async () => {
    const log = codexLog(session, { style })
    log.item({ type: 'message', role: 'developer', content: [{ text: 'Permissions' }] })
    const text = '<environment_context>\n<cwd>/code/app</cwd>\n</environment_context>'
    log.item({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
    log.turn()
    log.prompt('Fix the parser')
    log.thinks('Let me look.')
    log.says('I look.')
    log.calls('c1', 'exec_command', { cmd: 'npm test', yield_time_ms: 5 })
    log.used(100, 0, 10)
    log.returns('c1', 'Wall time: 0.1 seconds\nProcess exited with code 3\nOutput:\nfailed\n')
    log.turn('gpt-5')
    log.says('Done.')
    log.used(200, 100, 20)
    // Newer versions repeat the totals when limits change.
    log.lines.push(log.lines.at(-1) ?? '')
    log.ends('Done.')
    log.add('from_the_future', { wonder: true })
    const one = await readLog(log)
    const entries = one.entriesOf('')
    expect(typesOf(entries)).toEqual([
      'run-start',
      'foreign',
      'message',
      'tool-call',
      'tool-result',
      'message',
      'message',
      'foreign',
      'run-end',
    ])
    expect(entries[3]).toMatchObject({ name: 'bash', input: { command: 'npm test' }, by: 'agent' })
    expect(entries[4]).toMatchObject({ outcome: 'error', detail: { kind: 'bash', exitCode: 3 } })
    expect(entries[5]).toMatchObject({
      turn: 1,
      model: 'gpt-5.2',
      usage: { inputTokens: 100, outputTokens: 10 },
      parts: [
        { type: 'reasoning', providerData: { data: { encrypted_content: 'opaque' } } },
        { type: 'text', text: 'I look.' },
        { type: 'tool-call', callId: 'c1' },
      ],
    })
    expect(entries[6]).toMatchObject({ model: 'gpt-5', usage: { cacheReadTokens: 100 } })
    expect(JSON.stringify(entries[7])).toContain('"wonder":true')
    expect(one.tasks).toMatchObject([
      {
        title: 'Fix the parser',
        cwd: '/code/app',
        branch: 'main',
        isComplete: true,
        usage: { inputTokens: 300, outputTokens: 30, pricedBy: 'estimate' },
        counts: { damaged: 0 },
      },
    ])
  })

  it('shows a compaction where it happened, with the answer that it was made from beside it', async () => {
    const log = codexLog(session, { style })
    log.turn()
    log.prompt('Begin')
    log.says('Begun.')
    log.used(100, 0, 10)
    const summary = { type: 'output_text', text: 'All that was.' }
    log.item({ type: 'message', role: 'assistant', content: [summary] })
    log.used(50, 0, 5)
    log.add('compacted', {
      message: 'Another model began:\nAll that was.',
      replacement_history: [{ type: 'message', role: 'user', content: [summary] }],
    })
    log.says('Going on.')
    log.used(20, 0, 2)
    log.ends('Going on.')
    const one = await readLog(log)
    const entries = one.entriesOf('')
    expect(typesOf(entries).slice(2)).toEqual([
      'message',
      'message',
      'fork-start',
      'message',
      'fork-end',
      'compaction',
      'message',
      'foreign',
      'run-end',
    ])
    expect(entries[7]).toMatchObject({ summary: 'Another model began:\nAll that was.' })
    expect(JSON.stringify(entries[9])).toContain('replacement_history')
    expect(one.tasks[0]?.usage).toMatchObject({ inputTokens: 170, outputTokens: 17 })
  })

  it('[I5] folds the turns that a user took back', async () => {
    const log = codexLog(session, { style })
    log.turn()
    log.prompt('One')
    log.says('First answer.')
    log.prompt('Two, badly put')
    log.says('Wrong way.')
    log.event({ type: 'thread_rolled_back', num_turns: 1 })
    log.prompt('Two, better')
    log.says('Right way.')
    const entries = (await readLog(log)).entriesOf('')
    const fork = entries.findIndex(({ type }) => type === 'fork-start')
    const end = entries.findIndex(({ type }) => type === 'fork-end')
    expect(messagesOf(entries.slice(fork, end))).toEqual([
      'user: Two, badly put',
      'assistant: Wrong way.',
    ])
    expect(messagesOf([...entries.slice(0, fork), ...entries.slice(end)])).toEqual([
      'user: One',
      'assistant: First answer.',
      'user: Two, better',
      'assistant: Right way.',
    ])
  })
})

it('[I2] counts what each answer used if Codex begins to count again from zero', async () => {
  const log = codexLog(session)
  log.turn()
  log.prompt('One')
  log.says('First.')
  log.used(100, 0, 10)
  const usage = { input_tokens: 30, cached_input_tokens: 0, output_tokens: 3 }
  log.prompt('Two')
  log.says('Second.')
  log.add('token_usage_record', { usage, thread_token_usage: usage })
  const one = await readLog(log)
  expect(one.tasks).toMatchObject([{ usage: { inputTokens: 130, outputTokens: 13 } }])
})

it('[I5] folds a branch within a branch', async () => {
  const log = codexLog(session)
  log.turn()
  log.prompt('One')
  log.says('First answer.')
  log.prompt('Two')
  log.says('Second answer.')
  log.prompt('Three, badly put')
  log.event({ type: 'thread_rolled_back', num_turns: 1 })
  log.prompt('Three, better')
  log.event({ type: 'thread_rolled_back', num_turns: 2 })
  log.prompt('Another way')
  const entries = (await readLog(log)).entriesOf('')
  const depths: string[] = []
  let depth = 0
  for (const entry of entries) {
    if (entry.type === 'fork-start') depth++
    if (entry.type === 'fork-end') depth--
    depths.push(...messagesOf([entry]).map((message) => `${depth} ${message}`))
  }
  expect(depths).toEqual([
    '0 user: One',
    '0 assistant: First answer.',
    '1 user: Two',
    '1 assistant: Second answer.',
    '2 user: Three, badly put',
    '1 user: Three, better',
    '0 user: Another way',
  ])
})

describe('calls', () => {
  it('show what a patch changed, file by file', async () => {
    const log = codexLog(session)
    log.turn()
    log.prompt('Edit')
    log.script('c1', 'apply_patch', '*** Begin Patch\n*** End Patch')
    log.done({
      type: 'FileChange',
      id: 'c1',
      status: 'completed',
      changes: {
        '/code/app/a.ts': { type: 'update', unified_diff: '@@ -7,1 +7,1 @@\n-a\n+b\n' },
        '/code/app/b.ts': { type: 'add', content: 'new\n' },
      },
    })
    log.returns('c1', 'Success.', 'custom_tool_call_output')
    // Without a report of what it changed: as the patch has it.
    const patch = '*** Begin Patch\n*** Update File: a.ts\n@@\n-b\n+c\n+d\n*** End Patch'
    log.calls('c2', 'shell', { command: ['bash', '-lc', `apply_patch <<'E'\n${patch}\nE`] })
    log.returns('c2', '{"output":"Success.","metadata":{"exit_code":0}}')
    log.calls('c3', 'update_plan', { plan: [{ step: 'Test it', status: 'in_progress' }] })
    log.returns('c3', 'Plan updated')
    const entries = (await readLog(log)).entriesOf('')
    const details = entries.flatMap((entry) => (entry.type === 'tool-result' ? entry.detail : []))
    expect(details).toMatchObject([
      null,
      { kind: 'edit', path: 'a.ts', change: 'changed', additions: 1, deletions: 1 },
      { kind: 'edit', path: 'b.ts', change: 'created', patch: expect.stringContaining('+new') },
      { kind: 'edit', path: 'a.ts', additions: 2, deletions: 1, patch: null },
      null,
    ])
    expect(entries.find(({ type }) => type === 'plan')).toMatchObject({
      items: [{ text: 'Test it', status: 'in-progress' }],
    })
  })

  it('that a user refused were not tried, and edit nothing', async () => {
    const log = codexLog(session)
    log.turn()
    log.prompt('Edit')
    log.calls('c1', 'exec_command', { cmd: 'rm -rf build' })
    log.returns('c1', 'exec command rejected by user')
    const patch = '*** Begin Patch\n*** Update File: a.ts\n@@\n-b\n+c\n*** End Patch'
    log.script('c2', 'apply_patch', patch)
    log.returns('c2', 'patch rejected by user', 'custom_tool_call_output')
    // What a command prints about a refusal is none.
    log.calls('c3', 'exec_command', { cmd: 'cat log' })
    log.returns('c3', 'Process exited with code 0\nOutput:\npatch rejected by user\n')
    const entries = (await readLog(log)).entriesOf('')
    expect(
      entries.flatMap((entry) =>
        entry.type === 'tool-result' ? [[entry.outcome, entry.detail]] : [],
      ),
    ).toEqual([
      ['error', { kind: 'not-run' }],
      ['error', { kind: 'not-run' }],
      ['ok', { kind: 'bash', exitCode: 0, timedOut: false, omittedBytes: 0 }],
    ])
  })

  it('show what a script of calls did, and what had no call of its own', async () => {
    const log = codexLog(session)
    log.turn()
    log.prompt('Run')
    log.script('c1', 'exec', 'text(await tools.exec_command({cmd: "ls"}))')
    log.used(10, 0, 1)
    log.done({
      type: 'CommandExecution',
      id: 'exec-1',
      command: ['/bin/bash', '-lc', 'ls'],
      cwd: 'file:///code/app',
      aggregated_output: 'a.ts\n',
      exit_code: 0,
    })
    log.returns('c1', [{ type: 'input_text', text: 'done' }], 'custom_tool_call_output')
    log.calls('c2', 'find', { name: 'auk' }, 'mcp__birds')
    log.returns('c2', [
      { type: 'input_text', text: 'A puffin' },
      { type: 'input_image', image_url: `data:image/png;base64,${btoa('image')}` },
    ])
    log.item({ type: 'web_search_call', id: 'w1', action: { type: 'search', query: 'puffin' } })
    log.says('Found.')
    const entries = (await readLog(log)).entriesOf('')
    const calls = entries.flatMap((entry) => (entry.type === 'tool-call' ? [entry] : []))
    expect(calls.map(({ name, turn }) => [name, turn])).toEqual([
      ['exec', 1],
      ['bash', 1],
      ['mcp__birds__find', 2],
      ['web_search', 3],
    ])
    const results = entries.flatMap((entry) => (entry.type === 'tool-result' ? [entry] : []))
    expect(results[0]).toMatchObject({ output: 'a.ts\n', detail: { kind: 'bash', exitCode: 0 } })
    expect(results[2]).toMatchObject({ output: 'A puffin', images: [{ mediaType: 'image/png' }] })
  })
})

describe('threads', () => {
  const spawn = { thread_spawn: { parent_thread_id: session, agent_role: 'explorer' } }
  const agentLog = (meta: Record<string, unknown> = {}) => {
    const log = codexLog(agentId, {
      meta: { source: { subagent: spawn }, ...meta },
      startMs: codexStartMs + 5_000,
    })
    log.turn()
    log.prompt('Look for the puffin')
    log.says('A puffin was there.')
    log.used(30, 0, 3)
    log.ends('A puffin was there.')
    return log
  }
  const mainLog = () => {
    const log = codexLog(session)
    log.turn()
    log.prompt('Find birds')
    log.calls('c1', 'spawn_agent', { message: 'Look for the puffin', agent_type: 'explorer' })
    return log
  }

  it('of sub-agents are linked to their calls, also when all of it is archived or compressed', async () => {
    const log = mainLog()
    log.returns('c1', JSON.stringify({ agent_id: agentId, nickname: 'Ada' }))
    log.calls('c2', 'wait_agent', { targets: [agentId] })
    log.returns('c2', JSON.stringify({ status: { [agentId]: { completed: 'It was there.' } } }))
    log.says('Found.')
    log.ends('Found.')
    const dir = await writeFiles(await temporaryDir(), {
      [rolloutPath(session)]: log.text(),
      'session_index.jsonl': `${JSON.stringify({ id: session, thread_name: 'Birds' })}\n`,
    })
    await mkdir(join(dir, 'archived_sessions'))
    const agentFile = join(dir, 'archived_sessions', rolloutName(agentId))
    await writeFile(`${agentFile}.zst`, zstdCompressSync(Buffer.from(agentLog().text())))
    const [one, ...others] = await readSessions(codexAdapter, dir)
    expect(others).toEqual([])
    expect(one?.found.files.map(({ name }) => name)).toEqual([
      rolloutName(session),
      rolloutName(agentId),
    ])
    expect(one?.links).toEqual({ linked: 1, unlinked: 0, orphaned: 0, missing: 0 })
    const [root, child] = one?.tasks ?? []
    expect(root).toMatchObject({ title: 'Birds', usage: { inputTokens: 0 } })
    expect(child).toMatchObject({
      parentId: root?.id,
      callId: 'c1',
      title: 'Look for the puffin',
      agent: 'explorer',
      report: 'A puffin was there.',
      usage: { inputTokens: 30 },
    })
    const results = one?.entriesOf('').filter(({ type }) => type === 'tool-result')
    expect(results).toMatchObject([
      { name: 'task', detail: { tasks: [{ taskId: child?.id, report: null }] } },
      { detail: { tasks: [{ report: { markdown: 'It was there.' } }] } },
    ])
    // Moved to the archive, it has the same names.
    await rename(
      join(dir, rolloutPath(session)),
      join(dir, 'archived_sessions', rolloutName(session)),
    )
    const [moved] = await readSessions(codexAdapter, dir)
    expect(moved?.found).toMatchObject({
      isHidden: true,
      files: [{ name: rolloutName(session) }, {}],
    })
  })

  it('of sub-agents that name their path, and begin with a copy of their parent’s history', async () => {
    const log = mainLog()
    log.returns('c1', '{"task_name":"/main/find"}')
    log.says('Found.')
    log.ends('Found.')
    const agent = codexLog(agentId, {
      meta: {
        parent_thread_id: session,
        agent_path: '/main/find',
        forked_from_id: session,
        subagent_history_start_ordinal: 5,
      },
      startMs: codexStartMs + 5_000,
    })
    for (const line of log.lines.slice(0, 4)) {
      const { type, payload } = JSON.parse(line)
      agent.add(type, payload)
    }
    const words = {
      type: 'input_text',
      text: 'Message Type: NEW_TASK\nSender: /main\nPayload:\nLook',
    }
    agent.item({ type: 'agent_message', recipient: '/main/find', content: [words] })
    agent.says('It was there.')
    agent.ends('It was there.')
    const [one] = await read({
      [rolloutPath(session)]: log.text(),
      [rolloutPath(agentId)]: agent.text(),
    })
    expect(one?.links).toMatchObject({ linked: 1, missing: 0 })
    expect(one?.tasks[1]).toMatchObject({
      prompt: 'Look',
      report: 'It was there.',
      isComplete: true,
    })
    const entries = one?.entriesOf(agentId) ?? []
    const end = entries.findIndex(({ type }) => type === 'fork-end')
    expect(messagesOf(entries.slice(end))).toEqual(['user: Look', 'assistant: It was there.'])
  })

  it.each([
    ['with ids of turns', 'items' as const, 0],
    ['of older versions, after a pause', 'events' as const, 5_000],
  ])(
    'that are forks count their copied history in its origin only: %s',
    async (_, style, pause) => {
      const log = codexLog(session, { style })
      if (style === 'items') log.turn()
      log.prompt('Find birds')
      log.says('A gannet.')
      log.used(100, 0, 10)
      const startMs = codexStartMs + 60_000
      const forkId = threadIdAt(startMs, 3)
      const fork = codexLog(forkId, { style, startMs, meta: { forked_from_id: session } })
      for (const line of log.lines) {
        const { type, payload } = JSON.parse(line)
        fork.add(type, payload)
      }
      fork.wait(pause)
      if (style === 'items') fork.turn()
      fork.prompt('And the puffin?')
      fork.says('It too.')
      const totals = { input_tokens: 140, cached_input_tokens: 0, output_tokens: 14 }
      const last = { input_tokens: 40, cached_input_tokens: 0, output_tokens: 4 }
      fork.event({
        type: 'token_count',
        info: { total_token_usage: totals, last_token_usage: last },
      })
      const sessions = await read({
        [rolloutPath(session)]: log.text(),
        [rolloutPath(forkId)]: fork.text(),
      })
      expect(sessions.map(({ tasks }) => tasks[0]?.usage.inputTokens)).toEqual([100, 40])
      expect(sessions[1]?.tasks[0]).toMatchObject({ title: 'And the puffin?' })
      expect(messagesOf(sessions[1]?.entriesOf('') ?? [])).toEqual([
        'user: Find birds',
        'assistant: A gannet.',
        'user: And the puffin?',
        'assistant: It too.',
      ])
    },
  )

  it('are kept under a separate root if the rollout of their session is missing', async () => {
    const [one] = await read({ [rolloutPath(agentId)]: agentLog().text() })
    expect(one?.found).toMatchObject({ key: session, isHidden: true })
    expect(one?.links).toMatchObject({ orphaned: 1, linked: 0 })
    // As old as its sub-agents, also where its transcript has no other entries.
    const [root, agent] = one?.tasks ?? []
    const times = (key: string) => one?.entriesOf(key).map(({ at }) => at) ?? []
    expect(root).toMatchObject({ startedAtMs: agent?.startedAtMs, endedAtMs: agent?.endedAtMs })
    expect(times('')).toEqual([root?.startedAtMs, root?.endedAtMs])
    expect(one?.entriesOf('').at(-1)).toMatchObject({ type: 'run-end', status: 'completed' })
    expect(one?.tasks).toMatchObject([
      { parentId: null, cwd: '/code/app', title: expect.stringContaining('Parent deleted') },
      { title: 'Look for the puffin', report: 'A puffin was there.' },
    ])
  })
})

it('[I2] says where a compressed rollout ends too early, and keeps what is before', async () => {
  const log = codexLog(session)
  log.prompt('One')
  for (let nth = 0; nth < 500; nth++) log.says(`Answer ${nth} ${Math.sin(nth)}`)
  const dir = await temporaryDir()
  const whole = zstdCompressSync(Buffer.from(log.text()))
  const path = join(dir, `${rolloutName(session)}.zst`)
  await writeFile(path, whole.subarray(0, whole.length - 200))
  const [one] = await readSessions(codexAdapter, path)
  expect(one?.damage.at(-1)?.reason).toContain('its compression is damaged')
  expect(messagesOf(one?.entriesOf('') ?? [])[0]).toBe('user: One')
})

describe.each(['items', 'events'] as const)('damage of a rollout with %s', (style) => {
  const file = () => {
    const log = codexLog(session, { style })
    log.turn()
    log.prompt('One')
    log.says('Two')
    log.used(10, 0, 1)
    log.calls('c1', 'exec_command', { cmd: 'ls' })
    log.returns('c1', 'Exit code: 0\nOutput:\na.ts')
    log.prompt('Three')
    const says = (line: string): string | null => {
      const { type, payload } = JSON.parse(line)
      const [part] = payload.content ?? []
      return type === 'response_item' && part ? `${payload.role}: ${part.text}` : null
    }
    return {
      adapter: codexAdapter,
      name: rolloutName(session),
      lines: log.lines.map((line) => ({ line, says: says(line) })),
    }
  }

  it('[I2] never loses a good line, whatever is done to the others', async () => {
    await expectNothingLost(file(), await temporaryDir(), 25)
  })

  itInSoak('[I2] reads every mutation of a file', async () => {
    await expectEveryMutationRead(file(), await temporaryDir())
  })
})
