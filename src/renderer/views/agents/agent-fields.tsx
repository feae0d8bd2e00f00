import type { ReactNode } from 'react'
import { Field, Select } from '../../components/primitives/index.ts'
import { ModelChoice } from './model-choice.tsx'
import { ScenarioField, type ScenarioFile } from './scenario-field.tsx'
import { SessionSettings } from './session-settings.tsx'
import type { AgentChosen } from './use-agent-choice.ts'

export function AgentField({ agent, error }: { agent: AgentChosen; error?: string | null }) {
  return (
    <Field label="Agent" error={error ?? null}>
      <Select value={agent.picked} onChange={agent.pick} options={agent.offers} />
    </Field>
  )
}

/** The fields of the selected agent: a model, settings of its sessions, or a scenario. `children`: beside the model. */
export function AgentDetails(props: {
  agent: AgentChosen
  scenario: ScenarioFile | null
  onScenario(scenario: ScenarioFile | null): void
  errorOf(field: string): string | null
  children: ReactNode
}) {
  const { agent, scenario, onScenario, errorOf, children } = props
  const { picked, installed, installedAgents } = agent
  if (picked === 'model')
    return (
      <ModelChoice agent={agent} error={errorOf('model')}>
        {children}
      </ModelChoice>
    )
  if (picked === 'scripted')
    return <ScenarioField value={scenario} onChange={onScenario} error={errorOf('scenario')} />
  return (
    <>
      {installed ? (
        <SessionSettings
          agent={installed}
          value={agent.settings}
          onChange={agent.setSettings}
          onChecked={installedAgents.reload}
        />
      ) : null}
      {children}
    </>
  )
}
