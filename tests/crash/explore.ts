/** Goes through the states that a crash may leave of one trace. */
import { createHash } from 'node:crypto'
import {
  type CrashPlan,
  type CrashState,
  crashState,
  forgottenAt,
  killedAt,
  scrambledAt,
} from './fault-fs/crash-state.ts'
import { createRandom } from './fault-fs/random.ts'
import { describeStep, type Trace } from './fault-fs/trace.ts'

export interface Candidate {
  /** How to build it again. */
  name: string
  state: CrashState
}

/**
 * States without end, each once, at moments spread over the whole trace: what a killed process leaves,
 * what a disk leaves that kept only what was forced, and mixtures.
 */
export function* crashStates(trace: Trace, seed: number): Generator<Candidate> {
  const seen = new Set<string>()
  const moments = spread(trace.steps.length + 1)
  for (let round = 0; ; round++) {
    for (const at of moments) {
      const where = place(trace, at)
      yield* unseen(trace, killedAt(at), `killed at ${where}`, seen)
      yield* unseen(trace, forgottenAt(at), `forgotten at ${where}`, seen)
      for (let n = 0; n < 2; n++) {
        const own = seed + ((round * moments.length + at) * 2 + n)
        yield* unseen(trace, scrambledAt(at, createRandom(own)), `seed ${own} at ${where}`, seen)
      }
    }
  }
}

function* unseen(trace: Trace, plan: CrashPlan, name: string, seen: Set<string>) {
  const state = crashState(trace, plan)
  const digest = digestOf(state)
  if (seen.has(digest)) return
  seen.add(digest)
  yield { name, state }
}

function digestOf({ tree, acknowledged }: CrashState): string {
  const hash = createHash('sha1').update(String(acknowledged.length))
  for (const [path, node] of tree) {
    hash.update(`\n${path} ${node.kind} `)
    if (node.kind === 'file') hash.update(node.data)
  }
  return hash.digest('base64')
}

/** Every number below `count` once, far apart first, so that a short time still sees all of the trace. */
export function spread(count: number): number[] {
  const stride = [7919, 104_729, 1_299_709].find((prime) => count % prime !== 0) ?? 1
  return Array.from({ length: count }, (_, i) => (i * stride) % count)
}

function place(trace: Trace, at: number): string {
  const next = trace.steps[at]
  return next ? `${at} (before ${describeStep(next).slice(0, 160)})` : `${at} (the end)`
}
