/** The arithmetic under the figures of `npm run bench`. */
import { describe, expect, it } from 'vitest'
import { alternate, find, interleave, judge, median, quantile } from '../../bench/runner/rounds.ts'
import {
  amount,
  machineInWords,
  measuredInWords,
  verdictInWords,
} from '../../bench/runner/table.ts'

describe('the median and the spread', () => {
  it('takes the middle one, or the middle of the middle two', () => {
    expect(median([9, 1, 5])).toBe(5)
    expect(median([4, 1, 3, 2])).toBe(2.5)
    expect(median([7])).toBe(7)
    expect(median([])).toBeNaN()
  })

  it('takes a share between two values in proportion', () => {
    expect(quantile([10, 20, 30, 40, 50], 0)).toBe(10)
    expect(quantile([10, 20, 30, 40, 50], 1)).toBe(50)
    expect(quantile([10, 20], 0.99)).toBeCloseTo(19.9)
  })

  it('is that of the ratios of the rounds, not the ratio of medians', () => {
    const rounds = [
      { a: 10, b: 1 },
      { a: 20, b: 10 },
      { a: 30, b: 5 },
    ]
    const { 'a over b': found } = find(rounds, 'x', { 'a over b': ({ a, b }) => a / b })
    expect(found).toEqual({ says: 'a over b', unit: 'x', median: 6, min: 2, max: 10 })
  })
})

describe('the rounds', () => {
  it('let each side begin in its turn, and run each once a round', async () => {
    const ran: string[] = []
    const side = (name: string) => async () => {
      ran.push(name)
      return { n: ran.length }
    }
    const rounds = await alternate({ a: side('a'), b: side('b'), c: side('c') }, { rounds: 3 })
    expect(ran.join('')).toBe('abcbcacab')
    expect(rounds.map(({ a }) => a.n)).toEqual([1, 6, 8])
  })

  it('give each slice to every side before the next', async () => {
    const ran: string[] = []
    const side = (name: string) => async (n: number) => void ran.push(`${name}${n}`)
    const ms = await interleave({ a: side('a'), b: side('b') }, 3)
    expect(ran).toEqual(['a0', 'b0', 'b1', 'a1', 'a2', 'b2'])
    expect(Object.keys(ms)).toEqual(['a', 'b'])
  })
})

describe('a target', () => {
  const finding = (median: number) =>
    ({ says: 'it', unit: 'x', median, min: median, max: median }) as const

  it.each([
    [1.5, { atMost: 1.5 }, true, 0],
    [1.8, { atMost: 1.5 }, false, 0.2],
    [3, { atLeast: 3 }, true, 0],
    [1.5, { atLeast: 3 }, false, 0.5],
  ])('%d against %o', (found, bound, met, missedBy) => {
    const verdict = judge(finding(found), bound)
    expect(verdict.met).toBe(met)
    expect(verdict.missedBy).toBeCloseTo(missedBy)
  })

  it('is not met by what could not be measured', () => {
    expect(judge(finding(Number.NaN), { atMost: 1 }).met).toBe(false)
  })

  it('says by how much it is missed', () => {
    expect(verdictInWords(judge(finding(1.8), { atMost: 1.5 }))).toBe(
      'MISSED by 20%: it: target at most 1.50x, found 1.80x',
    )
  })
})

it('writes three digits and the unit', () => {
  expect([amount(1.234, 'x'), amount(12.34, 'ms'), amount(12345.6, '/s')]).toEqual([
    '1.23x',
    '12.3 ms',
    '12,346/s',
  ])
})

it('prints ratios first, then figures in columns, then targets and notes', () => {
  const finding = { says: 'a', unit: 'ms', median: 2, min: 1, max: 30 } as const
  const ratio = { says: 'a over b', unit: 'x', median: 2, min: 1, max: 3 } as const
  const text = measuredInWords({
    title: 'It',
    rounds: 3,
    figures: [finding],
    ratios: [ratio],
    verdicts: [judge(ratio, { atMost: 2 })],
    notes: ['On this machine.'],
  })
  expect(text).toBe(`It (3 rounds: median, least to most)
  a over b       2.00x   1.00x to 3.00x
  a            2.00 ms   1.00 ms to 30.0 ms
  met: a over b: target at most 2.00x, found 2.00x
  On this machine.`)
})

it('says that a file system in memory measures no disk', () => {
  const machine = {
    platform: 'linux x64',
    node: '24.0.0',
    cpus: 2,
    memoryGb: 8,
    loadBefore: 0.25,
    disk: { writes: 500, medianUs: 1.5, p99Us: 9 },
  }
  expect(machineInWords({ ...machine, fileSystem: 'tmpfs' })).toContain('--dir')
  const onDisk = machineInWords({ ...machine, fileSystem: 'ext4' })
  expect(onDisk).not.toContain('--dir')
  expect(onDisk).toContain('load before 0.3')
})
