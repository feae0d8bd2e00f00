/** Crashes in the middle of the start that puts right what an earlier crash left. */
import { rmSync } from 'node:fs'
import { disownLease } from './crash-check.ts'
import { isSoak } from './effort.ts'
import { type Candidate, callsOf, everyState, statesAround, stepsOfEachClass } from './explore.ts'
import type { Reopened } from './facts.ts'
import { record } from './fault-fs/record.ts'
import type { Trace } from './fault-fs/trace.ts'
import { writeTree } from './fault-fs/tree.ts'

/**
 * For each state that a crash may leave of `trace`: starts on it in `dataDir` with a recording, and gives
 * the states that a crash may leave of that start. In `npm test` a call that an earlier start made is left
 * out; in the soak each start has its own. What had been told before the first crash has still been told.
 */
export async function* recoveryStates(
  trace: Trace,
  seed: number,
  dataDir: string,
  reopen: (dataDir: string) => Promise<Reopened>,
): AsyncGenerator<Candidate> {
  const tried = new Set<string>()
  const firsts = isSoak
    ? everyState(trace, seed)
    : statesAround(trace, stepsOfEachClass(trace, callsOf(trace)), seed)
  for (const first of firsts) {
    const recovery = await recordStart(first, dataDir, reopen)
    const calls = callsOf(recovery)
    const steps = stepsOfEachClass(recovery, calls).filter(
      (at) => isSoak || !tried.has(calls[at] ?? ''),
    )
    for (const call of calls) tried.add(call)
    for (const { name, state, torn } of statesAround(recovery, steps, seed)) {
      const acknowledged = first.state.acknowledged
      yield {
        name: `${first.name}, then ${name}`,
        state: { tree: state.tree, acknowledged },
        torn: torn || first.torn,
      }
    }
  }
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
