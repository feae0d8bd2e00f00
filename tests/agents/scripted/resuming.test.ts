import { describe, expect, it } from 'vitest'
import { newEntryId, newToolCallId } from '../../../src/shared/records/ids.ts'
import { type AnswerCall, Crash, createStage, oneAgent, type Stage } from './stage.ts'

const turn = (...steps: string[]) =>
  oneAgent(`- steps:\n${steps.map((step) => `    - ${step}\n`).join('')}- say: The next turn.\n`)
const bash = (command: string) => `{ call: bash, with: { command: ${command} } }`
const task = '{ call: task, with: { agent: lead, title: Help, prompt: Help me } }'

const ok: AnswerCall = ({ name, input }) => ({
  outcome: 'ok',
  output: `ran ${(input as { command?: string }).command ?? name}`,
  endsRun: name === 'agent_report',
})
/** Dies while the n-th call of the task is under way. */
const crashAt =
  (n: number): AnswerCall =>
  (call, count) => {
    if (count === n) throw new Crash()
    return ok(call, count)
  }
const commands = (calls: { input: unknown }[]) =>
  calls.map(({ input }) => (input as { command: string }).command)

describe('resuming a scenario', () => {
  it('continues with the turn after the last completed one', async () => {
    const stage = createStage(
      oneAgent(
        `- say: One.\n- ${bash('two')}\n- ${bash('three')}\n- say: "Four, after {{last.output}}"\n`,
      ),
    )
    const abort = new AbortController()
    let ended = 0
    await stage.run({
      answer: ok,
      signal: abort.signal,
      onEvent: ({ type }) => {
        if (type === 'turn-ended' && ++ended === 3) abort.abort(new Crash())
      },
    })
    const second = await stage.run({ answer: ok })
    expect(second.calls).toEqual([])
    expect(second.turns).toEqual(['Four, after ran three'])
  })

  it('does not repeat steps with a recorded result, errors included', async () => {
    const stage = createStage(
      turn(bash('one'), bash('two'), bash('three'), 'say: "Last: {{last.output}}"'),
    )
    await stage.run({
      answer: (call, count) => {
        if (count === 3) throw new Crash()
        return count === 1 ? { outcome: 'error', output: 'failed' } : ok(call, count)
      },
    })
    stage.entries.push(unknownResult(stage))
    const second = await stage.run({ answer: ok })
    expect(second.calls).toEqual([])
    expect(second.turns[0]).toContain('`bash` (three)')
    expect(second.turns[1]).toBe('The next turn.')
  })

  it('[S3] says that an outcome is unknown and moves on, whether or not the record says unknown', async () => {
    for (const recorded of [true, false]) {
      const stage = createStage(turn('say: Begin.', bash('one'), bash('two'), 'say: End.'))
      await stage.run({ answer: crashAt(1) })
      if (recorded) stage.entries.push(unknownResult(stage))
      const second = await stage.run({ answer: ok })
      expect(commands(second.calls)).toEqual(['two'])
      expect(second.turns[0]).not.toContain('Begin.')
      expect(second.turns[0]).toMatch(/can't tell how it ended.*End\.$/s)
      expect(second.turns[1]).toBe('The next turn.')
    }
  })

  it('says it once, after any number of interruptions', async () => {
    const stage = createStage(turn(bash('one'), 'say: Middle.', bash('two'), bash('three')))
    await stage.run({ answer: crashAt(1) })
    await stage.run({ answer: crashAt(2) })
    const third = await stage.run({ answer: ok })
    expect(commands(stage.calls)).toEqual(['one', 'two', 'three'])
    expect(third.turns[0]).not.toContain('(one)')
    expect(third.turns[0]).toContain('(two)')
    expect(third.turns[0]).not.toContain('Middle.')
  })

  it('[S3] asks again for sub-agents and their reports, under the same call id', async () => {
    const stage = createStage(turn(task, '{ call: task_await, with: { tasks: all } }', bash('one')))
    await stage.run({ answer: crashAt(1) })
    const second = await stage.run({ answer: crashAt(3) })
    expect(second.calls.map(({ name }) => name)).toEqual(['task', 'task_await'])
    const ids = stage.entries.flatMap((entry) => (entry.type === 'tool-call' ? [entry.callId] : []))
    expect(second.calls[0]?.callId).toBe(ids[0])
    const third = await stage.run({ answer: ok })
    expect(third.calls.map(({ name, callId }) => [name, callId])).toEqual([
      ['task_await', ids[2]],
      ['bash', undefined],
    ])
  })

  it('knows a sub-agent that was asked for again under another id', async () => {
    const stage = createStage(turn(task, bash('one')))
    await stage.run({ answer: crashAt(1) })
    const known = stage.entries.findLast((entry) => entry.type === 'tool-call')
    await stage.run({ answer: crashAt(3) })
    // As if the services had given the repeated call an id of its own.
    const fresh = newToolCallId()
    for (const entry of stage.entries.slice(stage.entries.indexOf(known as never) + 1)) {
      if ('callId' in entry && entry.callId === known?.callId) entry.callId = fresh
      if (entry.type === 'message')
        for (const part of entry.parts)
          if (
            part.type === 'tool-call' &&
            part.callId === known?.callId &&
            entry.uuid !== known.messageUuid
          )
            part.callId = fresh
    }
    const third = await stage.run({ answer: ok })
    expect(third.calls).toEqual([])
    expect(third.turns[0]).toContain('(one)')
  })

  it('reports again if it was interrupted in the report', async () => {
    const stage = createStage(oneAgent('- report: { title: t, markdown: m }\n'))
    await stage.run({ answer: crashAt(1) })
    const second = await stage.run({ answer: ok })
    expect(second.calls.map(({ name }) => name)).toEqual(['agent_report'])
  })

  it('ends the run if the report was recorded and only its turn was cut short', async () => {
    const stage = createStage(oneAgent('- report: { title: t, markdown: m }\n- say: never\n'))
    const abort = new AbortController()
    await stage.run({
      signal: abort.signal,
      answer: (call, count) => {
        const result = ok(call, count)
        return { ...result, endsRun: false }
      },
      onEvent: () => {},
    })
    const message = stage.entries.findIndex(
      (entry) => entry.type === 'message' && entry.role === 'assistant',
    )
    stage.entries.splice(message)
    const second = await stage.run({ answer: ok })
    expect(second.calls).toEqual([])
    expect(second.turns).toHaveLength(1)
  })

  it('does not repeat its text, and finishes a text that was cut off', async () => {
    const words = Array.from({ length: 60 }, (_, i) => `word${i}`).join(' ')
    const stage = createStage(turn('think: Thought.', 'say: First.', `say: ${words}`, 'say: Last.'))
    const abort = new AbortController()
    let said = ''
    const first = await stage.run({
      signal: abort.signal,
      onEvent: (event) => {
        if (event.type === 'part-delta' && event.kind === 'text') said += event.text
        if (said.includes('word20')) abort.abort(new Crash())
      },
    })
    const second = await stage.run()
    expect(second.turns[1]).toBe('The next turn.')
    const whole = `Thought.First.\n\n${words}\n\nLast.`
    expect(`${first.turns[0]}${second.turns[0]}`).toBe(whole)
  })

  it('finishes it over three interruptions', async () => {
    const words = Array.from({ length: 60 }, (_, i) => `word${i}`).join(' ')
    const stage = createStage(turn(`say: ${words}`, 'say: Last.'))
    let all = ''
    for (const until of ['word9 ', 'word25 ', 'word40 ', 'never']) {
      const abort = new AbortController()
      await stage.run({
        signal: abort.signal,
        onEvent: (event) => {
          if (event.type === 'part-delta' && event.kind === 'text') all += event.text
          if (all.includes(until)) abort.abort(new Crash())
        },
      })
    }
    expect(all).toBe(`${words}\n\nLast.The next turn.`)
  })

  it('repeats text that the record has lost, but never calls', async () => {
    const stage = createStage(turn('say: Begin.', bash('one'), bash('two'), 'say: End.'))
    await stage.run({ answer: crashAt(2), loseMessage: true })
    const second = await stage.run({ answer: ok })
    expect(second.calls).toEqual([])
    expect(second.turns[0]).toMatch(/^Begin\..*\(two\).*End\.$/s)
  })

  it('starts a wait again, unless a later step was begun', async () => {
    const stage = createStage(turn('wait: 1h', bash('one')))
    const abort = new AbortController()
    setTimeout(() => abort.abort(new Crash()), 30)
    await stage.run({ signal: abort.signal })
    const again = new AbortController()
    setTimeout(() => again.abort(new Crash()), 30)
    expect((await stage.run({ signal: again.signal })).calls).toEqual([])

    const passed = createStage(turn('wait: 1ms', bash('one'), bash('two')))
    await passed.run({ answer: crashAt(2) })
    // Waiting again would take longer than any test may.
    const longer = createStage(turn('wait: 1h', bash('one'), bash('two')), passed)
    expect((await longer.run({ answer: ok })).turns[0]).toContain('(two)')
    expect(longer.calls).toEqual([])
  })

  it('completes a turn without remaining steps, so that it counts', async () => {
    const stage = createStage(turn(bash('one')))
    await stage.run({ answer: ok })
    // The power went before the message was written.
    const lost = stage.entries.findIndex((entry) => entry.type === 'message' && entry.turn !== null)
    stage.entries.splice(lost)
    const second = await stage.run({ answer: ok })
    expect(second.calls).toEqual([])
    expect(second.turns).toEqual([
      'All of this turn had been done before the interruption.',
      'The next turn.',
    ])
    expect((await stage.run({ answer: ok })).turns).toEqual(['This scenario has no turns left.'])
  })

  it('continues a turn with another prompt without doing anything twice', async () => {
    const stage = createStage(turn('say: "For {{prompt}}"', bash('one'), bash('two')))
    await stage.run({ prompt: 'this', answer: crashAt(2) })
    const second = await stage.run({ prompt: 'that', answer: ok })
    expect(second.calls).toEqual([])
    expect(second.turns[0]).not.toContain('For')
  })

  it('uses the recorded prompt if it is resumed without one', async () => {
    const stage = createStage(oneAgent(`- ${bash('one')}\n- say: "For {{prompt}}"\n`))
    await stage.run({ prompt: 'the parser', answer: crashAt(1) })
    const second = await stage.run({ prompt: '', answer: ok })
    expect(second.turns[1]).toBe('For the parser')
  })
})

/** What a start writes for a call that has no result. */
function unknownResult(stage: Stage): Stage['entries'][number] {
  const call = stage.entries.findLast((entry) => entry.type === 'tool-call')
  if (!call) throw new Error('no call')
  const { v, at, parentUuid, messageUuid, runId, turn, callId, name } = call
  const place = { v, at, parentUuid, messageUuid, runId, turn, callId, name }
  return {
    ...place,
    type: 'tool-result',
    seq: stage.entries.length + 1,
    uuid: newEntryId(),
    outcome: 'unknown',
    output: 'The outcome is unknown.',
    durationMs: 0,
  }
}
