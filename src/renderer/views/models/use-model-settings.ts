import { useCallback, useEffect, useState } from 'react'
import type { ProviderState } from '../../../shared/agents/provider-settings.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useStores } from '../../store/hooks.ts'

interface ModelSettingsView {
  /** Null while they load. */
  providers: ProviderState[] | null
  defaultModel: string | null
  /** The model of the built-in sub-agents; null: that of the agent that starts them. */
  subAgentModel: string | null
  problem: Problem | null
  reload(): void
}

/** The providers of models and the default models, read once and again by `reload`. */
export function useModelSettings(): ModelSettingsView {
  const { client } = useStores()
  const [view, setView] = useState<Omit<ModelSettingsView, 'reload'>>({
    providers: null,
    defaultModel: null,
    subAgentModel: null,
    problem: null,
  })
  const [reloads, setReloads] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of `reloads` repeats the request
  useEffect(() => {
    let wanted = true
    client.models.providers().then(
      (found) => wanted && setView({ ...found, problem: null }),
      (error: unknown) =>
        wanted &&
        setView((before) => ({ ...before, problem: problemOf(error, 'read the models') })),
    )
    return () => {
      wanted = false
    }
  }, [client, reloads])
  const reload = useCallback(() => setReloads((count) => count + 1), [])
  return { ...view, reload }
}

/** Whether agents can be started with a model of this provider, judged without a request to it. */
export const isUsable = ({ key, isOwn }: ProviderState): boolean =>
  !isOwn || key.from === 'stored' || key.from === 'environment'
