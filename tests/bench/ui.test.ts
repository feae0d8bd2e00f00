/** The parts of `npm run bench:ui` that need no browser. */
import { readFile, stat } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { quickSizes } from '../../bench/runner/bench.ts'
import { parseOptions } from '../../bench/runner/options.ts'
import { amount } from '../../bench/runner/table.ts'
import { makeLongTranscript } from '../../bench/ui/long-transcript.ts'
import { temporaryDir } from '../harness.ts'

it('makes a transcript of the size that is asked for, which names its calls', async () => {
  const sizes = { ...quickSizes, entries: 200, journalMb: 1 }
  const dir = await temporaryDir()
  const made = await makeLongTranscript({ dir, sizes, rounds: 1, seed: 1, say: () => {} })
  const { size } = await stat(made.file)
  expect(size / 1e6).toBeGreaterThan(0.8)
  expect(size / 1e6).toBeLessThan(1.2)
  const lines = (await readFile(made.file, 'utf8')).trimEnd().split('\n')
  expect(lines).toHaveLength(made.entries)
  const entries = lines.map((line) => JSON.parse(line))
  const [first] = entries.filter(({ type, role }) => type === 'message' && role === 'assistant')
  expect(first.parts.map((part: { type: string }) => part.type)).toEqual([
    'reasoning',
    'text',
    'tool-call',
    'tool-call',
  ])
})

it('takes the number of agents that stream, and names only what is measured in a window', () => {
  const parsed = parseOptions(['--streaming', '3', '--only', 'streaming'], ['streaming'])
  expect(parsed).toMatchObject({ kind: 'measure', only: ['streaming'], sizes: { streaming: 3 } })
  expect(parseOptions(['--only', 'appends'], ['streaming'])).toMatchObject({ kind: 'wrong' })
})

it('writes rows without decimals', () => {
  expect([amount(23, 'rows'), amount(0.4, '%')]).toEqual(['23 rows', '0.40 %'])
})
