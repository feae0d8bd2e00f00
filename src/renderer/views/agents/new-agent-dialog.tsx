import { type FormEvent, useId, useRef } from 'react'
import type { ProjectId } from '../../../shared/records/ids.ts'
import { agentsAtOnceMax } from '../../../shared/records/tasks/tree-options.ts'
import { useOwnPress } from '../../components/approval/answer-guard.ts'
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
import { useLatestProject, useProjects, useStores } from '../../store/hooks.ts'
import { projectLabels } from '../../store/project-labels.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { LimitsField } from '../limits/limits-field.tsx'
import { AgentDetails, AgentField } from './agent-fields.tsx'
import { PermissionChoice } from './permission-choice.tsx'
import { useNewAgent } from './use-new-agent.ts'

interface NewAgentProps {
  projectId: ProjectId | null
  prompt?: string
  onStarted?(): void
}

/** Starts a root agent: its project, its agent and its prompt. */
export function NewAgentDialog({ projectId: wanted, ...rest }: NewAgentProps) {
  const { overlay } = useStores()
  const latest = useLatestProject()
  if (!latest)
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
  return <NewAgentForm {...rest} projectId={wanted ?? latest.id} />
}

function NewAgentForm(props: NewAgentProps & { projectId: ProjectId }) {
  const { client, overlay, navigation } = useStores()
  const form = useNewAgent({
    projectId: props.projectId,
    prompt: props.prompt ?? '',
    onStarted: props.onStarted,
  })
  const { projectId, agent, approval, problem, whyNot, isScripted } = form
  const projects = useProjects()
  const labels = projectLabels(projects)
  const field = useRef<HTMLTextAreaElement>(null)
  const whyNotId = useId()
  const isOwnPress = useOwnPress(whyNot === null)

  const findFiles = async (query: string) =>
    (await client.workspace.findFiles({ projectId, query })).files
  const openSettings = () => {
    overlay.hide()
    navigation.go({ screen: 'settings', section: null })
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
      onModEnter={form.start}
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
              disabled={whyNot !== null}
              title={whyNot ?? undefined}
              aria-describedby={whyNotId}
              busy={form.busy}
              onClick={(click) => {
                if (!isOwnPress(click)) click.preventDefault()
              }}
            >
              {approval.isNeeded ? 'Allow and start' : 'Start'}
            </Button>
          </div>
        </div>
      }
    >
      <form
        id="new-agent"
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          void form.start()
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          // A held key may have been pressed before it could allow anything.
          if (event.repeat && !(event.target instanceof HTMLTextAreaElement)) event.preventDefault()
        }}
        className="flex flex-col gap-4 p-4"
      >
        <Field label="Prompt" error={fieldError('prompt')}>
          <PromptField
            ref={field}
            value={form.prompt}
            onChange={form.write}
            placeholder="Describe the task"
            findFiles={!isScripted ? findFiles : undefined}
            attachments={form.attachments}
          />
        </Field>
        <div className="grid grid-cols-2 gap-4">
          <Field label="Project">
            <Select
              value={projectId}
              onChange={form.setProjectId}
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
          scenario={form.scenario}
          onScenario={form.setScenario}
          errorOf={fieldError}
        >
          <PermissionChoice
            projectId={projectId}
            value={form.permissions}
            onChange={form.setPermissions}
          />
        </AgentDetails>
        <PlaceFields form={form} agentsAtOnceError={fieldError('agentsAtOnce')} />
        <LimitsField
          model={agent.picked === 'model' ? agent.model : null}
          onChange={form.setLimits}
          error={fieldError('budget')}
        />
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

/** Where the agent works, and how many agents of its tree run at once. */
function PlaceFields(props: {
  form: ReturnType<typeof useNewAgent>
  agentsAtOnceError: string | null
}) {
  const { inGit, isolation, agentsAtOnce, setAgentsAtOnce } = props.form
  const { preferences } = useStores()
  return (
    <div className="grid grid-cols-2 gap-4">
      <Field label="Works in" hint={inGit ? null : 'Without Git, agents edit the folder directly.'}>
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
        error={props.agentsAtOnceError}
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
  )
}
