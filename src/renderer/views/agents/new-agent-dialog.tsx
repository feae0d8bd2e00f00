import { type FormEvent, useId, useRef, useState } from 'react'
import type { PermissionMode } from '../../../shared/agents/permission-modes.ts'
import type { ProjectId } from '../../../shared/records/ids.ts'
import type { Isolation } from '../../../shared/records/projects/workspaces.ts'
import { agentsAtOnceDefault, agentsAtOnceMax } from '../../../shared/records/tasks/tree-options.ts'
import { PromptField } from '../../components/composer/prompt-field.tsx'
import {
  Button,
  DialogShell,
  EmptyState,
  Field,
  NoticeLine,
  Select,
  TextInput,
} from '../../components/primitives/index.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { usePreference, useProjects, useStores } from '../../store/hooks.ts'
import { projectLabels } from '../../store/project-labels.ts'
import { taskRoute } from '../../store/window/route.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { useAttachments } from '../composer/use-attachments.ts'
import { defaultLimits, LimitsField } from '../limits/limits-field.tsx'
import { AgentDetails, AgentField } from './agent-fields.tsx'
import { PermissionChoice } from './permission-choice.tsx'
import type { ScenarioFile } from './scenario-field.tsx'
import { useAgentChoice } from './use-agent-choice.ts'
import { useStartApproval } from './use-start-approval.tsx'

interface NewAgentProps {
  projectId: ProjectId | null
  prompt?: string
  onStarted?(): void
}

/** Starts a root agent: its project, its agent and its prompt. */
export function NewAgentDialog({ projectId: wanted, ...rest }: NewAgentProps) {
  const { overlay } = useStores()
  const projects = useProjects()
  const [first] = projects
  if (!first)
    return (
      <DialogShell open onClose={overlay.hide} title="New agent" size="small">
        <EmptyState
          sentence="Agents work in a project. Add a folder first."
          action={{
            label: 'Add a project…',
            onClick: () => overlay.show({ kind: 'add-project' }),
          }}
        />
      </DialogShell>
    )
  return <NewAgentForm {...rest} projectId={wanted ?? projects.at(-1)?.id ?? first.id} />
}

/** The dialog keeps its prompt and images when it is closed. */
const draftKey = 'new-agent'

function NewAgentForm(props: NewAgentProps & { projectId: ProjectId }) {
  const { projectId: initial, prompt: prompted = '', onStarted } = props
  const { client, overlay, navigation, preferences, arrivals, drafts } = useStores()
  const projects = useProjects()
  const labels = projectLabels(projects)
  const [projectId, setProjectId] = useState(initial)
  const field = useRef<HTMLTextAreaElement>(null)
  const whyNotId = useId()
  const [prompt, setPrompt] = useState(() => prompted || drafts.of(draftKey))
  const write = (text: string) => {
    setPrompt(text)
    drafts.set(draftKey, text)
  }
  const [scenario, setScenario] = useState<ScenarioFile | null>(null)
  const agent = useAgentChoice(scenario)
  const [agentsAtOnce, setAgentsAtOnce] = useState(agentsAtOnceDefault)
  /** Null: as configured for the project. */
  const [permissions, setPermissions] = useState<PermissionMode | null>(null)
  const [limits, setLimits] = useState(defaultLimits)
  const preferred = usePreference('isolation')
  const attachments = useAttachments(draftKey)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)

  const project = projects.find(({ id }) => id === projectId)
  const inGit = project?.git ?? false
  const isolation: Isolation = inGit ? preferred : 'in-place'
  const approval = useStartApproval({ projectId, isolation, installed: agent.installed })
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
        : 'Scroll to the end of the configuration to allow it.'
  const canStart = whyNot === null

  const isScripted = agent.picked === 'scripted'
  const takesImages = !isScripted && agent.installed?.check?.can?.images !== false
  const findFiles = async (query: string) =>
    (await client.workspace.findFiles({ projectId, query })).files
  const start = async () => {
    if (!agent.choice || busy) return
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
      onStarted?.()
      overlay.hide()
      arrivals.expect({ taskId, at: 'composer' })
      navigation.go(taskRoute(taskId))
    } catch (error) {
      setProblem(problemOf(error, 'start the agent'))
      setBusy(false)
    }
  }
  const openSettings = () => {
    overlay.hide()
    navigation.go({ screen: 'settings' })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (canStart) void start()
  }
  const fieldError = (field: string) => (problem?.field === field ? problem.message : null)
  const shownInField = [
    'scenario',
    'model',
    'command',
    'prompt',
    'agentsAtOnce',
    'budget',
  ].includes(problem?.field ?? '')

  return (
    <DialogShell
      open
      onClose={overlay.hide}
      title="New agent"
      size={approval.isNeeded ? 'medium' : 'small'}
      focus={field}
      footer={
        <div className="flex min-w-0 flex-1 flex-col gap-3">
          {/* Beside the button that allows it, so that it stays in view however small the window is. */}
          {approval.view}
          <div className="flex items-center justify-end gap-2">
            <p id={whyNotId} role="status" className="min-w-0 flex-1 text-small text-muted">
              {whyNot}
            </p>
            <Button onClick={overlay.hide}>Cancel</Button>
            <Button
              type="submit"
              form="new-agent"
              variant="primary"
              shortcut="Mod+Enter"
              disabled={!canStart}
              title={whyNot ?? undefined}
              aria-describedby={whyNotId}
              busy={busy}
            >
              {approval.isNeeded ? 'Allow and start' : 'Start'}
            </Button>
          </div>
        </div>
      }
    >
      <form
        id="new-agent"
        onSubmit={submit}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event)
        }}
        className="flex flex-col gap-4 p-4"
      >
        <Field label="Prompt" error={fieldError('prompt')}>
          <PromptField
            ref={field}
            value={prompt}
            onChange={write}
            placeholder="Describe the task"
            findFiles={!isScripted ? findFiles : undefined}
            attachments={takesImages ? attachments : undefined}
          />
        </Field>
        <div className="grid grid-cols-2 gap-4">
          <Field label="Project">
            <Select
              value={projectId}
              onChange={(chosen) => setProjectId(chosen)}
              options={projects.map(({ id, name, dir }) => ({
                value: id,
                label: labels.get(id) ?? name,
                hint: dir,
              }))}
            />
          </Field>
          <AgentField agent={agent} error={fieldError('command')} />
        </div>
        <AgentDetails
          agent={agent}
          scenario={scenario}
          onScenario={setScenario}
          errorOf={fieldError}
        >
          <PermissionChoice projectId={projectId} value={permissions} onChange={setPermissions} />
        </AgentDetails>
        <div className="grid grid-cols-2 gap-4">
          <Field
            label="Works in"
            hint={inGit ? null : 'Without Git, agents edit the folder directly.'}
          >
            <Select
              value={isolation}
              disabled={!inGit}
              onChange={(chosen) => preferences.setState({ isolation: chosen })}
              options={[
                { value: 'worktree', label: 'New worktree' },
                { value: 'in-place', label: 'Project folder' },
              ]}
            />
          </Field>
          <Field
            label="Max. parallel agents"
            hint="Agents waiting for sub-agents don’t count."
            error={fieldError('agentsAtOnce')}
          >
            <TextInput
              type="number"
              min={1}
              max={agentsAtOnceMax}
              value={agentsAtOnce}
              onChange={(event) => setAgentsAtOnce(Number(event.target.value))}
            />
          </Field>
        </div>
        <LimitsField onChange={setLimits} error={fieldError('budget')} />
        {approval.problem ? (
          <NoticeLine
            tone="warning"
            text={approval.problem.message}
            details={[approval.problem.details]}
          />
        ) : null}
        {problem && !shownInField ? (
          <ProblemNotice
            problem={problem}
            action={
              problem.reason === 'not-set-up'
                ? { label: 'Open Settings', onClick: openSettings }
                : undefined
            }
          />
        ) : null}
      </form>
    </DialogShell>
  )
}
