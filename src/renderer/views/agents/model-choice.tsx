import type { ReactNode } from 'react'
import { EmptyState, Skeleton } from '../../components/primitives/index.ts'
import { useStores } from '../../store/hooks.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { ModelField, UnlistedModels, useModelNames } from '../models/model-field.tsx'
import { isUsable } from '../models/use-model-settings.ts'
import type { AgentChosen } from './use-agent-choice.ts'

/** Selects the model and its settings; if no provider is set up, links to the settings of providers. */
export function ModelChoice(props: {
  agent: AgentChosen
  error: string | null
  children: ReactNode
}) {
  const { agent, error, children } = props
  const { overlay, navigation } = useStores()
  const { providers, problem, reload } = agent.models
  const listed = useModelNames(providers)
  const openSettings = () => {
    overlay.hide()
    navigation.go({ screen: 'settings', section: 'models' })
  }
  if (problem && !providers)
    return <ProblemNotice problem={problem} action={{ label: 'Try again', onClick: reload }} />
  if (!providers) return <Skeleton lines={2} />
  if (!providers.some(isUsable))
    return (
      <EmptyState
        sentence="No model is set up. Add a key, or a server of your own."
        action={{
          label: 'Set up a model…',
          onClick: openSettings,
        }}
      />
    )
  return (
    <div className="grid grid-cols-2 gap-4">
      <ModelField
        label="Model"
        error={error}
        providers={providers}
        names={listed.names}
        problem={
          listed.problems.length > 0 ? (
            <UnlistedModels
              problems={listed.problems}
              onRetry={listed.retry}
              onSettings={openSettings}
            />
          ) : null
        }
        value={agent.model}
        onChange={agent.setModel}
      />
      {children}
    </div>
  )
}
