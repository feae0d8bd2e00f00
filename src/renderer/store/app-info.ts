import { createStore, type StoreApi } from 'zustand/vanilla'
import type { AppInfo } from '../../shared/contract/app.ts'
import type { ShiplogClient } from '../../shared/contract/index.ts'
import { type Problem, problemOf } from '../rpc/problem.ts'

interface AppInfoView {
  info: AppInfo | null
  problem: Problem | null
}

export interface AppInfoStore {
  store: StoreApi<AppInfoView>
  /** Reads the data; a failed read keeps the last value. */
  load(): Promise<void>
}

/** The host's own data: version, directory, kinds of agent, notices of this start. */
export function createAppInfo({ client }: { client: Pick<ShiplogClient, 'app'> }): AppInfoStore {
  const store = createStore<AppInfoView>(() => ({ info: null, problem: null }))
  return {
    store,
    async load() {
      try {
        store.setState({ info: await client.app.info(), problem: null })
      } catch (error) {
        store.setState({ problem: problemOf(error, 'read the app’s data') })
      }
    },
  }
}
