/** Enforces a definition's limits of one run. At a limit the agent gets a last turn to report its state. */
import type { DefinedAgent } from '../../../shared/agents/agent-specs.ts'
import { counted } from '../../../shared/text/counted.ts'

interface RunLimit {
  /** `turns` is the number of completed turns. Returns the reached limit for people, such as `20 turns`; null if none is. */
  reached(turns: number): string | null
}

export function createRunLimit(
  { turns: turnsMax, minutes: minutesMax }: NonNullable<DefinedAgent['limits']>,
  clock: () => number,
): RunLimit {
  const startedAtMs = clock()
  // The last of the allowed turns is the one that reports.
  const turnsBefore = turnsMax === undefined ? Infinity : turnsMax - 1
  const endsAtMs = minutesMax === undefined ? Infinity : startedAtMs + minutesMax * 60_000
  return {
    reached(turns) {
      if (turnsMax !== undefined && turns >= turnsBefore) return counted(turnsMax, 'turn', 'turns')
      if (minutesMax !== undefined && clock() >= endsAtMs)
        return counted(minutesMax, 'minute', 'minutes')
      return null
    },
  }
}

/** Returns the last message that the agent gets. */
export const lastTurnNote = (limit: string, mustReport: boolean): string =>
  mustReport
    ? `You are at your limit of ${limit}. This is your last turn: call agent_report now, with what you did and found, what you checked, and what is left. No other call is made.`
    : `You are at your limit of ${limit}. This is your last turn: say what you did and found, what you checked, and what is left. No call is made.`
