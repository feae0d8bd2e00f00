/** Whatever an agent sends, in whatever order: the journal has all of it, in its order, and nothing twice. */
import { expect, it } from 'vitest'
import { createUpdateFold } from '../../../src/main/agents/acp/updates/updates.ts'
import type { AgentEvent } from '../../../src/shared/agents/driver/agent-events.ts'
import type { Entry } from '../../../src/shared/records/entries.ts'
import { type AgentScript, ended, type Step } from '../../acp-agent/script.ts'
import fc from '../../random.ts'
import { itInSoak } from '../../soak.ts'
import { acpStage } from './acp-stage.ts'

type Update = Record<string, unknown> & { sessionUpdate: string }

const ids = ['c1', 'c2', 'c3', 'c4']
const speech = (sessionUpdate: string) =>
  fc
    .record({
      words: fc.stringMatching(/^[a-z]{1,6} $/),
      messageId: fc.constantFrom('m1', 'm2', undefined),
    })
    .map(
      ({ words, messageId }): Update => ({
        sessionUpdate,
        content: { type: 'text', text: words },
        ...(messageId !== undefined && { messageId }),
      }),
    )
const ofCall = fc
  .record({
    sessionUpdate: fc.constantFrom('tool_call', 'tool_call_update'),
    toolCallId: fc.constantFrom(...ids),
    status: fc.constantFrom('pending', 'in_progress', 'completed', 'failed', undefined),
    title: fc.constantFrom('ls', 'cat a', undefined),
    kind: fc.constantFrom('execute', 'read', undefined),
    output: fc.constantFrom('one', 'two', undefined),
  })
  .map(
    ({ status, title, kind, output, ...rest }): Update => ({
      ...rest,
      ...(status !== undefined && { status }),
      ...(title !== undefined && { title }),
      ...(kind !== undefined && { kind }),
      ...(output !== undefined && { rawOutput: output }),
    }),
  )
const unknown = fc.nat(99).map((n): Update => ({ sessionUpdate: 'from_the_future', n }))
const sequence = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: speech('agent_message_chunk') },
    { weight: 2, arbitrary: speech('agent_thought_chunk') },
    { weight: 6, arbitrary: ofCall },
    { weight: 1, arbitrary: unknown },
  ),
  { maxLength: 40 },
)

/** What was said, how each call ended, in their order, and what is kept as it is. */
interface Content {
  text: string
  reasoning: string
  calls: string[]
  foreign: unknown[]
}

const nothing = (): Content => ({ text: '', reasoning: '', calls: [], foreign: [] })

function sentBy(updates: readonly Update[]): Content {
  const content = nothing()
  /** The newest call of each id, in which turn it ended, and what was said of it last. */
  const last = new Map<string, { index: number; turn: number; fields: Record<string, unknown> }>()
  let turn = 1
  let turnHasCalls = false
  let part = ''
  for (const update of updates) {
    const { sessionUpdate, toolCallId, ...fields } = update
    const said = (update.content as { text: string } | undefined)?.text ?? ''
    const isCalling = [...last.values()].some(({ index }) => content.calls[index] === 'unknown')
    if (said !== '') {
      const next = `${sessionUpdate} ${update.messageId}`
      // What follows the results of calls is the next turn.
      if (turnHasCalls && !isCalling && part !== next) {
        turn++
        turnHasCalls = false
      }
      part = next
    }
    if (sessionUpdate === 'agent_message_chunk') content.text += said
    else if (sessionUpdate === 'agent_thought_chunk') content.reasoning += said
    else if (typeof toolCallId !== 'string') content.foreign.push(update)
    else {
      const { status } = fields
      const isOver = status === 'completed' || status === 'failed'
      const known = last.get(toolCallId)
      const hasEnded = known !== undefined && content.calls[known.index] !== 'unknown'
      // Some agents give an id to a second call; else it is late.
      const isAgain = sessionUpdate === 'tool_call' && !(isOver && known?.turn === turn)
      if (hasEnded && !isAgain) {
        const isNew = Object.entries(fields).some(([name, value]) => known.fields[name] !== value)
        if (isNew) content.foreign.push(update)
        continue
      }
      const isNew = !known || hasEnded
      const call = isNew ? { index: content.calls.push('unknown') - 1, turn, fields: {} } : known
      if (isNew) part = ''
      turnHasCalls ||= isNew
      Object.assign(call.fields, fields)
      last.set(toolCallId, call)
      if (!isOver) continue
      content.calls[call.index] = status === 'failed' ? 'error' : 'ok'
      call.turn = turn
    }
  }
  return content
}

/** The position of the newest call of each id, in events or entries. */
function callsOf(content: Content) {
  const places = new Map<string, number>()
  return {
    began: (id: string) => places.set(id, content.calls.push('unknown') - 1),
    ended(id: string, outcome: string) {
      const place = places.get(id) ?? -1
      expect(content.calls[place]).toBe('unknown')
      content.calls[place] = outcome
    },
    has: (id: string) => places.has(id),
  }
}

function eventsAsContent(events: readonly AgentEvent[]): Content {
  const content = nothing()
  const calls = callsOf(content)
  for (const event of events)
    if (event.type === 'part-delta' && (event.kind === 'text' || event.kind === 'reasoning'))
      content[event.kind] += event.text
    else if (event.type === 'call-started') calls.began(event.callId)
    else if (event.type === 'call-ended') calls.ended(event.callId, event.outcome)
    else if (event.type === 'foreign') content.foreign.push(event.content)
  return content
}

function entriesAsContent(entries: readonly Entry[]): Content {
  const content = nothing()
  const calls = callsOf(content)
  for (const entry of entries)
    if (entry.type === 'message' && entry.role === 'assistant') {
      for (const part of entry.parts)
        if (part.type === 'text' || part.type === 'reasoning') content[part.type] += part.text
    } else if (entry.type === 'tool-call') {
      expect(calls.has(entry.callId)).toBe(false)
      calls.began(entry.callId)
    } else if (entry.type === 'tool-result') calls.ended(entry.callId, entry.outcome)
    else if (entry.type === 'foreign') content.foreign.push(entry.content)
  return content
}

it('become events without loss or duplicate', () => {
  fc.assert(
    fc.property(sequence, (updates) => {
      const fold = createUpdateFold({ source: 'acp:test', cwd: '/' })
      fold.begin()
      const events = [
        ...fold.openTurn(),
        ...updates.flatMap(fold.update),
        ...fold.end({ usage: undefined }),
      ]
      expect(eventsAsContent(events)).toEqual(sentBy(updates))
    }),
    { numRuns: 500 },
  )
})

itInSoak('is what the journal holds after a whole run', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(sequence, async (updates) => {
      const { run, entries } = await acpStage()
      const steps = updates.map((update): Step => ({ update }))
      const script: AgentScript = { prompts: [[...steps, ended()]] }
      await run(script)
      expect(entriesAsContent(await entries())).toEqual(sentBy(updates))
    }),
    { numRuns: 60 },
  )
})
