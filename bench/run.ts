/**
 * `npm run bench -- [options]`: measures, in one run on one machine, what docs/PERFORMANCE.md explains.
 * A target that is missed is printed, and is no failure: exit code 0 says that everything was measured.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { measureAppends } from './appends.ts'
import type { Measure } from './bench.ts'
import { measureFullText } from './full-text.ts'
import { measureGoingOn } from './going-on.ts'
import { measureHealing } from './healing.ts'
import { describeMachine } from './machine.ts'
import { measureModelTurns } from './model-turns.ts'
import { measureOpening } from './opening.ts'
import { type Options, parseOptions, usage } from './options.ts'
import { measureRandomPage } from './random-page.ts'
import { measureRemoval } from './removal.ts'
import { measureReplay } from './replay.ts'
import type { Measured } from './rounds.ts'
import { measureSearch } from './search.ts'
import { measureStartUp } from './start-up.ts'
import { machineInWords, measuredInWords, verdictInWords } from './table.ts'
import { measureTurnStore } from './turn-store.ts'
import { measureWindow } from './window.ts'

const measurements: Record<string, Measure> = {
  appends: measureAppends,
  opening: measureOpening,
  'random-page': measureRandomPage,
  healing: measureHealing,
  'going-on': measureGoingOn,
  replay: measureReplay,
  removal: measureRemoval,
  'start-up': measureStartUp,
  'turn-store': measureTurnStore,
  search: measureSearch,
  'full-text': measureFullText,
  'model-turns': measureModelTurns,
}

/** Not among those that run when nothing is named: it needs the built app and a Chromium. */
const onRequest: Record<string, Measure> = { window: measureWindow }
const known = { ...measurements, ...onRequest }

const options = parseOptions(process.argv.slice(2), Object.keys(known), Object.keys(measurements))
if (options.kind === 'measure') await measureAll(options)
else {
  console.log(options.kind === 'help' ? usage : `${options.message}\n\n${usage}`)
  process.exitCode = options.kind === 'help' ? 0 : 2
}

async function measureAll({ dir, only, json, sizes, rounds, seed }: Options): Promise<void> {
  const scratch = await mkdtemp(join(dir, 'shiplog-bench-'))
  const cleanUp = () => rm(scratch, { recursive: true, force: true, maxRetries: 5 })
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
      const measured = await known[name]?.({ dir: own, sizes, rounds, seed, say })
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
