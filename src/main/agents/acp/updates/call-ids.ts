/**
 * Assigns ids to an agent's calls in the record. Agents choose the form, and some reuse an id in a later turn or run; in
 * the record the calls of a session have distinct ids. The first call with an id, in the first run, keeps it.
 */
import type { ToolCallId } from '../../../../shared/records/ids.ts'

export interface CallIds {
  /** Returns the id for a new call. */
  next(agentId: string): ToolCallId
  /** Returns the id for a call that is the only one of the run with this id. */
  only(agentId: string): ToolCallId
}

/** `run` is the number of the task's run, counted from 1. */
export function createCallIds(run: number): CallIds {
  const uses = new Map<string, number>()
  const first = run === 1 ? '' : `~${run}`
  return {
    next(agentId) {
      const use = (uses.get(agentId) ?? 0) + 1
      uses.set(agentId, use)
      return marked(agentId, use === 1 ? first : `~${run}.${use}`)
    },
    only: (agentId) => marked(agentId, first),
  }
}

/** Returns the id that the agent gave the call. */
export const agentIdOf = (callId: ToolCallId): string => callId.replace(/~\d+(?:\.\d+)?$/, '')

/** The same limit as in `toolCallIdSchema`. */
const idCharsMax = 200

/** Shortens an id that is too long to its end, where ids differ most. */
const marked = (agentId: string, mark: string): ToolCallId =>
  (agentId.slice(-(idCharsMax - mark.length)) + mark) as ToolCallId
