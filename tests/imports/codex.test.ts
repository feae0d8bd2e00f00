import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { codexAdapter } from '../../src/main/imports/adapters/codex/index.ts'
import { temporaryDir } from '../harness.ts'
import { itInSoak } from '../soak.ts'
import { writeFiles } from './claude-code-log.ts'
import { codexLog, rolloutName, rolloutPath } from './codex-log.ts'
import { expectEveryMutationRead, expectNothingLost } from './mutated-lines.ts'
import { readLog, session } from './read-codex-log.ts'
import { messagesOf, readSessions, typesOf } from './read-session.ts'

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
