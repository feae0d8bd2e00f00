/** Measures importing sessions of another tool: many sessions, the same ones again, and a very long one. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { writeSession } from '../data/claude-code-sessions.ts'
import { type Bench, fullSizes, megabyte, notJudged } from '../runner/bench.ts'
import { buildProbe } from '../runner/build-probe.ts'
import { probe } from '../runner/child-process.ts'
import { alternate, find, judge, type Measured, timed } from '../runner/rounds.ts'

const overParsingMax = 3
const againMin = 20
const memoryMbMax = 300

export async function measureImports(bench: Bench): Promise<Measured> {
  const { dir, sizes } = bench
  const home = join(dir, 'claude')
  bench.say(`making ${sizes.sessions} sessions of ${sizes.sessionKb} kB`)
  const files: string[] = []
  for (let nth = 0; nth < sizes.sessions; nth++)
    files.push(await writeSession(home, bench.seed + 2 * nth, sizes.sessionKb * 1000))
  let bytes = 0
  for (const file of files) bytes += (await stat(file)).size
  const mb = bytes / megabyte
  const input = { path: home, sessions: files.length }
  const isFull = sizes.sessions >= fullSizes.sessions && sizes.sessionKb >= fullSizes.sessionKb
  const program = await buildProbe(dir)
  let imports = 0
  const rounds = await alternate(
    {
      parsed: async () => ({ ms: await timed(() => parse(files)) }),
      async imported() {
        // Nothing is deleted between the rounds: without a journal, ext4 does not reuse the inodes of deleted files for
        // some minutes, and searches long for others.
        const dataDir = join(dir, `data-${++imports}`)
        const first = await probe('import', { ...input, dataDir, isNew: true }, program)
        const again = await probe('import', { ...input, dataDir, isNew: false }, program)
        return { ms: first.ms, againMs: again.ms, peakMb: first.peakMb }
      },
    },
    { rounds: bench.rounds },
  )
  const ms = find(rounds, 'ms', {
    'reading and parsing': ({ parsed }) => parsed.ms,
    'the import': ({ imported }) => imported.ms,
    'the same sessions again': ({ imported }) => imported.againMs,
  })
  const speed = find(rounds, 'MB/s', {
    'reading and parsing': ({ parsed }) => mb / (parsed.ms / 1000),
    'the import': ({ imported }) => mb / (imported.ms / 1000),
  })
  const memory = find(rounds, 'MB', {
    'memory of an import (peak)': ({ imported }) => imported.peakMb,
  })
  const ratios = find(rounds, 'x', {
    'import over reading and parsing': ({ imported, parsed }) => imported.ms / parsed.ms,
    'import over importing the same again': ({ imported }) => imported.ms / imported.againMs,
  })
  return {
    title: `Importing ${sizes.sessions} sessions of Claude Code, ${Math.round(mb)} MB`,
    rounds: rounds.length,
    figures: [...Object.values(ms), ...Object.values(speed), ...Object.values(memory)],
    ratios: Object.values(ratios),
    verdicts: isFull
      ? [
          judge(ratios['import over reading and parsing'], { atMost: overParsingMax }),
          judge(ratios['import over importing the same again'], { atLeast: againMin }),
        ]
      : [],
    notes: ['Each is durable when it ends.', ...(isFull ? [] : [notJudged])],
  }
}

/** Imports one session of several gigabytes, which takes minutes. */
export async function measureLongImport(bench: Bench): Promise<Measured> {
  const { dir, sizes } = bench
  const home = join(dir, 'claude')
  bench.say(`making a session of ${sizes.longSessionMb} MB`)
  const file = await writeSession(home, bench.seed, sizes.longSessionMb * megabyte)
  const mb = (await stat(file)).size / megabyte
  const dataDir = join(dir, 'data')
  const program = await buildProbe(dir)
  const input = { dataDir, path: file, sessions: 1, isNew: true }
  const imported = await probe('import', input, program)
  const found = find([imported], 'MB', { 'memory of the import (peak)': ({ peakMb }) => peakMb })
  const speed = find([imported], 'MB/s', { 'the import': ({ ms }) => mb / (ms / 1000) })
  const isFull = sizes.longSessionMb >= fullSizes.longSessionMb
  return {
    title: `Importing a session of ${Math.round(mb)} MB`,
    rounds: 1,
    figures: [...Object.values(found), ...Object.values(speed)],
    ratios: [],
    verdicts: isFull ? [judge(found['memory of the import (peak)'], { atMost: memoryMbMax })] : [],
    notes: isFull ? [] : [notJudged],
  }
}

async function parse(files: string[]): Promise<void> {
  for (const file of files)
    for (const line of (await readFile(file, 'utf8')).split('\n')) if (line) JSON.parse(line)
}
