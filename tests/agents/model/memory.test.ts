/** The conversation of a run: when it is full, and what the next summary keeps. */
import { expect, it } from 'vitest'
import type { createAsk } from '../../../src/main/agents/model/ask.ts'
import type { TurnItem } from '../../../src/main/agents/model/conversation/conversation.ts'
import { type Memory, openMemory } from '../../../src/main/agents/model/conversation/memory.ts'
import type { SessionHistory } from '../../../src/shared/agents/driver/agent-place.ts'

const limitTokens = 10_000

function opened(): Promise<Memory> {
  const history = { async *entries() {} } as unknown as SessionHistory
  return openMemory({ history }, { overheadTokens: 0, limitTokens })
}

const text = (of: string) => ({ type: 'text' as const, text: of })
const turn = (of: string): TurnItem => ({ type: 'turn', state: 'whole', parts: [text(of)] })
const counted = (inputTokens: number) =>
  ({ inputTokens, outputTokens: 10 }) as Parameters<Memory['answered']>[1]

/** Summarises the conversation, and returns where the record says that it goes on verbatim. */
async function keptFrom(memory: Memory): Promise<unknown> {
  const ask = {
    // biome-ignore lint/correctness/useYield: a summary is no event.
    async *summary() {
      return { kind: 'summary', text: 'So far.' }
    },
  } as unknown as ReturnType<typeof createAsk>
  let kept: unknown
  for await (const event of memory.compact(ask, false))
    if (event.type === 'compacted') kept = event.keptFromSeq
  return kept
}

/** The texts of the conversation, without the summary's. */
const verbatim = ({ conversation }: Memory): string[] =>
  conversation
    .slice(1)
    .flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')))

it('is full by what the provider counted and what was said since, and no longer after a summary', async () => {
  const memory = await opened()
  memory.prompted([text('Go.')])
  memory.answered(turn('Yes.'), counted(5_000))
  expect(memory.fill()).toBe('room')
  memory.prompted([text('x'.repeat(3 * limitTokens))])
  expect(memory.fill()).toBe('full')
  memory.answered(turn('I see.'), counted(2 * limitTokens))
  expect(memory.fill()).toBe('full')
  await keptFrom(memory)
  expect(memory.fill()).toBe('room')
})

it('keeps the same turns as the record, in each summary', async () => {
  const memory = await opened()
  memory.prompted([text('Go.')])
  for (const [seq, said] of [
    [2, 'one'],
    [5, 'two'],
  ] as const) {
    memory.turnBegins(seq)
    memory.answered(turn(said), undefined)
  }
  expect(await keptFrom(memory)).toBe(2)
  expect(verbatim(memory)).toEqual(['one', 'two'])
  memory.turnBegins(8)
  memory.answered(turn('three'), undefined)
  expect(await keptFrom(memory)).toBe(5)
  expect(verbatim(memory)).toEqual(['two', 'three'])
})
