import { useState } from 'react'
import type { PermissionMode } from '../../../shared/agents/permission-modes.ts'
import type { ProjectId } from '../../../shared/records/ids.ts'
import type { Isolation } from '../../../shared/records/projects/workspaces.ts'
import { agentsAtOnceDefault } from '../../../shared/records/tasks/tree-options.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { usePreference, useProjects, useStores } from '../../store/hooks.ts'
import { taskRoute } from '../../store/window/route.ts'
import { useAttachments } from '../composer/use-attachments.ts'
import { defaultLimits } from '../limits/limits-field.tsx'
import type { ScenarioFile } from './scenario-field.tsx'
import { useAgentChoice } from './use-agent-choice.ts'
import { useStartApproval } from './use-start-approval.tsx'

/** The dialog keeps its prompt and images when it is closed. */
const draftKey = 'new-agent'

/** What a user enters about a root agent to start, why it can't start yet, and the start itself. */
export function useNewAgent(initial: {
  projectId: ProjectId
  prompt: string
  onStarted: (() => void) | undefined
}) {
  const { client, overlay, navigation, arrivals, drafts } = useStores()
  const [projectId, setProjectId] = useState(initial.projectId)
  const [prompt, setPrompt] = useState(() => initial.prompt || drafts.of(draftKey))
  const [scenario, setScenario] = useState<ScenarioFile | null>(null)
  const agent = useAgentChoice(scenario)
  const [agentsAtOnce, setAgentsAtOnce] = useState(agentsAtOnceDefault)
  /** Null: as configured for the project. */
  const [permissions, setPermissions] = useState<PermissionMode | null>(null)
  const [limits, setLimits] = useState(defaultLimits)
  const attachments = useAttachments(draftKey)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)

  const preferred = usePreference('isolation')
  const inGit = useProjects().find(({ id }) => id === projectId)?.git ?? false
  const isolation: Isolation = inGit ? preferred : 'in-place'
  const approval = useStartApproval({ projectId, isolation, installed: agent.installed })
  const isScripted = agent.picked === 'scripted'
  const takesImages = !isScripted && agent.installed?.check?.can?.images !== false

  const missing = [
    ...(prompt.trim() === '' ? ['a prompt'] : []),
    ...(agent.choice === null ? [agent.needs] : []),
    ...(limits.isValid ? [] : ['limits that are numbers']),
  ]
  /** Why the agent can't start; null if it can. */
  const whyNot =
    missing.length > 0
      ? `Needs ${missing.join(' and ')}.`
      : approval.isSeen
        ? null
        : 'Read all that it allows first.'

  const write = (text: string) => {
    setPrompt(text)
    drafts.set(draftKey, text)
  }
  const start = async () => {
    if (!agent.choice || whyNot !== null || busy) return
    setBusy(true)
    setProblem(null)
    try {
      await approval.allow(projectId)
      const { taskId } = await client.tasks.start({
        projectId,
        agent: agent.choice,
        prompt: prompt.trim(),
        images: takesImages ? attachments.toSend() : [],
        isolation,
        agentsAtOnce,
        budget: limits.budget,
        quotaWaits: limits.quotaWaits,
        // A scripted agent follows the user's own script, which needs no permissions.
        ...(permissions && !isScripted ? { permissions } : {}),
      })
      agent.remember()
      drafts.sent(draftKey, prompt.trim())
      attachments.clear()
      initial.onStarted?.()
      overlay.hide()
      arrivals.expect({ taskId, at: 'composer' })
      navigation.go(taskRoute(taskId))
    } catch (error) {
      setProblem(problemOf(error, 'start the agent'))
      setBusy(false)
    }
  }
  return {
    projectId,
    setProjectId,
    inGit,
    isolation,
    agentsAtOnce,
    setAgentsAtOnce,
    prompt,
    write,
    attachments: takesImages ? attachments : undefined,
    agent,
    isScripted,
    scenario,
    setScenario,
    permissions,
    setPermissions,
    setLimits,
    approval,
    whyNot,
    busy,
    problem,
    start,
  }
}
