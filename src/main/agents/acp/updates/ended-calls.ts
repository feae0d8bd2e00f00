/**
 * Distinguishes late updates of an ended call, which must neither begin a second call nor be lost, from the beginning of
 * another call: some agents reuse ids.
 */
import { type CallState, callStateOf, isEnd } from './calls.ts'
import type { ShownPath } from './shown-paths.ts'

/** Both count from 1 within a run. */
export interface Moment {
  prompt: number
  turn: number
}

interface EndedCalls {
  /** `isOwn`: the call was of one of Shiplog's tools. */
  add(id: string, state: CallState, at: Moment, isOwn: boolean): void
  /** Reports whether the update is of an ended call, rather than the beginning of another call with the same id. */
  isLate(id: string, update: Record<string, unknown>, now: Moment, shown: ShownPath): boolean
  isOwn(id: string): boolean
  /** Returns the call's last state; null if it ended long ago. */
  stateOf(id: string): CallState | null
  /** Reports whether the update contains anything that was not known when the call ended. */
  addsInformation(id: string, update: Record<string, unknown>, shown: ShownPath): boolean
}

/** Late updates follow soon, and a state may have a megabyte of output. */
const statesMax = 20

export function createEndedCalls(): EndedCalls {
  const ends = new Map<string, { at: Moment; isOwn: boolean; hasEnd: boolean }>()
  const states = new Map<string, CallState>()

  /** Reports whether the update has fields of a call's beginning that differ from those of the ended call. */
  function beginsCall(id: string, update: Record<string, unknown>, shown: ShownPath): boolean {
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
      // A request for permission has no `sessionUpdate`, and concerns a call that has not ended.
      if (sessionUpdate === undefined) return false
      if (sessionUpdate === 'tool_call') return end.at.turn === now.turn && isEnd(status)
      // The end was not reported with the turn, so it may still arrive.
      if (!end.hasEnd || end.at.prompt === now.prompt) return true
      return status === undefined || !beginsCall(id, update, shown)
    },
    isOwn: (id) => ends.get(id)?.isOwn === true,
    stateOf: (id) => states.get(id) ?? null,
    addsInformation(id, update, shown) {
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
