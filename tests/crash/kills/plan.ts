/** When a process is to die, handed to its hook in the environment. */
import type { Random } from '../fault-fs/random.ts'

export const planVariable = 'SHIPLOG_TEST_KILL'

export interface KillPlan {
  moment:
    | { kind: 'file-call'; n: number; when: 'before' | 'halfway' | 'after' }
    /** The `n`th call of this class: its name and the pattern of its path, as `patternOf` has it. */
    | { kind: 'call-class'; call: string; n: number; when: 'before' | 'halfway' | 'after' }
    | { kind: 'git-command'; n: number; when: 'before' | 'meanwhile' | 'after'; delayMs: number }
    /** The `n`th Git command whose arguments begin like this. */
    | { kind: 'git-class'; command: string; n: number; when: 'before' | 'meanwhile' | 'after' }
    /** From outside, this long after it began to work. */
    | { kind: 'time'; ms: number }
    | { kind: 'never' }
  /** `with-children`: as the power goes. `alone`: its Git goes on, and finds nobody to answer to. */
  dies: 'with-children' | 'alone'
}

/** Calls of a start that has something to recover. */
const startCallsMax = 60

/** Only calls that may change something below the data directory count, and Git's own files are not among them. */
export const fileCallPlan = (random: Random, fileCallsMax: number): KillPlan => ({
  moment: {
    kind: 'file-call',
    // Now and then while it still puts right what the last one left.
    n: 1 + random.below(random.chance(0.3) ? startCallsMax : fileCallsMax),
    when: random.pick(['before', 'halfway', 'after'] as const),
  },
  dies: random.chance(0.7) ? 'with-children' : 'alone',
})

/** Only Git commands that change a repository count. */
export const gitCommandPlan = (random: Random, gitCommandsMax: number): KillPlan => ({
  moment: {
    kind: 'git-command',
    n: 1 + random.below(gitCommandsMax),
    when: random.pick(['before', 'meanwhile', 'meanwhile', 'after'] as const),
    delayMs: random.below(12),
  },
  dies: random.chance(0.7) ? 'with-children' : 'alone',
})

export const at = (
  call: string,
  when: 'before' | 'halfway' | 'after',
  n = 1,
  dies: KillPlan['dies'] = 'with-children',
): KillPlan => ({ moment: { kind: 'call-class', call, n, when }, dies })

export const atGit = (
  command: string,
  when: 'before' | 'meanwhile' | 'after',
  n = 1,
  dies: KillPlan['dies'] = 'with-children',
): KillPlan => ({ moment: { kind: 'git-class', command, n, when }, dies })

export const timePlan = (random: Random, msMax: number): KillPlan => ({
  moment: { kind: 'time', ms: random.below(msMax) },
  dies: random.chance(0.7) ? 'with-children' : 'alone',
})

export const describePlan = ({ moment, dies }: KillPlan): string =>
  `killed ${dies}, ${JSON.stringify(moment)}`
