/** Runs the named measurements one after the other in a folder of their own, and prints what they found. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Measure } from './bench.ts'
import { describeMachine } from './machine.ts'
import type { Options } from './options.ts'
import type { Measured } from './rounds.ts'
import { machineInWords, measuredInWords, verdictInWords } from './table.ts'

/** `end` releases what the measurements share; it is called before their folder is removed. */
export async function measureAll(
  { dir, only, json, sizes, rounds, seed }: Options,
  measurements: Record<string, Measure>,
  end: () => Promise<void> | undefined = async () => {},
): Promise<void> {
  const scratch = await mkdtemp(join(dir, 'shiplog-bench-'))
  const cleanUp = async () => {
    await end()
    await rm(scratch, { recursive: true, force: true, maxRetries: 5 })
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void cleanUp().finally(() => process.exit(130)))
  try {
    const machine = await describeMachine(scratch)
    console.log(`${machineInWords(machine)}\nSeed ${seed}.\n`)
    const found: Record<string, Measured> = {}
    for (const name of only) {
      const own = join(scratch, name)
      await mkdir(own)
      const say = (text: string) => console.error(`… ${text}`)
      const measured = await measurements[name]?.({ dir: own, sizes, rounds, seed, say })
      if (!measured) continue
      found[name] = measured
      console.log(`${measuredInWords(measured)}\n`)
      await rm(own, { recursive: true, force: true, maxRetries: 5 })
    }
    console.log(targetsInWords(Object.values(found)))
    if (json) {
      const date = new Date().toISOString()
      const run = { version: 1, date, machine, sizes, rounds, seed, measurements: found }
      await writeFile(resolve(json), `${JSON.stringify(run, null, 2)}\n`)
    }
  } finally {
    await cleanUp()
  }
}

function targetsInWords(all: Measured[]): string {
  const verdicts = all.flatMap((one) =>
    one.verdicts.map((verdict) => ({ ...verdict, in: one.title })),
  )
  const missed = verdicts.filter(({ met }) => !met)
  const met = verdicts.length - missed.length
  const sum =
    verdicts.length > 0 ? `${met} of ${verdicts.length} targets met.` : 'No target to judge.'
  return [sum, ...missed.map((one) => `${one.in}: ${verdictInWords(one)}`)].join('\n')
}
