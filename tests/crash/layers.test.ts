/** A crash at every step of the layers below the agents: journal, sessions, artifacts, roll-up, ledger. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkAfterCrash } from './crash-check.ts'
import { seed, soakFactor, within } from './effort.ts'
import { crashStates } from './explore.ts'
import { record } from './fault-fs/record.ts'
import { openLayers, reopenLayers, sail } from './layers.ts'
import { scratch } from './places.ts'

it('[J6][A1][R1][T2][T3] loses nothing that was acknowledged, whatever a crash leaves of it', {
  timeout: 60_000 * soakFactor,
}, async () => {
  const place = scratch()
  const dataDir = join(place, 'data')
  const recording = record(dataDir)
  const layers = await openLayers(dataDir)
  await sail(layers, recording.ack)
  await layers.ledger.close()
  const trace = recording.stop()
  expect(layers.problems).toEqual([])

  const failures = new Map<string, string>()
  const tried = await within(6, crashStates(trace, seed), async ({ name, state }) => {
    const wrong = await checkAfterCrash(join(place, 'state'), state, reopenLayers)
    for (const one of wrong) if (!failures.has(one)) failures.set(one, name)
  })
  console.log(`${tried} crash states of ${trace.steps.length} steps, seed ${seed}`)
  expect(Object.fromEntries([...failures].slice(0, 20))).toEqual({})
  expect(tried).toBeGreaterThan(30)
})
