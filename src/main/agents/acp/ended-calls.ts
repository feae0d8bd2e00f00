/** What an agent sends of a call after its end: it is no second call, and nothing of it is lost. */
import { type CallState, callStateOf, isEnd } from './calls.ts'
import type { ShownPath } from './shown-paths.ts'

interface EndedCalls {
  add(id: string, state: CallState): void
  /** The update is of a call that has ended, and does not begin another one of the same id, as some agents do. */
  isLate(id: string, update: Record<string, unknown>): boolean
  /** Null: it ended long ago. */
  stateOf(id: string): CallState | null
  /** It says something that was not known at the end. */
  saysMore(id: string, update: Record<string, unknown>, shown: ShownPath): boolean
}

/** Late updates follow soon, and a state may have a megabyte of output. */
const statesMax = 20

export function createEndedCalls(): EndedCalls {
  const ids = new Set<string>()
  const states = new Map<string, CallState>()
  return {
    add(id, state) {
      ids.add(id)
      states.delete(id)
      states.set(id, state)
      const [oldest] = states.keys()
      if (states.size > statesMax && oldest !== undefined) states.delete(oldest)
    },
    isLate: (id, { sessionUpdate, status }) =>
      ids.has(id) && (sessionUpdate !== 'tool_call' || isEnd(status)),
    stateOf: (id) => states.get(id) ?? null,
    saysMore(id, update, shown) {
      const before = states.get(id)
      if (!before) return true
      const after = callStateOf(before, update, shown)
      return (
        JSON.stringify({ ...after, newOutput: '' }) !==
          JSON.stringify({ ...before, newOutput: '' }) || after.newOutput !== ''
      )
    },
  }
}
