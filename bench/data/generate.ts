/** Generates data from a seed: numbers, ids, text, entries. The same seed gives the same data. */
import type { EntryBody } from '../../src/shared/records/entries.ts'
import { type EntryId, newTaskId, runIdOf, type TaskId } from '../../src/shared/records/ids.ts'

/** 21 November 2026, 09:30 UTC: the data must not depend on the time of its generation. */
export const generatedAtMs = Date.UTC(2026, 10, 21, 9, 30)

interface Generator {
  /** A whole number from 0 up to, but not including, `bound`. */
  below(bound: number): number
  /** A version 4 UUID. */
  uuid<Id extends string>(): Id
  text(characters: number): string
  /** A finished turn's message whose journal line has about `bytes` bytes. */
  message(bytes: number): EntryBody
}

/** Approximate size of a message's journal line without its text. */
const messageFrameBytes = 560
const poolCharacters = 1 << 20

export function createGenerator(seed: number, taskId: TaskId = newTaskId()): Generator {
  let state = seed >>> 0

  /** Marsaglia's xorshift on a Weyl sequence: good enough for text that only has to look random. */
  function next(): number {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b)
    return (mixed ^ (mixed >>> 16)) >>> 0
  }
  const below = (bound: number) => Math.floor((next() / 2 ** 32) * bound)

  function uuid<Id extends string>(): Id {
    const hex = [next(), next(), next(), next()]
      .map((n) => n.toString(16).padStart(8, '0'))
      .join('')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}` as Id
  }

  let pool: string | null = null
  /** Cut from one long text: generating each word would take longer than writing it. */
  function text(characters: number): string {
    pool ??= Array.from({ length: poolCharacters / 8 }, () => words[below(words.length)]).join(' ')
    const from = below(Math.max(1, pool.length - characters))
    return pool.slice(from, from + characters).padEnd(characters, '.')
  }

  let turn = 0
  function message(bytes: number): EntryBody {
    turn++
    return {
      type: 'message',
      uuid: uuid<EntryId>(),
      role: 'assistant',
      parts: [{ type: 'text', text: text(Math.max(1, bytes - messageFrameBytes)) }],
      cwd: '/home/robin/harbour',
      timestamp: new Date(generatedAtMs + turn * 1000).toISOString(),
      gitBranch: 'main',
      sessionId: taskId,
      runId: runIdOf(taskId, 1),
      turn,
      status: 'complete',
    }
  }

  return { below, uuid, text, message }
}

const words = [
  'anchor',
  'bearing',
  'capstan',
  'draught',
  'ebb',
  'fathom',
  'galley',
  'halyard',
  'island',
  'jetty',
  'keel',
  'lantern',
  'mast',
  'north',
  'oar',
  'pilot',
  'quay',
  'rudder',
  'sextant',
  'the',
  'of',
  'to',
  'is',
  'and',
  'tide',
  'under',
  'voyage',
  'wind',
  'yard',
  'été',
  'naïve',
  '"quoted"',
  'back\\slash',
  'const x = 1',
  '=> {',
  '}\n',
  '\n- a list',
  '`code`',
]
