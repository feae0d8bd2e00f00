import { describe, expect, it } from 'vitest'
import { withPartial, withProgress } from '../../../src/shared/projections/transcript/live-items.ts'
import { foldEntries } from '../../../src/shared/projections/transcript/transcript.ts'
import { emptyTranscript } from '../../../src/shared/projections/transcript/transcript-fold.ts'
import type { TranscriptItem } from '../../../src/shared/projections/transcript/transcript-items.ts'
import type { Entry, EntryBody } from '../../../src/shared/records/entries.ts'
import type { PartialMessage } from '../../../src/shared/records/entry-types/messages.ts'
import {
  type EntryId,
  newEntryId,
  newTaskId,
  runIdOf,
  type ToolCallId,
} from '../../../src/shared/records/ids.ts'
import { parseEntry } from '../../../src/shared/records/parse-entry.ts'
import { seed } from '../../crash/effort.ts'
import fc from '../../random.ts'
import { randomHistory } from './random-history.ts'

const sessionId = newTaskId()
const runId = runIdOf(sessionId, 1)
const callId = 'call-1' as ToolCallId

function entries(...bodies: EntryBody[]): Entry[] {
  return bodies.map((body, index) =>
    parseEntry({
      v: 1,
      seq: index + 1,
      at: 1000 + index,
      parentUuid: null,
      uuid: newEntryId(),
      ...body,
    }),
  )
}

const where = {
  cwd: '/w',
  timestamp: '2026-01-01T00:00:00.000Z',
  gitBranch: 'main',
  sessionId,
  runId,
}
const messageUuid = newEntryId()
const prompt: EntryBody = {
  type: 'message',
  role: 'user',
  parts: [{ type: 'text', text: 'Go' }],
  ...where,
  turn: null,
  status: 'complete',
}
const call: EntryBody = {
  type: 'tool-call',
  messageUuid,
  runId,
  turn: 1,
  callId,
  name: 'bash',
  input: { command: 'ls' },
}
const result: EntryBody = {
  type: 'tool-result',
  messageUuid,
  runId,
  turn: 1,
  callId,
  name: 'bash',
  outcome: 'ok',
  output: 'a',
  durationMs: 3,
}
const message = (uuid: EntryId = messageUuid): EntryBody => ({
  type: 'message',
  uuid,
  role: 'assistant',
  parts: [
    { type: 'text', text: 'Looking.' },
    { type: 'tool-call', callId, name: 'bash' },
    { type: 'text', text: 'Done.' },
  ],
  ...where,
  turn: 1,
  status: 'complete',
})
const runEnd: EntryBody = {
  type: 'run-end',
  runId,
  run: 1,
  status: 'interrupted',
  cause: { kind: 'closed', how: 'quit' },
}

describe('a notice of an installed agent', () => {
  const foreign = (content: object, source = 'acp:codex'): EntryBody => ({
    type: 'foreign',
    source,
    content: JSON.parse(JSON.stringify({ sessionUpdate: 'notice', ...content })),
  })

  it('is a note, or a warning if the agent marks it so; anything else stays unchanged', () => {
    const { items } = foldEntries(
      emptyTranscript(),
      entries(
        foreign({ severity: 'info', title: 'New version', description: null }),
        foreign({ severity: 'error', title: 'Server failed', description: 'ENOENT' }),
        foreign({ severity: 'info', title: ' ' }),
        foreign({ title: 'Of another tool' }, 'claude-code'),
      ),
    )
    expect(items).toMatchObject([
      { kind: 'note', about: 'agent-notice', text: 'New version' },
      { kind: 'note', about: 'agent-warning', text: 'Server failed\nENOENT' },
      { kind: 'foreign' },
      { kind: 'foreign' },
    ])
  })
})

describe('the transcript projection', () => {
  it('[P4] shows with a call who allowed it, and separately the answer about a missing call', () => {
    const answer = { optionId: null, allowed: true, by: 'rule', rule: 'bash: ls *' } as const
    const asked = { type: 'permission' as const, runId, question: 'ls', options: [] }
    const items = foldEntries(
      emptyTranscript(),
      entries(
        call,
        { ...asked, callId, answer: null },
        { ...asked, callId, answer },
        result,
        message(),
        { ...asked, callId: 'call-2' as ToolCallId, answer },
      ),
    ).items
    expect(items).toMatchObject([
      { kind: 'turn', blocks: [{}, { call: { permission: answer, state: 'ok' } }, {}] },
      { kind: 'note', text: 'Allowed by a rule (bash: ls *): ls' },
    ])
    expect(items).toHaveLength(2)
  })

  it('shows the output of a call while it runs', () => {
    const running = new Map([[callId, { callId, output: 'so far', title: 'List' }]])
    const outputOf = (items: TranscriptItem[]) => {
      const turn = items.at(-1)
      const block = turn?.kind === 'turn' ? turn.blocks.find(({ kind }) => kind === 'tool') : null
      return block?.kind === 'tool' ? [block.call.output, block.call.title] : null
    }
    const during = foldEntries(emptyTranscript(), entries(prompt, call)).items
    expect(outputOf(withProgress(during, running))).toEqual(['so far', 'List'])
    expect(outputOf(during)).toEqual([null, null])
    expect(withProgress(during, new Map())).toBe(during)
    const after = foldEntries(emptyTranscript(), entries(prompt, call, result)).items
    expect(outputOf(withProgress(after, running))).toEqual(['a', null])
  })

  it('places a call where its message names it, although the call was written first', () => {
    const { items } = foldEntries(emptyTranscript(), entries(prompt, call, result, message()))
    expect(items.map((item) => item.kind)).toEqual(['prompt', 'turn'])
    const turn = items[1]
    expect(
      turn?.kind === 'turn' &&
        turn.blocks.map((block) =>
          'text' in block ? block.text : block.kind === 'tool' && block.call.state,
        ),
    ).toEqual(['Looking.', 'ok', 'Done.'])
  })

  it('gives the same result for entries one by one and all at once', () => {
    const all = entries(prompt, call, result, message(), runEnd)
    const incremental = emptyTranscript()
    for (const entry of all) foldEntries(incremental, [entry])
    expect(incremental.items).toEqual(foldEntries(emptyTranscript(), all).items)
    foldEntries(incremental, all)
    expect(incremental.items).toHaveLength(3)
  })

  it('gives the same result for any split of any history, even if the parts overlap', () => {
    fc.assert(
      fc.property(randomHistory, fc.nat(60), fc.nat(60), (all, a, b) => {
        const incremental = foldEntries(emptyTranscript(), all.slice(0, a))
        foldEntries(incremental, all.slice(Math.min(a, b)))
        expect(incremental).toEqual(foldEntries(emptyTranscript(), all))
      }),
      { seed, numRuns: 300 },
    )
  })

  it('[S3] says that a call without a result has an unknown outcome once its run is over', () => {
    const running = foldEntries(emptyTranscript(), entries(prompt, call))
    expect(callStates(running.items)).toEqual(['running'])
    const over = foldEntries(emptyTranscript(), entries(prompt, call, runEnd))
    expect(callStates(over.items)).toEqual(['unknown'])
  })

  it('states that a call is on a page that was not read', () => {
    const { items } = foldEntries(emptyTranscript(), entries(message()))
    expect(callStates(items)).toEqual(['not-loaded'])
  })

  it('[A8] merges the partial message: the longer one wins', () => {
    const fold = foldEntries(emptyTranscript(), entries(prompt, call))
    const partial = (text: string): PartialMessage => ({
      v: 1,
      uuid: messageUuid,
      type: 'message',
      role: 'assistant',
      parts: [{ type: 'text', text }],
      ...where,
      turn: 1,
      status: 'interrupted',
    })
    const live = withPartial(fold, partial('Looking'), true)
    const turn = live.at(-1)
    expect(turn?.kind === 'turn' && turn.status).toBe('live')
    expect(turn?.kind === 'turn' && turn.blocks.map((block) => block.kind)).toEqual([
      'text',
      'tool',
    ])
    const committed = foldEntries(emptyTranscript(), entries(prompt, call, result, message()))
    expect(withPartial(committed, partial('short'), false)).toBe(committed.items)
    const longer = withPartial(committed, partial('x'.repeat(100)), false).at(-1)
    expect(longer?.kind === 'turn' && longer.blocks[0]).toEqual({
      kind: 'text',
      text: 'x'.repeat(100),
    })
  })

  it('[J5] keeps a record of unknown type or newer version verbatim', () => {
    const odd = {
      v: 1,
      seq: 1,
      at: 5,
      type: 'hologram',
      uuid: newEntryId(),
      parentUuid: null,
      depth: 3,
    }
    const newer = { ...entries(prompt)[0], v: 99, seq: 2 }
    const fold = foldEntries(emptyTranscript(), [parseEntry(odd), parseEntry(newer)])
    const [first, second] = fold.items
    expect(first?.kind === 'unknown' && first.entry.record).toEqual(odd)
    expect(first?.kind === 'unknown' && first.entry.originalType).toBe('hologram')
    expect(second?.kind === 'unknown' && second.entry.reason).toContain('99')
  })
})

function callStates(items: ReturnType<typeof emptyTranscript>['items']): string[] {
  return items.flatMap((item) =>
    item.kind === 'turn'
      ? item.blocks.flatMap((block) => (block.kind === 'tool' ? [block.call.state] : []))
      : [],
  )
}
