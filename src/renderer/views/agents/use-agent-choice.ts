import { useState } from 'react'
import type { AgentChoice, AgentKind } from '../../../shared/agents/agent-specs.ts'
import { useAppInfo, useLedger, usePreference, useStores } from '../../store/hooks.ts'
import { useModelSettings } from '../models/use-model-settings.ts'
import { modelUsedLast } from './model-used-last.ts'
import type { ScenarioFile } from './scenario-field.tsx'

export interface AgentChosen {
  kind: AgentKind
  setKind(kind: AgentKind): void
  /** As the field has it. */
  model: string
  setModel(model: string): void
  models: Pick<ReturnType<typeof useModelSettings>, 'providers' | 'problem' | 'reload'>
  /** Null: `needs` is missing. */
  choice: AgentChoice | null
  needs: string
  /** Offered again next time. */
  remember(): void
}

/**
 * Which agent is to be started: as the last time, else a model where one is set up, by default the one that an agent
 * was last started with, here or elsewhere.
 */
export function useAgentChoice(scenario: ScenarioFile | null): AgentChosen {
  const { preferences } = useStores()
  const { info } = useAppInfo()
  const settings = useModelSettings()
  const [chosenKind, setKind] = useState<AgentKind | null>(usePreference('agentKind'))
  const [chosenModel, setModel] = useState<string | null>(usePreference('model'))
  const hasModel = info?.agents.some((one) => one.kind === 'model' && one.available) ?? false
  const kind = chosenKind ?? (hasModel ? 'model' : 'scripted')
  const usedLast = useLedger(({ ledger }) => modelUsedLast(ledger.tasks, settings.providers ?? []))
  const model = chosenModel ?? settings.defaultModel ?? usedLast ?? ''
  const common = { kind, setKind, model, setModel, models: settings }
  if (kind === 'model') {
    const named = model.trim()
    return {
      ...common,
      choice: named === '' ? null : { kind, model: named },
      needs: 'a model',
      remember: () => preferences.setState({ agentKind: kind, model: named }),
    }
  }
  return {
    ...common,
    choice: scenario && { kind: 'scripted', scenario: scenario.text, source: scenario.name },
    needs: 'a scenario file',
    remember: () => preferences.setState({ agentKind: kind }),
  }
}
