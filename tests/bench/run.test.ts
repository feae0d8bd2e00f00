/**
 * `npm run bench` at sizes of nothing: that it runs, tells and cleans up; never how fast. All of it in the soak, in
 * `npm test` one measurement of the record, one of agents and one of a store.
 */
import { spawn } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseOptions } from '../../bench/runner/options.ts'
import type { Measured } from '../../bench/runner/rounds.ts'
import { isSoak } from '../crash/effort.ts'
import { temporaryDir } from '../harness.ts'
import { itInSoak } from '../soak.ts'

const script = join(import.meta.dirname, '../../bench/run.ts')

/** Enough for an index to be stored beside the journal. */
const tiny = [
  ...['--rounds', '1', '--appends', '60', '--writers', '3', '--entries', '400'],
  ...['--journal-mb', '2', '--children', '3', '--transcripts-mb', '1', '--tasks', '30'],
  ...[
    '--files',
    '60',
    '--turns',
    '3',
    '--searched',
    '300',
    '--searched-entries',
    '600',
    '--model-turns',
    '4',
    '--sessions',
    '3',
    '--session-kb',
    '20',
    '--long-session-mb',
    '1',
  ],
]

const measured = isSoak
  ? [
      'appends',
      'opening',
      'random-page',
      'healing',
      'first-turn',
      'replay',
      'removal',
      'start-up',
      'turn-store',
    ]
      .concat(['search', 'full-text', 'exports', 'model-turns', 'imports', 'long-import'])
      .concat(['program-starts'])
  : ['appends', 'first-turn', 'turn-store']

function bench(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const { promise, resolve } = Promise.withResolvers<{
    code: number | null
    out: string
    err: string
  }>()
  child.on('close', (code) => resolve({ code, out, err }))
  return promise
}

itInSoak(
  'measures everything, says what lies under it, and leaves nothing behind',
  // Sixteen measurements with a build each, also on a busy machine.
  { timeout: 600_000 },
  async () => {
    const dir = await temporaryDir()
    const json = join(dir, 'numbers.json')
    const { code, out, err } = await bench(...tiny, '--dir', dir, '--json', json)
    expect({ code, err: err.replaceAll(/^… .*\n/gm, '') }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^The disk acknowledges a write of 4 KB with datasync in /)
    expect(out).toContain('one writer: time in the journal over time bare')
    expect(out).toMatch(/\d of \d targets met\./)
    expect(await readdir(dir)).toEqual(['numbers.json'])

    const numbers = JSON.parse(await readFile(json, 'utf8'))
    expect(numbers.machine.disk.medianUs).toBeGreaterThan(0)
    expect(numbers.sizes).toMatchObject({ appends: 60, entries: 400, tasks: 30 })
    const found: Record<string, Measured> = numbers.measurements
    expect(Object.keys(found)).toEqual(measured)
    for (const { figures, ratios } of Object.values(found)) {
      expect(ratios.length).toBeGreaterThan(0)
      for (const { says, min, median, max } of [...figures, ...ratios]) {
        expect([says, Number.isFinite(median) && median > 0]).toEqual([says, true])
        expect([says, min <= median && median <= max]).toEqual([says, true])
      }
    }
  },
)

it.each([
  [['--only', 'speed'], /speed/],
  [['--rounds', '0'], /rounds/],
  [['--fast'], /fast/],
])('refuses %s', (args, message) => {
  expect(parseOptions(args, ['appends'])).toEqual({
    kind: 'wrong',
    message: expect.stringMatching(message),
  })
})

it('says how it is used before it measures anything', async () => {
  const { code, out } = await bench('--only', 'speed')
  expect(code).toBe(2)
  expect(out).toContain('npm run bench -- [options]')
  expect(out).not.toContain('acknowledges')
})
