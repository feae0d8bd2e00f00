/**
 * What an agent sends of a call after its end: it is no second call, and nothing of it is lost. Some agents give an id
 * again, though: what begins another call is not late.
 */
import { type CallState, callStateOf, isEnd } from './calls.ts'
import type { ShownPath } from './shown-paths.ts'

/** Both count from 1 within a run. */
export interface Moment {
  prompt: number
  turn: number
}

interface EndedCalls {
  /** `isOwn`: it was a call of one of Shiplog's tools. */
  add(id: string, state: CallState, at: Moment, isOwn: boolean): void
  /** The update is of a call that has ended, and does not begin another one of the same id. */
  isLate(id: string, update: Record<string, unknown>, now: Moment, shown: ShownPath): boolean
  isOwn(id: string): boolean
  /** Null: it ended long ago. */
  stateOf(id: string): CallState | null
  /** It contains something that was not known at the end. */
  saysMore(id: string, update: Record<string, unknown>, shown: ShownPath): boolean
}

/** Late updates follow soon, and a state may have a megabyte of output. */
const statesMax = 20

export function createEndedCalls(): EndedCalls {
  const ends = new Map<string, { at: Moment; isOwn: boolean; hasEnd: boolean }>()
  const states = new Map<string, CallState>()

  /** It has what comes with the beginning of a call, and not what is known of the ended one. */
  function introduces(id: string, update: Record<string, unknown>, shown: ShownPath): boolean {
    const before = states.get(id)
    if (!before) return 'title' in update || 'kind' in update || 'rawInput' in update
    const { title, kind, input } = callStateOf(before, update, shown)
    const what = JSON.stringify({ title, kind, input })
    return what !== JSON.stringify({ title: before.title, kind: before.kind, input: before.input })
  }

  return {
    add(id, state, at, isOwn) {
      ends.set(id, { at, isOwn, hasEnd: isEnd(state.status) })
      states.delete(id)
      states.set(id, state)
      const [oldest] = states.keys()
      if (states.size > statesMax && oldest !== undefined) states.delete(oldest)
    },
    isLate(id, update, now, shown) {
      const end = ends.get(id)
      if (!end) return false
      const { sessionUpdate, status } = update
      // A request for permission: nobody asks about a call that is over.
      if (sessionUpdate === undefined) return false
      if (sessionUpdate === 'tool_call') return end.at.turn === now.turn && isEnd(status)
      // Its end was not reported with the turn: it may follow.
      if (!end.hasEnd || end.at.prompt === now.prompt) return true
      return status === undefined || !introduces(id, update, shown)
    },
    isOwn: (id) => ends.get(id)?.isOwn === true,
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
