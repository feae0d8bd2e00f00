import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { codexAdapter } from '../../src/main/imports/adapters/codex/index.ts'
import { temporaryDir } from '../harness.ts'
import { writeFiles } from './claude-code-log.ts'
import { codexLog, codexStartMs, rolloutName, rolloutPath, threadIdAt } from './codex-log.ts'
import { agentId, read, session } from './read-codex-log.ts'
import { messagesOf, readSessions } from './read-session.ts'

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
