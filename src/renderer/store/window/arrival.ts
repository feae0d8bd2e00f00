/** The place in an opened screen to scroll to and focus, set by the list item that opened it. */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { TaskId } from '../../../shared/records/ids.ts'

export interface Arrival {
  taskId: TaskId
  /** `end`: the newest turn. `entry`: the entry in the address, else the transcript. `limit`: the line about the budget. `question`: the open question with this id. */
  at: 'composer' | 'end' | 'entry' | 'limit' | { question: string }
}

export interface Arrivals {
  /** Null: no arrival is expected. */
  store: StoreApi<{ arrival: Arrival | null }>
  expect(arrival: Arrival): void
  /** Call it after the place was scrolled to and focused. */
  done(arrival: Arrival): void
}

export function createArrivals(): Arrivals {
  const store = createStore<{ arrival: Arrival | null }>(() => ({ arrival: null }))
  return {
    store,
    expect: (arrival) => store.setState({ arrival }),
    done(arrival) {
      if (store.getState().arrival === arrival) store.setState({ arrival: null })
    },
  }
}
