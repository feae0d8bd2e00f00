/** Crashes in the middle of the start that puts right what an earlier crash left. */
import { rmSync } from 'node:fs'
import { disownLease } from './crash-check.ts'
import { isSoak } from './effort.ts'
import {
  type Candidate,
  callsOf,
  classesOf,
  stateAfterEach,
  statesAround,
  stepsOfEachClass,
} from './explore.ts'
import type { Reopened } from './facts.ts'
import { record } from './fault-fs/record.ts'
import type { Trace } from './fault-fs/trace.ts'
import { writeTree } from './fault-fs/tree.ts'

/**
 * For each state that a crash may leave of `trace`: starts on it in `dataDir` with a recording, and gives
 * the states that a crash may leave of that start. In `npm test` there is one first crash of each class, and
 * a call that an earlier start made is left out; in the soak they are all there are, and a call is left out
 * that a start after a crash of the same class made: every pair would take days. What had been told before
 * the first crash has still been told.
 */
export async function* recoveryStates(
  trace: Trace,
  seed: number,
  dataDir: string,
  reopen: (dataDir: string) => Promise<Reopened>,
): AsyncGenerator<Candidate> {
  const tried = new Set<string>()
  for (const { first, group } of firstCrashes(trace, seed)) {
    const recovery = await recordStart(first, dataDir, reopen)
    const calls = callsOf(recovery).map((call) => `${group} ${call}`)
    const steps = stepsOfEachClass(recovery, calls).filter((at) => !tried.has(calls[at] ?? ''))
    for (const call of calls) tried.add(call)
    const states = isSoak ? statesAround : stateAfterEach
    for (const { name, state, torn } of states(recovery, steps, seed)) {
      const acknowledged = first.state.acknowledged
      yield {
        name: `${first.name}, then ${name}`,
        state: { tree: state.tree, acknowledged },
        torn: torn || first.torn,
      }
    }
  }
}

/** `group`: starts after crashes of one group share what has been tried. */
function* firstCrashes(trace: Trace, seed: number): Generator<{ first: Candidate; group: string }> {
  if (!isSoak) {
    const steps = stepsOfEachClass(trace, callsOf(trace))
    for (const first of stateAfterEach(trace, steps, seed)) yield { first, group: '' }
    return
  }
  const classes = classesOf(trace)
  const steps = Map.groupBy(classes.keys(), (at) => classes[at] ?? '')
  for (const [group, own] of steps)
    for (const first of statesAround(trace, own, seed)) yield { first, group }
}

async function recordStart(
  { state }: Candidate,
  dataDir: string,
  reopen: (dataDir: string) => Promise<Reopened>,
): Promise<Trace> {
  writeTree(dataDir, state.tree)
  await disownLease(dataDir)
  const recording = record(dataDir)
  try {
    const opened = await reopen(dataDir)
    await opened.close()
    return recording.stop()
  } finally {
    recording.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
