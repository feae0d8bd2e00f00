import { type ReactNode, useEffect, useState } from 'react'
import type { InstalledAgentState } from '../../../shared/agents/agent-checks.ts'
import type { ConfigurationToAllow } from '../../../shared/contract/agents.ts'
import type { ProjectId } from '../../../shared/records/ids.ts'
import type { Isolation } from '../../../shared/records/projects/workspaces.ts'
import { useIsSettled } from '../../components/approval/answer-guard.ts'
import type { Problem } from '../../rpc/problem.ts'
import { useStores } from '../../store/hooks.ts'
import { AgentConfiguration } from './agent-configuration.tsx'
import { mustBeSeen, SetupTrust } from './setup-trust.tsx'
import { useProjectSetup } from './use-project-setup.ts'

interface StartApproval {
  /** Whether a start needs the user to allow something. */
  isNeeded: boolean
  /** False while a part of it has not been in view. */
  isSeen: boolean
  /** Shows what a start allows; placed beside the button that starts. */
  view: ReactNode
  problem: Problem | null
  /** Call it before the start. Rejects with the host's error. */
  allow(projectId: ProjectId): Promise<void>
}

/**
 * What a repository configures to run as the user, who has to allow it before an agent starts: its set-up and Git
 * configuration in a new worktree, and its configuration of an installed agent (K8).
 */
export function useStartApproval(start: {
  projectId: ProjectId | null
  isolation: Isolation
  installed: InstalledAgentState | null
}): StartApproval {
  const { projectId, isolation, installed } = start
  const { client } = useStores()
  const { setup, setupProblem } = useProjectSetup(projectId)
  const configuration = useAgentConfiguration(projectId, installed?.id ?? null)
  const [setupSeen, setSetupSeen] = useState(false)
  const [configurationSeen, setConfigurationSeen] = useState(false)
  const asksForSetup = isolation === 'worktree' && setup !== null && !setup.trusted
  const configures = configuration !== null && configuration.text !== ''
  const isShown = configures || (configuration?.unshowable.length ?? 0) > 0
  // It appears once it was read, and what was then pressed was meant for a start that allows nothing.
  const isSettled = useIsSettled(
    asksForSetup || configures
      ? `${asksForSetup && setup.configSha256} ${configures && configuration.text}`
      : null,
  )
  return {
    isNeeded: asksForSetup || configures,
    isSeen:
      (!(asksForSetup || configures) || isSettled) &&
      (!asksForSetup || !mustBeSeen(setup) || setupSeen) &&
      (!configures || configurationSeen),
    view:
      asksForSetup || isShown ? (
        <div className="flex max-h-[44vh] flex-col gap-2 overflow-y-auto">
          {asksForSetup ? <SetupTrust setup={setup} onSeen={setSetupSeen} /> : null}
          {installed && isShown ? (
            <AgentConfiguration
              name={installed.name}
              configuration={configuration as ConfigurationToAllow}
              onSeen={setConfigurationSeen}
            />
          ) : null}
        </div>
      ) : null,
    problem: setupProblem,
    async allow(id) {
      if (asksForSetup && setup.configSha256)
        await client.projects.trustSetup({ projectId: id, configSha256: setup.configSha256 })
      if (installed && configures)
        await client.agents.allowConfiguration({
          id: installed.id,
          projectId: id,
          sha256s: configuration.sha256s,
        })
    },
  }
}

/** Null while it is read, and if it can't be read: the host then asks for it when the agent starts. */
function useAgentConfiguration(
  projectId: ProjectId | null,
  id: string | null,
): ConfigurationToAllow | null {
  const { client } = useStores()
  const [read, setRead] = useState<{ of: string; found: ConfigurationToAllow } | null>(null)
  const of = `${projectId} ${id}`
  useEffect(() => {
    if (projectId === null || id === null) return
    let wanted = true
    client.agents.configuration({ id, projectId }).then(
      (found) => wanted && setRead({ of: `${projectId} ${id}`, found }),
      () => {},
    )
    return () => {
      wanted = false
    }
  }, [client, projectId, id])
  return read?.of === of ? read.found : null
}
