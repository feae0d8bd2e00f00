/** A crash at every step of a whole voyage: nested agents, reports, roll-up, a follow-up, removal. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openShiplog } from '../../src/main/shiplog.ts'
import { checkAfterCrash } from './crash-check.ts'
import { seed, soakFactor, within } from './effort.ts'
import { type Candidate, crashStates } from './explore.ts'
import { record } from './fault-fs/record.ts'
import type { Trace } from './fault-fs/trace.ts'
import { recoveryStates } from './interrupted-recovery.ts'
import { scratchParent } from './places.ts'
import { reopenServices, voyage } from './services.ts'

async function recordVoyage(place: string): Promise<Trace> {
  const projectDir = join(place, 'project')
  mkdirSync(projectDir)
  const dataDir = join(place, 'data')
  const recording = record(dataDir)
  const shiplog = await openShiplog({ dataDir, host: 'cli' })
  await voyage(shiplog, projectDir, recording.ack)
  await shiplog.close()
  return recording.stop()
}

const timeout = 90_000 * soakFactor
let place: string
let trace: Trace
beforeAll(async () => {
  place = mkdtempSync(join(scratchParent, 'shiplog-crash-'))
  trace = await recordVoyage(place)
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

async function tryStates(
  seconds: number,
  atLeast: number,
  states: Iterable<Candidate> | AsyncIterable<Candidate>,
): Promise<void> {
  const failures = new Map<string, string>()
  const tried = await within(
    seconds,
    states,
    async ({ name, state }) => {
      const wrong = await checkAfterCrash(join(place, 'state'), state, reopenServices)
      for (const one of wrong) if (!failures.has(one)) failures.set(one, name)
    },
    atLeast,
  )
  console.log(`${tried} crash states of ${trace.steps.length} steps, seed ${seed}`)
  expect(Object.fromEntries([...failures].slice(0, 20))).toEqual({})
  expect(tried).toBeGreaterThanOrEqual(atLeast)
}

it('[J6][A1][R1][T2][T3] loses nothing that was acknowledged, whatever a crash leaves of a whole voyage', {
  timeout,
}, async () => {
  await tryStates(5, 20, crashStates(trace, seed))
})

it('[J6][A1][R1][T2][T3] keeps it too when the start that puts things right is cut short as well', {
  timeout,
}, async () => {
  const states = recoveryStates(trace, seed, join(place, 'recovered'), reopenServices)
  await tryStates(4, 10, states)
})
