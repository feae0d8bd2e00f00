/**
 * The ids of an agent's calls in the record. Agents choose the form, and some give one id to several calls, in a later
 * turn or a later run; in the record each call of a session has an id of its own. The first one of the first run keeps
 * the agent's.
 */
import type { ToolCallId } from '../../../../shared/records/ids.ts'

export interface CallIds {
  /** For a new call. */
  next(agentId: string): ToolCallId
  /** For a call that is the only one of the run with this id. */
  only(agentId: string): ToolCallId
}

/** `run`: of the task, from 1. */
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

/** The id that the agent gave it. */
export const agentIdOf = (callId: ToolCallId): string => callId.replace(/~\d+(?:\.\d+)?$/, '')

/** As `toolCallIdSchema`. */
const idCharsMax = 200

/** One that is too long is replaced by its end, which differs most. */
const marked = (agentId: string, mark: string): ToolCallId =>
  (agentId.slice(-(idCharsMax - mark.length)) + mark) as ToolCallId
