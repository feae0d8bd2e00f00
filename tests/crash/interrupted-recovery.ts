/** Crashes in the middle of the start that puts right what an earlier crash left. */
import { rmSync } from 'node:fs'
import { disownLease } from './crash-check.ts'
import { type Candidate, crashStates } from './explore.ts'
import type { Reopened } from './facts.ts'
import { record } from './fault-fs/record.ts'
import type { Trace } from './fault-fs/trace.ts'
import { writeTree } from './fault-fs/tree.ts'

/** Of one start. More is left to the next state that it could start from. */
const perStartMax = 24

/**
 * For one state after the other that a crash may leave of `trace`: starts on it in `dataDir` with a
 * recording, and gives the states that a crash may leave of that. What had been told before the first
 * crash has still been told.
 */
export async function* recoveryStates(
  trace: Trace,
  seed: number,
  dataDir: string,
  reopen: (dataDir: string) => Promise<Reopened>,
): AsyncGenerator<Candidate> {
  for (const first of crashStates(trace, seed)) {
    const recovery = await recordStart(first, dataDir, reopen)
    let given = 0
    for (const { name, state } of crashStates(recovery, seed)) {
      if (given++ === perStartMax) break
      const acknowledged = first.state.acknowledged
      yield { name: `${first.name}, then ${name}`, state: { tree: state.tree, acknowledged } }
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
