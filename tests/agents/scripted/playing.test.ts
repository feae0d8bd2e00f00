import { describe, expect, it } from 'vitest'
import { noUsage } from '../../../src/shared/records/usage.ts'
import { failing } from '../../runs/played-agent.ts'
import { createStage, oneAgent } from './stage.ts'

const bash = (command: string) => `- call: bash\n  with: { command: ${JSON.stringify(command)} }\n`

describe('playing a scenario', () => {
  it('plays each turn as one message with its calls', async () => {
    const stage = createStage(
      oneAgent(
        `- think: First.\n- steps:\n    - say: Second.\n    - call: task_list\n    - say: Third.\n${bash('ls')}`,
      ),
    )
    const { events, calls, turns } = await stage.run()
    expect(events.map(({ type }) => type)).toEqual([
      'turn-started',
      'part-delta',
      'turn-ended',
      'turn-started',
      'part-delta',
      'part-delta',
      'turn-ended',
      'turn-started',
      'turn-ended',
    ])
    expect(turns).toEqual(['First.', 'Second.Third.', ''])
    expect(calls.map(({ name, input }) => [name, input])).toEqual([
      ['task_list', {}],
      ['bash', { command: 'ls' }],
    ])
    const [, second] = stage.entries.filter(
      (entry) => entry.type === 'message' && entry.role === 'assistant',
    )
    expect(second).toMatchObject({
      parts: [{ text: 'Second.' }, { name: 'task_list' }, { text: 'Third.' }],
    })
  })

  it('streams a text in small pieces that add up to it', async () => {
    const text = `  One two  three\n\n- four five six seven\n${'word '.repeat(400)}`
    const { events, turns } = await createStage(oneAgent(`- say: ${JSON.stringify(text)}\n`)).run()
    expect(turns).toEqual([text])
    const pieces = events.filter(({ type }) => type === 'part-delta')
    expect(pieces.length).toBeGreaterThan(20)
    expect(pieces.length).toBeLessThanOrEqual(120)
  })

  it('makes paragraphs of consecutive texts', async () => {
    const stage = createStage(
      oneAgent('- steps:\n    - say: One.\n    - say: Two.\n    - think: Three.\n'),
    )
    await stage.run()
    expect(stage.entries.at(-1)).toMatchObject({
      parts: [
        { type: 'text', text: 'One.\n\nTwo.' },
        { type: 'reasoning', text: 'Three.' },
      ],
    })
  })

  it('replaces the four placeholders everywhere, once, and nothing else', async () => {
    const stage = createStage(
      oneAgent(`- say: "{{prompt}} in {{cwd}} as {{taskId}}: {{last.output}}{{other}} {{ prompt }}"
- call: bash
  with: { command: "echo {{cwd}}" }
- think: "It said {{last.output}}"
- call: task
  with: { agent: lead, title: "For {{prompt}}", prompt: "{{last.output}}", taskResults: { a: ["{{cwd}}", 1] } }
- report: { title: "{{prompt}}", markdown: "{{last.output}}" }
`),
    )
    const { turns, calls } = await stage.run({
      prompt: 'Fix {{cwd}}',
      answer: ({ name }) => ({
        outcome: 'ok',
        output: `<${name} {{prompt}}>`,
        endsRun: name === 'agent_report',
      }),
    })
    expect(turns[0]).toBe(`Fix {{cwd}} in /work as ${stage.taskId}: {{other}} {{ prompt }}`)
    expect(turns[2]).toBe('It said <bash {{prompt}}>')
    expect(calls.map(({ input }) => input)).toEqual([
      { command: 'echo /work' },
      {
        agent: 'lead',
        title: 'For Fix {{cwd}}',
        prompt: '<bash {{prompt}}>',
        taskResults: { a: ['/work', 1] },
      },
      { title: 'Fix {{cwd}}', markdown: '<task {{prompt}}>' },
    ])
  })

  it('continues after a tool that failed', async () => {
    const stage = createStage(oneAgent(`${bash('false')}- say: "It said {{last.output}}"\n`))
    const { turns, error } = await stage.run({
      answer: () => ({ outcome: 'error', output: '[exit code 1]' }),
    })
    expect(error).toBeNull()
    expect(turns).toEqual(['', 'It said [exit code 1]'])
  })

  it('ends with a report, and continues after it at the next prompt', async () => {
    const stage = createStage(
      oneAgent('- report: { title: t, markdown: m }\n- say: "You said {{prompt}}"\n'),
    )
    const first = await stage.run()
    expect(first.calls.map(({ name, input }) => [name, input])).toEqual([
      ['agent_report', { title: 't', markdown: 'm' }],
    ])
    expect(first.events.at(-1)).toEqual({ type: 'turn-ended', usage: noUsage })
    expect((await stage.run({ prompt: 'more' })).turns).toEqual(['You said more'])
  })

  it('fails by its own step', async () => {
    const stage = createStage(oneAgent('- fail: "Can\'t {{prompt}}"\n- say: never\n'))
    const { events } = await stage.run({ prompt: 'fly' })
    expect(events).toEqual([
      { type: 'turn-started' },
      { type: 'turn-ended', usage: noUsage },
      failing("Can't fly"),
    ])
  })

  it('continues after a failure on a retry', async () => {
    const stage = createStage(oneAgent('- fail: Not now.\n- say: Now.\n'))
    await stage.run()
    expect((await stage.run()).turns).toEqual(['Now.'])
  })

  it('states that it has no turns left', async () => {
    const stage = createStage(oneAgent('- say: All I know.\n'))
    await stage.run()
    expect((await stage.run()).turns).toEqual(['This scenario has no turns left.'])
    expect((await stage.run()).turns).toEqual(['This scenario has no turns left.'])
  })

  it('fails again when it is retried with no turns left, and answers a follow-up', async () => {
    const stage = createStage(oneAgent('- fail: Not now.\n'))
    await stage.run()
    const over = 'This scenario has no turns left.'
    const retry = await stage.run({ prompt: '' })
    expect(retry.turns).toEqual([over])
    expect(retry.events.at(-1)).toEqual(failing(over))
    const followUp = await stage.run({ prompt: 'And now?' })
    expect(followUp.turns).toEqual([over])
    expect(followUp.events.at(-1)).toMatchObject({ type: 'turn-ended' })
  })

  it('waits', async () => {
    const startedAt = performance.now()
    await createStage(oneAgent('- wait: 120ms\n')).run()
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(115)
  })

  it.each([
    ['a wait', '- wait: 1h\n'],
    ['a text', `- say: ${'word '.repeat(2000)}\n`],
  ])('stops inside %s when it is interrupted, with the reason', async (_, turns) => {
    const abort = new AbortController()
    const reason = new Error('stopped by the user')
    setTimeout(() => abort.abort(reason), 50)
    const { error, events } = await createStage(oneAgent(turns)).run({ signal: abort.signal })
    expect(error).toBe(reason)
    expect(events.map(({ type }) => type)).not.toContain('turn-ended')
  })

  it('runs the requested agent, and knows no others', async () => {
    const two = `${oneAgent('- say: lead\n')}  helper: { turns: [{ say: helper }] }\n`
    expect((await createStage(two).run({ agent: 'helper' })).turns).toEqual(['helper'])
    await expect(createStage(two).run({ agent: 'ghost' })).rejects.toThrow('no agent ghost')
  })
})
