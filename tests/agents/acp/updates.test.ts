import { describe, expect, it } from 'vitest'
import { createUpdateFold } from '../../../src/main/agents/acp/updates/updates.ts'
import type { AgentEvent } from '../../../src/shared/agents/driver/agent-events.ts'
import { call, callUpdate, textChunk, thought } from '../../acp-agent/script.ts'

type Given = ReturnType<typeof textChunk>

function folded(...steps: Given[]) {
  const fold = createUpdateFold({ source: 'acp:test', cwd: '/project' })
  fold.begin()
  const events = steps.flatMap((step) => ('update' in step ? fold.update(step.update) : []))
  return { fold, events }
}

const typesOf = (events: AgentEvent[]) => events.map(({ type }) => type)

describe('the updates of an agent', () => {
  it('joins the pieces of a message to one part, by its id if it has one', () => {
    const { events } = folded(
      thought('a'),
      thought('b'),
      textChunk('c', 'm1'),
      textChunk('d', 'm1'),
      textChunk('e', 'm2'),
    )
    expect(
      events.flatMap((one) => (one.type === 'part-delta' ? [[one.part, one.text]] : [])),
    ).toEqual([
      ['reasoning-1', 'a'],
      ['reasoning-1', 'b'],
      ['text-2', 'c'],
      ['text-2', 'd'],
      ['text-3', 'e'],
    ])
    expect(typesOf(events).filter((type) => type.startsWith('turn'))).toEqual(['turn-started'])
  })

  it('begins the next turn with the text after the results of calls', () => {
    const { events } = folded(
      textChunk('look'),
      call('1', { title: 'ls', kind: 'execute' }),
      call('2', { title: 'cat', kind: 'read' }),
      callUpdate('1', { status: 'completed' }),
      textChunk('not yet over: the other call runs'),
      callUpdate('2', { status: 'completed' }),
      textChunk('done'),
    )
    expect(typesOf(events).filter((type) => /turn|call|delta/.test(type))).toEqual([
      'turn-started',
      'part-delta',
      'call-started',
      'call-started',
      'call-ended',
      'part-delta',
      'call-ended',
      'turn-ended',
      'turn-started',
      'part-delta',
    ])
  })

  it('upserts a call from whichever message mentions it first', () => {
    const { fold, events } = folded(
      callUpdate('g', { status: 'completed', title: 'Read', rawOutput: 'x' }),
    )
    expect(typesOf(events)).toEqual(['turn-started', 'call-started', 'call-ended'])
    const asked = fold.asked({ toolCallId: 'p', title: 'npm test', kind: 'execute' })
    expect(typesOf(asked.events)).toEqual(['call-started'])
    expect(
      typesOf(
        fold.update({
          sessionUpdate: 'tool_call',
          toolCallId: 'p',
          title: 'npm test',
          kind: 'execute',
        }),
      ),
    ).toEqual([])
  })

  it('revises title, kind and input, and takes paths relative to the working directory', () => {
    const { events } = folded(
      call('e', {
        title: 'Edit',
        kind: 'edit',
        rawInput: {},
        locations: [{ path: '/project/src/a.ts', line: 3 }],
      }),
      callUpdate('e', { title: 'Edit a.ts', rawInput: { path: 'a.ts' }, kind: 'delete' }),
      callUpdate('e', {
        status: 'completed',
        content: [{ type: 'diff', path: '/project/src/a.ts', oldText: 'a\n', newText: 'b\nc\n' }],
      }),
    )
    expect(events).toMatchObject([
      { type: 'turn-started' },
      {
        type: 'call-started',
        name: 'edit',
        kind: 'edit',
        locations: [{ path: 'src/a.ts', line: 3 }],
      },
      { type: 'call-updated', title: 'Edit a.ts', kind: 'delete', input: { path: 'a.ts' } },
      {
        type: 'call-ended',
        outcome: 'ok',
        detail: { kind: 'edit', path: 'src/a.ts', change: 'changed', additions: 2, deletions: 1 },
      },
    ])
  })

  it('shows what a terminal of the agent prints, and how it ended', () => {
    const { events } = folded(
      call('t', {
        title: 'npm test',
        kind: 'execute',
        content: [{ type: 'terminal', terminalId: 't' }],
      }),
      callUpdate('t', { _meta: { terminal_output: { terminal_id: 't', data: 'one\n' } } }),
      callUpdate('t', { _meta: { terminal_output: { terminal_id: 't', data: 'two\n' } } }),
      callUpdate('t', { status: 'failed', _meta: { terminal_exit: { exit_code: 2 } } }),
    )
    expect(events.slice(2)).toMatchObject([
      { type: 'call-updated', output: 'one\n' },
      { type: 'call-updated', output: 'two\n' },
      { type: 'call-ended', outcome: 'error', output: 'one\ntwo\n[exit code 2]' },
    ])
  })

  it.each([
    ['a text', 'x', 'x'],
    ['an object that holds one', { formatted_output: 'y', exit_code: 0 }, 'y'],
    ['any other object', { a: 1 }, '{"a":1}'],
  ])('takes the result of a call from %s', (_, rawOutput, output) => {
    const { events } = folded(
      call('r', { title: 'Read' }),
      callUpdate('r', { status: 'completed', rawOutput }),
    )
    expect(events.at(-1)).toMatchObject({ type: 'call-ended', output })
  })

  it.each([
    ['Claude Code', { title: 'mcp__shiplog__task', name: 'mcp__shiplog__task', kind: 'other' }],
    [
      'Codex',
      {
        title: 'mcp.shiplog.task',
        kind: 'execute',
        rawInput: { server: 'shiplog', tool: 'task', arguments: {} },
      },
    ],
    ['Gemini', { title: 'task (shiplog MCP Server)', kind: 'other' }],
    [
      'Qwen',
      {
        title: 'task (shiplog MCP Server): {"agent":"review","title":"x","prompt":"y"}',
        kind: 'other',
      },
    ],
    ['OpenCode', { title: 'shiplog_task', kind: 'other' }],
  ])('leaves calls of Shiplog’s own tools to the host, as %s names them', (_, more) => {
    const { fold, events } = folded(call('o', more))
    expect(fold.asked({ toolCallId: 'o' }).call).toBe('own')
    const { update } = callUpdate('o', { status: 'completed' }) as { update: object }
    expect(typesOf([...events, ...fold.update(update)])).toEqual(['turn-started'])
    expect(fold.seen().calls).toBe(1)
  })

  it.each([
    [
      'a command',
      { title: 'mcp__shiplog__task', kind: 'execute', rawInput: { command: 'rm -rf /' } },
    ],
    ['a command without a kind', { title: 'shiplog_task', rawInput: { command: 'rm -rf /' } }],
    [
      'arguments of another server’s tool',
      {
        title: 'mcp__fs__write',
        kind: 'other',
        rawInput: { path: '/etc/x', server: 'shiplog', tool: 'update_plan' },
      },
    ],
    [
      'arguments that look like Codex’s',
      { title: 'mcp__fs__write', kind: 'other', rawInput: { server: 'shiplog', tool: 'task' } },
    ],
    [
      'arguments in the title',
      { title: 'write_file (fs MCP Server): {"c":"(shiplog MCP Server)"}', kind: 'other' },
    ],
    ['another kind of call', { title: 'task (shiplog MCP Server)', kind: 'edit' }],
    ['no tool of Shiplog', { title: 'mcp__shiplog__startup', kind: 'other' }],
  ])('records a call that only has such a title: %s', (_, more) => {
    const { fold } = folded(call('o', more))
    expect(fold.asked({ toolCallId: 'o' }).call).toMatchObject({ callId: 'o' })
  })

  it.each([
    ['a text that goes on', { title: 'shiplog_task and rm -rf /', kind: 'other' }],
    ['another input in the title', { title: 'shiplog_task {"path":"/etc/x"}', kind: 'other' }],
    ['no input in the title', { title: 'shiplog_task {"title": ', kind: 'other' }],
    ['two names', { title: 'task (shiplog MCP Server) write (fs MCP Server)', kind: 'other' }],
    ['another input', { title: 'shiplog_task', kind: 'other', rawInput: { path: '/etc/x' } }],
    [
      'more input',
      {
        title: 'mcp__shiplog__task_list',
        name: 'mcp__shiplog__task_list',
        kind: 'other',
        rawInput: { path: '/etc/x' },
      },
    ],
    [
      'other arguments of Codex’s',
      {
        title: 'mcp.shiplog.task',
        kind: 'other',
        rawInput: { server: 'shiplog', tool: 'task', arguments: { path: '/etc/x' } },
      },
    ],
  ])('[P4] allows no call unasked that only looks like one of Shiplog’s tools: %s', (_, more) => {
    const { fold } = folded(call('o', more))
    expect(fold.asked({ toolCallId: 'o' }).call).toBe('perhaps-own')
  })

  it('[P4] allows a call of Shiplog’s tools of which a part of the input was sent', () => {
    for (const tool of ['task', 'task_await', 'task_list', 'task_stop', 'task_apply_patch']) {
      const name = `mcp__shiplog__${tool}`
      const { fold } = folded(call(tool, { title: name, name, kind: 'other', rawInput: {} }))
      expect(fold.asked({ toolCallId: tool }).call, tool).toBe('own')
    }
    const more = { title: 'shiplog_task', kind: 'other', rawInput: { agent: 'review' } }
    const { fold } = folded(call('o', more))
    expect(fold.asked({ toolCallId: 'o' }).call).toBe('own')
  })

  it('[P4] goes by the tool’s name where the agent gives it, whatever the title', () => {
    const more = { title: 'shiplog_task', _meta: { claudeCode: { toolName: 'Skill' } } }
    const { fold } = folded(call('o', { ...more, kind: 'other' }))
    expect(fold.asked({ toolCallId: 'o' }).call).toMatchObject({ name: 'Skill' })
  })

  it('marks text before a retry as superseded', () => {
    const { events } = folded(textChunk('Half'), {
      update: {
        sessionUpdate: 'session_info_update',
        _meta: { codex: { error: { message: 'stream lost', willRetry: true } } },
      },
    })
    expect(events.at(-1)).toEqual({
      type: 'retrying',
      cause: { kind: 'network', detail: 'stream lost' },
      untilMs: null,
    })
  })

  it.each(['before', 'after'])(
    'sees a failure that ends its turn like a success, with its text %s it',
    (order) => {
      const said = textChunk('The model is overloaded.')
      const failed: Given = {
        update: {
          sessionUpdate: 'session_info_update',
          _meta: { codex: { threadStatus: { type: 'systemError' } } },
        },
      }
      const { fold } = folded(...(order === 'before' ? [said, failed] : [failed, said]))
      const detail = 'The model is overloaded.'
      expect(fold.seen().failure).toEqual({ kind: 'network', detail })
    },
  )

  it('[G8] keeps unreadable updates, and drops no others', () => {
    const { events } = folded(
      { update: { sessionUpdate: 'brand_new', value: 1 } },
      {
        update: {
          sessionUpdate: 'plan',
          entries: [{ content: 'a', status: 'completed' }, { wrong: 1 }],
        },
      },
      { update: { sessionUpdate: 'tool_call', title: 'without an id' } },
      { update: 7 as never },
      textChunk('still read'),
    )
    expect(typesOf(events)).toEqual([
      'foreign',
      'plan',
      'foreign',
      'foreign',
      'foreign',
      'turn-started',
      'part-delta',
    ])
  })

  it('records a summary of its conversation, also if it came in pieces', () => {
    const { events } = folded(
      {
        update: {
          sessionUpdate: 'compaction_summary_chunk',
          compactionId: 'c',
          content: { type: 'text', text: 'So far.' },
        },
      },
      { update: { sessionUpdate: 'compaction_update', compactionId: 'c', status: 'completed' } },
    )
    expect(events).toMatchObject([{ type: 'compacted', summary: 'So far.' }])
  })

  it('repeats no earlier summary in the next one', () => {
    const piece = (text: string) => ({
      update: { sessionUpdate: 'compaction_summary_chunk', content: { type: 'text', text } },
    })
    const done = { update: { sessionUpdate: 'compaction_update', status: 'completed' } }
    const { events } = folded(piece('First.'), done, piece('Second.'), done)
    expect(events).toMatchObject([{ summary: 'First.' }, { summary: 'Second.' }])
  })

  it('begins no call by the late end of one that its turn or its attempt left open', () => {
    const retry = {
      update: {
        sessionUpdate: 'session_info_update',
        _meta: { codex: { error: { message: 'stream lost', willRetry: true } } },
      },
    }
    const begun = call('1', { title: 'ls', kind: 'execute' })
    const { fold } = folded(begun)
    fold.end({ usage: undefined })
    fold.begin()
    const late = callUpdate('1', { title: 'ls', kind: 'execute', status: 'completed' }) as Given
    expect(typesOf('update' in late ? fold.update(late.update) : [])).not.toContain('call-started')
    const { events } = folded(begun, retry, late)
    expect(typesOf(events).filter((type) => type === 'call-started')).toHaveLength(1)
  })

  it('waits in no later prompt for a call of Shiplog’s tools that an earlier one left open', () => {
    const { fold } = folded(call('own', { title: 'mcp__shiplog__task_await', kind: 'other' }))
    fold.end({ usage: undefined })
    fold.begin()
    const steps: Given[] = [
      textChunk('I look.'),
      call('1', { title: 'ls', kind: 'execute', status: 'completed' }),
      textChunk('Done.'),
    ]
    const events = steps.flatMap((step) => ('update' in step ? fold.update(step.update) : []))
    expect(typesOf(events).filter((type) => type === 'turn-started')).toHaveLength(2)
  })

  it('asks about another call where a question has the id of one that has ended', () => {
    const { fold } = folded(call('1', { title: 'ls', kind: 'execute', status: 'completed' }))
    const { call: asked, events } = fold.asked({ toolCallId: '1', title: 'rm', kind: 'execute' })
    expect(events).toMatchObject([{ type: 'call-started', title: 'rm' }])
    expect(asked).toMatchObject({ title: 'rm', callId: expect.not.stringMatching(/^1$/) })
  })

  it('keeps the change of an edit when its text follows, and the end of a long output', () => {
    const diff = { type: 'diff', path: '/project/a.ts', oldText: 'a\n', newText: 'b\n' }
    const text = { type: 'content', content: { type: 'text', text: 'Edited.' } }
    const print = (data: string) => callUpdate('t', { _meta: { terminal_output: { data } } })
    const { events } = folded(
      call('e', { title: 'Edit', kind: 'edit', content: [diff] }),
      callUpdate('e', { status: 'completed', content: [text] }),
      call('t', { title: 'make', kind: 'execute' }),
      print('x'.repeat(1_100_000)),
      print('the error'),
      callUpdate('t', { status: 'failed' }),
    )
    const [edited, made] = events.filter(({ type }) => type === 'call-ended')
    expect(edited).toMatchObject({ output: 'Edited.', detail: { path: 'a.ts', additions: 1 } })
    expect(made).toMatchObject({ output: expect.stringMatching(/x{9}the error$/) })
  })

  it('counts a cost in dollars only, and that of an attempt once', () => {
    const cost = (amount: number, currency: string) => ({
      update: { sessionUpdate: 'usage_update', cost: { amount, currency } },
    })
    const { fold } = folded(textChunk('Half'), cost(2, 'USD'), cost(9, 'EUR'), {
      update: {
        sessionUpdate: 'session_info_update',
        _meta: { codex: { error: { message: 'stream lost', willRetry: true } } },
      },
    })
    expect([fold.cost.totalUsd(), fold.cost.uncountedUsd()]).toEqual([2, 0])
  })

  it('distinguishes calls whose long ids differ at their ends', () => {
    const long = 'call-'.repeat(60)
    const { events } = folded(call(`${long}1`, { title: 'a' }), call(`${long}2`, { title: 'b' }))
    const ids = events.flatMap((one) => (one.type === 'call-started' ? [one.callId] : []))
    expect(new Set(ids).size).toBe(2)
  })

  it('keeps a change of mode that the agent made itself', () => {
    const mode = (currentModeId: string) => ({
      update: { sessionUpdate: 'current_mode_update', currentModeId },
    })
    const { events } = folded(mode('asking'), textChunk('x'), mode('asking'), mode('free'))
    expect(events.filter(({ type }) => type === 'foreign')).toHaveLength(1)
  })
})
