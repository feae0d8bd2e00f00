/** A crash at every step of the layers below the agents: journal, sessions, artifacts, roll-up, ledger. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { acrossFolders } from '../journal/file-systems.ts'
import { checkAfterCrash } from './crash-check.ts'
import { seed, soakFactor, within } from './effort.ts'
import { crashStates } from './explore.ts'
import type { Reopened } from './facts.ts'
import { type Attempt, type Fault, record } from './fault-fs/record.ts'
import { openLayers, reopenLayers, sail } from './layers.ts'
import { scratch } from './places.ts'

it(
  '[J6][A1][R1][T2][T3] loses nothing that was acknowledged, whatever a crash leaves of it',
  {
    timeout: 60_000 * soakFactor,
  },
  () => crashEverywhere(reopenLayers),
)

it(
  '[R2] loses nothing either when no session can be moved by rename',
  {
    timeout: 60_000 * soakFactor,
  },
  () => crashEverywhere(reopenAcross, acrossFolders),
)

async function crashEverywhere(
  reopen: (dataDir: string) => Promise<Reopened>,
  inject?: (attempt: Attempt) => Fault | null,
): Promise<void> {
  const place = scratch()
  const dataDir = join(place, 'data')
  const recording = record(dataDir, { inject })
  const layers = await openLayers(dataDir)
  await sail(layers, recording.ack)
  await layers.ledger.close()
  const trace = recording.stop()
  expect(layers.problems).toEqual([])

  const failures = new Map<string, string>()
  const tried = await within(6, crashStates(trace, seed), async ({ name, state }) => {
    const wrong = await checkAfterCrash(join(place, 'state'), state, reopen)
    for (const one of wrong) if (!failures.has(one)) failures.set(one, name)
  })
  console.log(`${tried} crash states of ${trace.steps.length} steps, seed ${seed}`)
  expect(Object.fromEntries([...failures].slice(0, 20))).toEqual({})
  expect(tried).toBeGreaterThan(0)
}

/** Again on a disk whose folders are file systems of their own. */
async function reopenAcross(dataDir: string): Promise<Reopened> {
  const recording = record(dataDir, { inject: acrossFolders })
  try {
    const opened = await reopenLayers(dataDir)
    return { ...opened, close: () => opened.close().finally(() => void recording.stop()) }
  } catch (error) {
    recording.stop()
    throw error
  }
}
