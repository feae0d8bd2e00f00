import { streamText } from 'ai'
import { describe, expect, it, onTestFinished } from 'vitest'
import { conversationOf } from '../../../src/main/agents/model/conversation/conversation.ts'
import {
  messagesOf as messagesOfConversation,
  writeData,
} from '../../../src/main/agents/model/conversation/messages.ts'
import { toolDefinitions } from '../../../src/main/agents/model/tool-definitions.ts'
import { repairHistory } from '../../../src/shared/projections/transcript/repair-history.ts'
import type { Entry, EntryBody } from '../../../src/shared/records/entries.ts'
import type { MessagePart } from '../../../src/shared/records/entry-types/messages.ts'
import type { EntryId, TaskId } from '../../../src/shared/records/ids.ts'
import { runIdOf } from '../../../src/shared/records/ids.ts'
import { parseEntry } from '../../../src/shared/records/parse-entry.ts'
import { soakFactor } from '../../crash/effort.ts'
import { startFakeModels } from '../../fake-models/fake-models.ts'
import { providerModel, usualModels } from '../../fake-models/provider-models.ts'
import { say } from '../../fake-models/script.ts'
import { uuidOf } from '../../fixtures/entries/ids.ts'
import { png } from '../../images.ts'
import fc from '../../random.ts'
import { randomHistory } from '../../shared/projections/random-history.ts'
import { breachesOf } from './message-rules.ts'
import { providerOf, wires } from './model-stage.ts'

const messagesOf = (
  entries: Iterable<Entry>,
  options: Parameters<typeof messagesOfConversation>[1],
) => messagesOfConversation(conversationOf(entries), options)

const target = { provider: 'anthropic', model: 'claude-opus-5-5' }
const taskId = uuidOf('messages') as TaskId
const runId = runIdOf(taskId, 1)
const signed = { anthropic: { signature: 'sig' } }

describe('the messages for a provider', () => {
  it('have the result of every call after its turn, in the order of the calls', () => {
    const messages = messagesOf(
      history(
        prompt('Look.'),
        call('m1', 'c1', 'read_file', { path: 'a' }),
        call('m1', 'c2', 'read_file', { path: 'b' }),
        result('m1', 'c2', 'read_file', 'B'),
        result('m1', 'c1', 'read_file', 'A'),
        turn('m1', [text('Reading.'), named('c1', 'read_file'), named('c2', 'read_file')]),
        turn('m2', [text('Done.')]),
        prompt('And now?'),
      ),
      { target },
    )
    expect(messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Look.' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Reading.' },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'read_file', input: { path: 'a' } },
          { type: 'tool-call', toolCallId: 'c2', toolName: 'read_file', input: { path: 'b' } },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c1', toolName: 'read_file', output: said('A') },
          { type: 'tool-result', toolCallId: 'c2', toolName: 'read_file', output: said('B') },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
      { role: 'user', content: [{ type: 'text', text: 'And now?' }] },
    ])
  })

  it('[Q3] mark messages of Shiplog to the agent, even in the history of a later run', () => {
    const [asked, told] = history(prompt('Go.'), prompt('Wrap up now.'))
    if (told?.type !== 'message' || !asked) return expect.unreachable()
    const entries = [asked, { ...told, by: 'shiplog' as const }]
    expect(shape(messagesOf(entries, { target }))).toEqual(['user: Go. [Wrap up now.]'])
  })

  it('[S3] state that the outcome of a call without a result is unknown', () => {
    const messages = messagesOf(
      history(
        prompt('Go.'),
        call('m1', 'c1', 'bash', { command: 'make' }),
        turn('m1', [named('c1', 'bash')], 'interrupted'),
      ),
      { target },
    )
    expect(messages.at(-1)).toMatchObject({
      role: 'tool',
      content: [
        { output: { type: 'error-text', value: expect.stringContaining('not run again') } },
      ],
    })
  })

  it('[S3] treat a call that was repeated to get its outcome as one call', () => {
    const input = { agent: 'explore', title: 'Look', prompt: 'Look.' }
    const messages = messagesOf(
      history(
        prompt('Go.'),
        call('m1', 'c1', 'task', input),
        result('m1', 'c1', 'task', 'Interrupted', 'unknown'),
        turn('m1', [text('Asking.'), named('c1', 'task')], 'interrupted'),
        call('m2', 'c1', 'task', input),
        result('m2', 'c1', 'task', 'Its report'),
        turn('m2', [named('c1', 'task')]),
        turn('m3', [text('Good.')]),
      ),
      { target },
    )
    expect(shape(messages)).toEqual([
      'user: Go.',
      'assistant: Asking. task#c1',
      'tool: c1=Its report',
      'assistant: Good.',
      'user: [Continue from here.]',
    ])
  })

  it('omit a repeated attempt, and an abandoned branch', () => {
    const messages = messagesOf(
      history(
        prompt('Go.'),
        turn('m1', [text('Half an ans')], 'superseded'),
        { type: 'fork-start', forkId: uuidOf('fork') as EntryId },
        prompt('Elsewhere.'),
        { type: 'fork-end', forkId: uuidOf('fork') as EntryId },
        turn('m2', [text('An answer.')]),
      ),
      { target },
    )
    expect(shape(messages)).toEqual([
      'user: Go.',
      'assistant: An answer.',
      'user: [Continue from here.]',
    ])
  })

  it('continue after a session that ended within a branch', () => {
    const entries = [
      ...history(
        prompt('Go.'),
        { type: 'fork-start', forkId: uuidOf('fork') as EntryId },
        prompt('Elsewhere.'),
      ),
      ...history(prompt('Again.'), turn('m1', [text('An answer.')]), prompt('Next.')),
    ]
    expect(shape(messagesOf(entries, { target }))).toEqual([
      'user: Go. Again.',
      'assistant: An answer.',
      'user: Next.',
    ])
  })

  it('replace compacted entries by their summary, including those of earlier sessions', () => {
    const entries = [
      ...history(
        prompt('Long ago.'),
        turn('m0', [text('Yes.')]),
        // Its place in its own session is behind what is kept of the next one.
        prompt('And then?'),
        turn('m1', [text('Yes, too.')]),
      ),
      ...history(
        prompt('Later.'),
        turn('m2', [text('Much talk.')]),
        prompt('Kept.'),
        turn('m3', [text('Kept too.')]),
        { type: 'compaction', runId, summary: 'They talked.', keptFromSeq: 3 },
        prompt('Next.'),
      ),
    ]
    expect(shape(messagesOf(entries, { target }))).toEqual([
      'user: [The conversation so far is replaced by this summary of it.]\n\nThey talked. Kept.',
      'assistant: Kept too.',
      'user: Next.',
    ])
  })

  it('have a new id for a call whose id another call had', () => {
    const entries = history(
      prompt('Go.'),
      call('m1', 'call_0', 'bash', { command: 'a' }),
      result('m1', 'call_0', 'bash', 'A'),
      turn('m1', [named('call_0', 'bash')]),
      call('m2', 'call_0', 'bash', { command: 'b' }),
      result('m2', 'call_0', 'bash', 'B'),
      turn('m2', [named('call_0', 'bash')]),
      call('m3', 'functions.bash:0 é', 'bash', { command: 'c' }),
      result('m3', 'functions.bash:0 é', 'bash', 'C'),
      turn('m3', [named('functions.bash:0 é', 'bash')]),
    )
    const messages = messagesOf(entries, { target })
    expect(breachesOf(messages)).toEqual([])
    expect(shape(messages).slice(1)).toEqual([
      'assistant: bash#call_0',
      'tool: call_0=A',
      'assistant: bash#call_2_again',
      'tool: call_2_again=B',
      'assistant: bash#call_3',
      'tool: call_3=C',
    ])
    expect(messagesOf(entries, { target })).toEqual(messages)
  })

  describe('[G3] the data that a provider expects back', () => {
    const thinking = (of = target): MessagePart => ({
      type: 'reasoning',
      text: 'Hm.',
      providerData: writeData(of, signed, 'Hm.'),
    })
    const asked = (parts: MessagePart[]) => history(prompt('Go.'), turn('m1', parts))

    it('is sent to the same provider and model only', () => {
      const whole = {
        role: 'assistant',
        content: [expect.anything(), { type: 'text', text: 'A.' }],
      }
      const parts = [thinking(), text('A.')]
      expect(messagesOf(asked(parts), { target })[1]).toMatchObject(whole)
      expect(messagesOf(asked(parts), { target })[1]).toHaveProperty('content.0', {
        type: 'reasoning',
        text: 'Hm.',
        providerOptions: signed,
      })
      for (const other of [
        { ...target, model: 'claude-sonnet-4-5' },
        { ...target, provider: 'anthropic http://127.0.0.1:1/v1' },
      ])
        expect(messagesOf(asked(parts), { target: other })[1]).toEqual({
          role: 'assistant',
          content: [{ type: 'text', text: 'A.' }],
        })
    })

    it('is omitted with all calls of the turn if the record of it is changed or partial', () => {
      const masked = { ...thinking(), text: 'H***' } as MessagePart
      const entries = history(
        prompt('Go.'),
        call('m1', 'c1', 'bash', { command: 'ls' }),
        result('m1', 'c1', 'bash', 'a.txt'),
        turn('m1', [masked, thinking(), named('c1', 'bash')]),
      )
      expect(shape(messagesOf(entries, { target }))).toEqual([
        expect.stringMatching(
          /^user: Go\. \[You were interrupted .*bash \{"command":"ls"\}\na\.txt$/s,
        ),
      ])
      const other = { ...target, model: 'another' }
      expect(shape(messagesOf(entries, { target: other }))).toEqual([
        'user: Go.',
        'assistant: bash#c1',
        'tool: c1=a.txt',
      ])
    })

    it('is not required for reasoning alone', () => {
      expect(shape(messagesOf(asked([thinking()]), { target }))).toEqual(['user: Go.'])
    })
  })

  it('repeats the calls of a turn whose message was lost', () => {
    const entries = history(
      prompt('Go.'),
      call('m1', 'c1', 'bash', { command: 'ls' }),
      result('m1', 'c1', 'bash', 'a.txt'),
    )
    const [only, ...more] = shape(messagesOf(entries, { target }))
    expect(more).toEqual([])
    expect(only).toContain('bash {"command":"ls"}\na.txt')
  })

  it('includes images of the record, and states where one is missing', () => {
    const image = (sha256: string): MessagePart => ({
      type: 'image',
      mediaType: 'image/png',
      sha256,
      bytes: 3,
    })
    const kept = 'a'.repeat(64)
    const entries = history({ ...prompt('See.'), parts: [image(kept), image('b'.repeat(64))] })
    const imageOf = (sha256: string) => (sha256 === kept ? new Uint8Array([1, 2, 3]) : null)
    expect(messagesOf(entries, { target, imageOf })).toEqual([
      {
        role: 'user',
        content: [
          { type: 'file', mediaType: 'image/png', data: new Uint8Array([1, 2, 3]) },
          { type: 'text', text: '[an image (image/png) that is not shown to you]' },
        ],
      },
    ])
  })

  it('omits a text of spaces from a result with images', () => {
    const images = [{ mediaType: 'image/png', sha256: 'a'.repeat(64), bytes: 3 }] as const
    const entries = history(
      prompt('Go.'),
      call('m1', 'c1', 'read_file', { path: 'a.png' }),
      { ...result('m1', 'c1', 'read_file', ' \n'), images: [...images] } as Body,
      turn('m1', [named('c1', 'read_file')]),
    )
    const anthropic = { provider: 'anthropic', model: 'claude-opus-5-5' }
    const [, , told] = messagesOf(entries, { target: anthropic, imageOf: () => png })
    expect(told).toMatchObject({
      content: [{ output: { type: 'content', value: [{ mediaType: 'image/png' }] } }],
    })
  })

  it('[G5] breaks no rule of a provider, whatever the record holds', () => {
    fc.assert(
      fc.property(fc.array(randomHistory, { minLength: 1, maxLength: 3 }), (sessions) => {
        const imageOf = () => png
        expect(breachesOf(messagesOf(sessions.flat(), { target, imageOf }))).toEqual([])
      }),
      { numRuns: 1_000 * soakFactor },
    )
  })

  it.each(wires)(
    '[G5] the service on the wire %s accepts the messages of any record',
    async (wire) => {
      const fake = await startFakeModels({ script: () => [say('Yes.')] })
      onTestFinished(() => fake.stop())
      const model = providerModel(fake, wire)
      const to = { provider: providerOf[wire], model: usualModels[wire].id }
      // Some are not kept any more.
      const imageOf = (sha256: string) => (sha256.startsWith('0') ? null : png)
      await fc.assert(
        fc.asyncProperty(
          fc.array(randomHistory, { minLength: 1, maxLength: 2 }),
          async (sessions) => {
            const { stream } = streamText({
              model,
              messages: messagesOf(sessions.flat(), { target: to, imageOf }),
              maxRetries: 0,
              tools: toolDefinitions({ has: () => true, agents: [] }),
              providerOptions: usualModels[wire].providerOptions,
              onError: () => undefined,
            })
            for await (const part of stream) expect(part).not.toHaveProperty('error')
            expect(fake.refused).toEqual([])
          },
        ),
        { numRuns: 60 * soakFactor },
      )
    },
  )

  it('[G5] breaks no rule after a history was repaired', async () => {
    await fc.assert(
      fc.asyncProperty(randomHistory, fc.integer({ min: 0, max: 60 }), async (entries, cut) => {
        const cutShort = entries.slice(0, cut)
        const repaired: Entry[] = []
        const unanswered = new Set(
          cutShort.filter(({ type }) => type === 'tool-call').map(({ seq }) => seq),
        )
        for await (const entry of repairHistory(cutShort, unanswered)) repaired.push(entry)
        expect(breachesOf(messagesOf(repaired, { target }))).toEqual([])
      }),
      { numRuns: 300 * soakFactor },
    )
  })

  it('does not send half a character', () => {
    const entries = history(
      prompt('a\ud800b'),
      call('m1', 'c1', 'bash', { 'k\udc00': ['\ud800'] }),
      result('m1', 'c1', 'bash', '\udfff'),
      turn('m1', [text('\ud800'), named('c1', 'bash')]),
    )
    expect(JSON.stringify(messagesOf(entries, { target }))).not.toMatch(/\\ud[89a-f]/)
  })
})

type Body = EntryBody & { uuid?: string }

function history(...bodies: Body[]): Entry[] {
  return bodies.map((body, index) => {
    const stamp = { v: 1, seq: index + 1, at: 1_000 + index, parentUuid: null }
    const entry = parseEntry(
      JSON.parse(JSON.stringify({ ...stamp, uuid: uuidOf(`${index} of ${body.type}`), ...body })),
    )
    if (entry.type === 'unknown') throw new Error(entry.reason)
    return entry
  })
}

const text = (said: string): MessagePart => ({ type: 'text', text: said })
const named = (callId: string, name: string) => ({ type: 'tool-call', callId, name }) as MessagePart
const said = (value: string) => ({ type: 'text', value })

const messageOf = (role: 'user' | 'assistant', parts: MessagePart[]) => ({
  type: 'message' as const,
  role,
  parts,
  cwd: '/w',
  timestamp: '2026-11-21T12:00:00.000Z',
  gitBranch: null,
  sessionId: taskId,
  runId,
  turn: null,
  status: 'complete' as const,
})

const prompt = (asked: string) => messageOf('user', [text(asked)])

const turn = (
  uuid: string,
  parts: MessagePart[],
  status: 'complete' | 'interrupted' | 'superseded' = 'complete',
): Body => ({ ...messageOf('assistant', parts), uuid: uuidOf(uuid), turn: 1, status }) as Body

const call = (messageUuid: string, callId: string, name: string, input: unknown): Body =>
  ({
    type: 'tool-call',
    messageUuid: uuidOf(messageUuid),
    runId,
    turn: 1,
    callId,
    name,
    input,
  }) as Body

const result = (
  messageUuid: string,
  callId: string,
  name: string,
  output: string,
  outcome = 'ok',
): Body =>
  ({
    type: 'tool-result',
    messageUuid: uuidOf(messageUuid),
    runId,
    turn: 1,
    callId,
    name,
    outcome,
    output,
    durationMs: 1,
  }) as Body

/** One line a message. */
function shape(messages: ReturnType<typeof messagesOf>): string[] {
  return messages.map(({ role, content }) => {
    const parts = typeof content === 'string' ? [] : content
    const words = parts.map((part) => {
      if (part.type === 'text') return part.text
      if (part.type === 'tool-call') return `${part.toolName}#${part.toolCallId}`
      if (part.type === 'tool-result')
        return `${part.toolCallId}=${(part.output as { value: string }).value}`
      return part.type
    })
    return `${role}: ${words.join(' ')}`
  })
}
