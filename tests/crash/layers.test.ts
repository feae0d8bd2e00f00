/** A crash at every step of the layers below the agents: journal, sessions, artifacts, roll-up, ledger. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { acrossFolders } from '../journal/file-systems.ts'
import { checkAfterCrash } from './crash-check.ts'
import { isSoak, seed, tryEach } from './effort.ts'
import { callsOf, crashStates, stepsOfEachClass } from './explore.ts'
import type { Reopened } from './facts.ts'
import { type Attempt, type Fault, record } from './fault-fs/record.ts'
import type { Trace } from './fault-fs/trace.ts'
import { openLayers, reopenLayers, sail } from './layers.ts'
import { scratch } from './places.ts'

const timeout = isSoak ? 1_200_000 : 300_000

it(
  '[J6][A1][R1][T2][T3] loses nothing that was acknowledged, whatever a crash leaves of it',
  {
    timeout,
  },
  () => crashEverywhere(reopenLayers),
)

it(
  '[R2] loses nothing either when no session can be moved by rename',
  {
    timeout,
  },
  () => crashEverywhere(reopenAcross, acrossFolders),
)

async function crashEverywhere(
  reopen: (dataDir: string) => Promise<Reopened>,
  inject?: (attempt: Attempt) => Fault | null,
): Promise<void> {
  const place = scratch()
  const trace = await recordSail(join(place, 'data'), inject)
  const steps = inject && stepsWithoutRename(trace, await recordSail(join(place, 'by-rename')))
  const { tried, failures } = await tryEach(
    'crash points (layers)',
    crashStates(trace, seed, steps),
    (candidate) => checkAfterCrash(join(place, 'state'), candidate, reopen),
  )
  expect(failures).toEqual({})
  if (!isSoak) expect(tried).toBeGreaterThan(inject ? 30 : 100)
}

async function recordSail(
  dataDir: string,
  inject?: (attempt: Attempt) => Fault | null,
): Promise<Trace> {
  const recording = record(dataDir, { inject })
  const layers = await openLayers(dataDir)
  await sail(layers, recording.ack)
  await layers.ledger.close()
  const trace = recording.stop()
  expect(layers.problems).toEqual([])
  return trace
}

/** Copies in the place of renames, and each fact that is told: what comes between is the same by either way. */
function stepsWithoutRename(trace: Trace, byRename: Trace): number[] {
  const calls = callsOf(trace)
  const same = new Set(callsOf(byRename))
  return stepsOfEachClass(trace, calls).filter(
    (at) => trace.steps[at]?.operation.kind === 'ack' || !same.has(calls[at] ?? ''),
  )
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
