import { useState } from 'react'
import type { InstalledAgentState } from '../../../shared/agents/agent-checks.ts'
import type { AgentChoice } from '../../../shared/agents/agent-specs.ts'
import { useAppInfo, useLedger, usePreference, useStores } from '../../store/hooks.ts'
import type { Preferences } from '../../store/window/preferences.ts'
import type { InstalledAgentsView } from '../installed/use-installed-agents.ts'
import { useModelSettings } from '../models/use-model-settings.ts'
import { modelUsedLast } from './model-used-last.ts'
import type { ScenarioFile } from './scenario-field.tsx'
import { type AgentOffer, useAgentOffers } from './use-agent-offers.ts'

export type SessionSettings = Preferences['agentSettings'][string]

export interface AgentChosen {
  /** `model`, `scripted`, or the id of an installed agent. */
  picked: string
  pick(picked: string): void
  /** The agents that can be selected. */
  offers: AgentOffer[]
  /** The text of the field. */
  model: string
  setModel(model: string): void
  models: Pick<ReturnType<typeof useModelSettings>, 'providers' | 'problem' | 'reload'>
  /** The state of an installed agent; null for another kind, and while it is unknown. */
  installed: InstalledAgentState | null
  settings: SessionSettings
  setSettings(settings: SessionSettings): void
  installedAgents: InstalledAgentsView
  /** Null if `needs` is missing. */
  choice: AgentChoice | null
  needs: string
  /** Stores the choice as the initial one of the next dialog. */
  remember(): void
}

const noSettings: SessionSettings = { mode: null, options: {} }

/**
 * The choice of an agent to start. Selected at first: `initial`, else the agent that was started last from a dialog, else
 * a model if a provider is set up, else an installed agent. The model is the one of the last dialog, else the default
 * model, else the one that was used last by any agent.
 */
export function useAgentChoice(scenario: ScenarioFile | null, initial?: string): AgentChosen {
  const { preferences } = useStores()
  const { info } = useAppInfo()
  const models = useModelSettings()
  const { offers, available, installedAgents } = useAgentOffers()
  const last = usePreference('agent')
  const allSettings = usePreference('agentSettings')
  const [chosen, pick] = useState<string | null>(initial ?? last)
  const [chosenModel, setModel] = useState<string | null>(usePreference('model'))
  const [changed, setChanged] = useState<Record<string, SessionSettings>>({})
  const usedLast = useLedger(({ ledger }) => modelUsedLast(ledger.tasks, models.providers ?? []))
  const hasModel = info?.agents.some((one) => one.kind === 'model' && one.available) ?? false
  const isKnown = (value: string | null) =>
    // The list of installed agents may load after the dialog opens.
    value !== null && (installedAgents.agents === null || offers.some((one) => one.value === value))
  const fallback = hasModel ? 'model' : (available[0]?.id ?? 'scripted')
  const picked = isKnown(chosen) ? (chosen as string) : fallback
  const installed = available.find(({ id }) => id === picked) ?? null
  const model = chosenModel ?? models.defaultModel ?? usedLast ?? ''
  const settings = changed[picked] ?? allSettings[picked] ?? noSettings
  const { choice, needs } = choiceOf()
  return {
    picked,
    pick,
    offers,
    model,
    setModel,
    models,
    installed,
    installedAgents,
    settings,
    setSettings: (next) => setChanged({ ...changed, [picked]: next }),
    choice,
    needs,
    remember: () =>
      preferences.setState({
        agent: picked,
        ...(picked === 'model' && { model: model.trim() }),
        ...(installed && { agentSettings: { ...allSettings, [picked]: settings } }),
      }),
  }

  function choiceOf(): Pick<AgentChosen, 'choice' | 'needs'> {
    if (picked === 'model') {
      const named = model.trim()
      return { choice: named === '' ? null : { kind: 'model', model: named }, needs: 'a model' }
    }
    if (picked === 'scripted')
      return {
        choice: scenario && { kind: 'scripted', scenario: scenario.text, source: scenario.name },
        needs: 'a scenario file',
      }
    return { choice: installed && installedChoice(installed, settings), needs: 'an agent' }
  }
}

function installedChoice(
  { id, program, own, check }: InstalledAgentState,
  { mode, options }: SessionSettings,
): AgentChoice {
  // Options that the agent no longer offers are left out.
  const offered = Object.entries(options).filter(([name, value]) =>
    check?.options.some(
      (one) =>
        one.id === name &&
        (typeof value === 'boolean' || one.choices.some((choice) => choice.value === value)),
    ),
  )
  return {
    kind: 'acp',
    program,
    ...(own && { own: id }),
    ...(mode !== null && { mode }),
    ...(offered.length > 0 && { options: Object.fromEntries(offered) }),
  }
}
