import { describe, expect, it } from 'vitest'
import { claudeLog } from './claude-code-log.ts'
import { readFiles, readLog, session } from './read-claude-log.ts'
import { messagesOf as messages, typesOf } from './read-session.ts'

describe('a conversation', () => {
  it('[I2] becomes turns with calls before their message, usage counted once for each message', async () => {
    const log = claudeLog(session)
    log.prompt('Fix the parser')
    log.says('m1', { type: 'thinking', thinking: 'Let me look.', signature: 'x' })
    log.says('m1', 'I look.')
    log.calls('m1', 'c1', 'Bash', { command: 'npm test', timeout: 5 })
    log.returns('c1', 'ok', { toolUseResult: { stdout: 'ok' } })
    log.says('m2', 'Done.')
    const one = await readLog(log.text())
    const entries = one.entriesOf('')
    expect(typesOf(entries)).toEqual([
      'run-start',
      'message',
      'tool-call',
      'tool-result',
      'message',
      'message',
      'run-end',
    ])
    expect(entries[2]).toMatchObject({
      name: 'bash',
      input: { command: 'npm test', timeoutMs: 5 },
      by: 'agent',
    })
    expect(entries[3]).toMatchObject({ output: 'ok', detail: { kind: 'bash', exitCode: 0 } })
    expect(entries[4]).toMatchObject({
      turn: 1,
      parts: [{ type: 'reasoning' }, { type: 'text' }, { type: 'tool-call', callId: 'c1' }],
      usage: { inputTokens: 110, outputTokens: 5, cacheReadTokens: 100, pricedBy: 'estimate' },
    })
    expect(one.tasks).toMatchObject([
      {
        title: 'Fix the parser',
        cwd: '/code/app',
        branch: 'main',
        isComplete: true,
        usage: { inputTokens: 220, outputTokens: 10 },
        counts: { lines: 6, mapped: 6, foreign: 0, damaged: 0 },
      },
    ])
  })

  it('[I2] counts the usage of a message once, even if another one stands between its records', async () => {
    const log = claudeLog(session)
    log.prompt('Look at both')
    log.says('m1', 'I look.')
    log.says('m2', 'Meanwhile.')
    log.says('m1', 'Seen.')
    const one = await readLog(log.text())
    expect(one.tasks).toMatchObject([{ usage: { inputTokens: 220, outputTokens: 10 } }])
  })

  it('gives each call an id of its own, even if its tool used one twice', async () => {
    const log = claudeLog(session)
    log.prompt('Look twice')
    log.calls('m1', 'c1', 'Read', { file_path: 'a' })
    log.returns('c1', 'A')
    log.calls('m2', 'c1', 'Read', { file_path: 'b' })
    log.returns('c1', 'B')
    const entries = (await readLog(log.text())).entriesOf('')
    const results = entries.flatMap((entry) =>
      entry.type === 'tool-result' ? [[entry.callId, entry.output]] : [],
    )
    expect(results).toEqual([
      ['c1', 'A'],
      ['c1#2', 'B'],
    ])
  })

  it('[I3] makes one turn of a record whose message has no id', async () => {
    const log = claudeLog(session)
    log.prompt('Go')
    const content = [
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'c1', name: 'Bash', input: { command: 'ls' } },
    ]
    log.add('assistant', { message: { role: 'assistant', content, usage: { input_tokens: 3 } } })
    log.returns('c1', 'a')
    const entries = (await readLog(log.text())).entriesOf('')
    expect(typesOf(entries)).toEqual([
      'run-start',
      'message',
      'tool-call',
      'tool-result',
      'message',
      'run-end',
    ])
    expect(entries[4]).toMatchObject({ parts: [{ type: 'text' }, { callId: 'c1' }] })
  })

  it('[G6] is priced by the list of its time, and what the cache keeps for an hour for more', async () => {
    const log = claudeLog(session)
    log.prompt('Read all of it')
    const answered = (id: string, timestamp: string, usage: Record<string, unknown>) =>
      log.add('assistant', {
        timestamp,
        message: { id, role: 'assistant', model: 'claude-opus-4-6', content: [], usage },
      })
    answered('m1', '2026-02-01T10:00:00.000Z', { input_tokens: 300_000 })
    answered('m2', '2026-04-01T10:00:00.000Z', { input_tokens: 300_000 })
    const written = { cache_creation_input_tokens: 1_000_000 }
    answered('m3', '2026-04-01T10:01:00.000Z', written)
    answered('m4', '2026-04-01T10:02:00.000Z', {
      ...written,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 1_000_000 },
    })
    const costs = (await readLog(log.text()))
      .entriesOf('')
      .flatMap((entry) =>
        entry.type === 'message' && entry.role === 'assistant' ? [entry.usage?.costUsd] : [],
      )
    expect(costs.map((cost) => cost?.toFixed(4))).toEqual(['3.0000', '1.5000', '6.2500', '10.0000'])
  })

  it('takes no words of the tool for the user’s', async () => {
    const ended = '<task-notification>\n<task-id>b1</task-id>\n</task-notification>'
    const log = claudeLog(session)
    log.prompt('Test')
    log.says('m1', 'It runs in the background.')
    log.prompt(ended)
    log.add('attachment', { attachment: { type: 'queued_command', prompt: ended } })
    log.says('m2', 'It passed.')
    const one = await readLog(log.text())
    expect(messages(one.entriesOf(''))).toEqual([
      'user: Test',
      'assistant: It runs in the background.',
      'assistant: It passed.',
    ])
    expect(one.tasks[0]?.counts).toMatchObject({ lines: 5, mapped: 3, foreign: 2 })
  })

  it('takes a stop for no prompt, and a session that ends with one for unfinished', async () => {
    const log = claudeLog(session)
    log.prompt('[Request interrupted by user]')
    log.prompt('Test')
    log.says('m1', 'I will.')
    const stop = { type: 'text', text: '[Request interrupted by user for tool use]' }
    log.add('user', { message: { role: 'user', content: [stop] } })
    const one = await readLog(log.text())
    expect(messages(one.entriesOf(''))).toEqual(['user: Test', 'assistant: I will.'])
    expect(one.tasks[0]).toMatchObject({
      prompt: 'Test',
      isComplete: false,
      counts: { lines: 4, mapped: 2, foreign: 2 },
    })
  })

  it('takes a call that the user refused, or that another one made pointless, for none that failed', async () => {
    const log = claudeLog(session)
    log.prompt('Go')
    const refused =
      "The user doesn't want to proceed with this tool use. The tool use was rejected."
    const dropped = '<tool_use_error>Sibling tool call errored</tool_use_error>'
    for (const [id, name, output] of [
      ['c1', 'Bash', refused],
      ['c2', 'Read', dropped],
      ['c3', 'Bash', 'Error: Exit code 2'],
    ] as const) {
      log.calls(`m${id}`, id, name, { command: 'x', file_path: '/a' })
      log.add('user', {
        message: {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: id, content: output, is_error: true }],
        },
        toolUseResult: output,
      })
    }
    const { entriesOf } = await readLog(log.text())
    expect(
      entriesOf('').flatMap((entry) =>
        entry.type === 'tool-result' ? [[entry.outcome, entry.detail]] : [],
      ),
    ).toEqual([
      ['error', { kind: 'not-run' }],
      ['error', { kind: 'not-run' }],
      ['error', { kind: 'bash', exitCode: 2, timedOut: false, omittedBytes: 0 }],
    ])
  })

  it('takes no exit code from the start of a command in the background', async () => {
    const log = claudeLog(session)
    log.prompt('Test')
    log.calls('m1', 'c1', 'Bash', { command: 'npm test', run_in_background: true })
    log.returns('c1', 'Command running in background with ID: b1.', {
      toolUseResult: { stdout: '', stderr: '', interrupted: false, backgroundTaskId: 'b1' },
    })
    const one = await readLog(log.text())
    expect(one.entriesOf('').find(({ type }) => type === 'tool-result')).toMatchObject({
      outcome: 'ok',
      detail: null,
    })
  })

  it('shows an edit by its diff, a to-do list as a plan, and keeps what it does not know', async () => {
    const log = claudeLog(session)
    log.prompt('Edit')
    log.calls('m1', 'c1', 'Edit', { file_path: '/code/app/a.ts', old_string: 'a', new_string: 'b' })
    log.returns('c1', 'The file has been updated.', {
      toolUseResult: {
        filePath: '/code/app/a.ts',
        structuredPatch: [
          { oldStart: 7, oldLines: 1, newStart: 7, newLines: 1, lines: ['-a', '+b'] },
        ],
      },
    })
    log.calls('m2', 'c2', 'TodoWrite', { todos: [{ content: 'Test it', status: 'in_progress' }] })
    log.returns('c2', 'ok')
    log.add('from-the-future', { wonder: true })
    const entries = (await readLog(log.text())).entriesOf('')
    expect(entries.find(({ type }) => type === 'tool-result')).toMatchObject({
      detail: { kind: 'edit', path: 'a.ts', additions: 1, deletions: 1 },
    })
    expect(entries.find(({ type }) => type === 'plan')).toMatchObject({
      items: [{ text: 'Test it', status: 'in-progress' }],
    })
    expect(entries.find(({ type }) => type === 'foreign')).toMatchObject({
      source: 'Claude Code',
      content: { line: 6, record: { wonder: true } },
    })
  })

  it('marks a compaction where it happened, with the run that made its summary beside it', async () => {
    const log = claudeLog(session)
    log.prompt('Begin')
    const before = log.says('m1', 'Begun.')
    log.goTo(null)
    log.add('system', { subtype: 'compact_boundary', logicalParentUuid: before })
    log.prompt('Summary of all that was.', { isCompactSummary: true })
    log.says('m2', 'Going on.')
    const compaction = claudeLog('1b2c3d4e-0000-4000-8000-00000000000c', { isSidechain: true })
    compaction.prompt('Summarize')
    compaction.says('m9', 'Summary of all that was.')
    const [one] = await readFiles({
      [`${session}.jsonl`]: log.text(),
      [`${session}/subagents/agent-acompact-1.jsonl`]: compaction.text(),
    })
    expect(one?.tasks).toHaveLength(1)
    expect(typesOf(one?.entriesOf('') ?? [])).toEqual([
      'run-start',
      'message',
      'message',
      'compaction',
      'fork-start',
      'message',
      'message',
      'fork-end',
      'message',
      'run-end',
    ])
    expect(one?.tasks[0]?.usage.outputTokens).toBe(15)
  })

  it('[I1] takes a large result from the file beside it, by its name alone', async () => {
    const log = claudeLog(session)
    log.prompt('Search')
    log.calls('m1', 'c1', 'Grep', { pattern: 'x' })
    log.returns(
      'c1',
      '<persisted-output>\nOutput too large (51KB). Full output saved to: /elsewhere/tool-results/c1.txt\n\nPreview:\nx',
    )
    const [one] = await readFiles({
      [`${session}.jsonl`]: log.text(),
      [`${session}/tool-results/c1.txt`]: 'the whole output',
    })
    const result = one?.entriesOf('').find(({ type }) => type === 'tool-result')
    expect(result).toMatchObject({ output: 'the whole output' })
  })
})

describe('sub-agents', () => {
  const agentLog = (fields: Record<string, unknown> = {}) => {
    const log = claudeLog(session, { isSidechain: true, agentId: 'a1', ...fields })
    log.prompt('Look for the puffin')
    log.says('s1', 'A puffin was there.')
    return log
  }
  const mainLog = () => {
    const log = claudeLog(session)
    log.prompt('Find birds')
    log.calls('m1', 'c1', 'Task', {
      subagent_type: 'Explore',
      description: 'Find a puffin',
      prompt: 'Look for the puffin',
    })
    return log
  }

  it.each([
    ['in the folder of the session', `${session}/subagents/agent-a1.jsonl`],
    ['beside the session, as older versions do', 'agent-a1.jsonl'],
  ])('are linked to their calls: %s', async (_, name) => {
    const log = mainLog()
    log.returns('c1', [{ type: 'text', text: 'A puffin was there.' }], {
      toolUseResult: { status: 'completed', agentId: 'a1' },
    })
    log.says('m2', 'Found.')
    const agent = claudeLog('1b2c3d4e-0000-4000-8000-00000000000a', {
      isSidechain: true,
      agentId: 'a1',
      sessionId: session,
    })
    agent.prompt('Look for the puffin')
    agent.says('s1', 'A puffin was there.')
    const sessions = await readFiles({ [`${session}.jsonl`]: log.text(), [name]: agent.text() })
    expect(sessions).toHaveLength(1)
    const [one] = sessions
    expect(one?.links).toEqual({ linked: 1, unlinked: 0, orphaned: 0, missing: 0 })
    const [root, child] = one?.tasks ?? []
    expect(child).toMatchObject({
      parentId: root?.id,
      callId: 'c1',
      title: 'Find a puffin',
      agent: 'Explore',
      report: 'A puffin was there.',
    })
    expect(one?.entriesOf('').find(({ type }) => type === 'tool-result')).toMatchObject({
      name: 'task',
      detail: { kind: 'tasks', tasks: [{ taskId: child?.id }] },
    })
  })

  it('are found inline as well, with the agent that a text names', async () => {
    const log = mainLog()
    const call = log.returns('c1', 'It was there.\nagentId: a1 (to go on)')
    log.lines.push(...agentLog().lines.map((line) => line.replaceAll('-0000-4000', '-1111-4000')))
    log.goTo(call)
    log.says('m2', 'Found.')
    const one = await readLog(log.text())
    expect(one.tasks.map(({ title, callId }) => [title, callId])).toEqual([
      ['Find birds', null],
      ['Find a puffin', 'c1'],
    ])
    expect(messages(one.entriesOf('a1'))).toEqual([
      'user: Look for the puffin',
      'assistant: A puffin was there.',
    ])
    expect(messages(one.entriesOf(''))).toEqual([
      'user: Find birds',
      'assistant: tool-call',
      'assistant: Found.',
    ])
  })

  it('are linked by the progress of their call when it has no result', async () => {
    const log = mainLog()
    log.add('progress', { parentToolUseID: 'c1', data: { type: 'agent_progress', agentId: 'a1' } })
    const [one] = await readFiles({
      [`${session}.jsonl`]: log.text(),
      [`${session}/subagents/agent-a1.jsonl`]: agentLog().text(),
      [`${session}/subagents/agent-a2.jsonl`]: agentLog({ agentId: 'a2' }).text(),
      [`${session}/subagents/agent-a2.meta.json`]: '{"agentType":"Plan","description":"Alone"}',
    })
    expect(one?.links).toEqual({ linked: 1, unlinked: 1, orphaned: 0, missing: 0 })
    expect(one?.tasks[2]).toMatchObject({ title: 'Alone', agent: 'Plan', callId: null })
    expect(one?.tasks[0]?.isComplete).toBe(false)
  })

  it('are kept under a separate root if the file of their session is missing', async () => {
    const [one] = await readFiles({ [`${session}/subagents/agent-a1.jsonl`]: agentLog().text() })
    expect(one?.found).toMatchObject({ key: session, isHidden: true })
    expect(one?.links).toMatchObject({ orphaned: 1 })
    // As old as its sub-agents, also where its transcript has no other entries.
    const [root, agent] = one?.tasks ?? []
    const times = (key: string) => one?.entriesOf(key).map(({ at }) => at) ?? []
    expect(root).toMatchObject({ startedAtMs: agent?.startedAtMs, endedAtMs: agent?.endedAtMs })
    expect(times('')).toEqual([root?.startedAtMs, root?.endedAtMs])
    expect(one?.entriesOf('').at(-1)).toMatchObject({ type: 'run-end', status: 'completed' })
    expect(one?.tasks).toMatchObject([
      { parentId: null, title: 'Parent deleted: session 1b2c3d4e', cwd: '/code/app' },
      { title: 'Look for the puffin', report: 'A puffin was there.' },
    ])
  })
})
