/** A crash at every step of a whole voyage: nested agents, reports, roll-up, a follow-up, removal. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openShiplog } from '../../src/main/shiplog.ts'
import { checkAfterCrash } from './crash-check.ts'
import { seed, soakFactor, within } from './effort.ts'
import { crashStates } from './explore.ts'
import { record } from './fault-fs/record.ts'
import type { Trace } from './fault-fs/trace.ts'
import { scratch } from './places.ts'
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

it('[J6][A1][R1][T2][T3] loses nothing that was acknowledged, whatever a crash leaves of a whole voyage', {
  timeout: 90_000 * soakFactor,
}, async () => {
  const place = scratch()
  const trace = await recordVoyage(place)
  const failures = new Map<string, string>()
  const tried = await within(10, crashStates(trace, seed), async ({ name, state }) => {
    const wrong = await checkAfterCrash(join(place, 'state'), state, reopenServices)
    for (const one of wrong) if (!failures.has(one)) failures.set(one, name)
  })
  console.log(`${tried} crash states of ${trace.steps.length} steps, seed ${seed}`)
  expect(Object.fromEntries([...failures].slice(0, 20))).toEqual({})
  expect(tried).toBeGreaterThan(30)
})
