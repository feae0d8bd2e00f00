import { useEffect, useRef, useState } from 'react'
import type { PermissionMode } from '../../../shared/agents/permission-modes.ts'
import type { Continuation, ContinuationPlace } from '../../../shared/contract/continuation.ts'
import type { Project } from '../../../shared/records/projects/projects.ts'
import type { Isolation } from '../../../shared/records/projects/workspaces.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { EmptyState, Field, Select } from '../../components/primitives/index.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useProjects, useStores } from '../../store/hooks.ts'
import { projectLabels } from '../../store/project-labels.ts'
import { taskRoute } from '../../store/window/route.ts'
import { AgentDetails } from '../agents/agent-fields.tsx'
import { PermissionChoice } from '../agents/permission-choice.tsx'
import type { ScenarioFile } from '../agents/scenario-field.tsx'
import { useAgentChoice } from '../agents/use-agent-choice.ts'
import { useStartApproval } from '../agents/use-start-approval.tsx'
import { FormDialog } from '../dialogs/form-dialog.tsx'
import { ContinuePrompt } from './continue-prompt.tsx'

/**
 * Starts a task that continues from an imported session, in its recorded folder or in another project, with any agent.
 * `at`: an entry, from the end of whose turn it continues; null for the end of the session.
 */
export function ContinueImportedForm({ task, at }: { task: Task; at: number | null }) {
  const { client, navigation } = useStores()
  const projects = useProjects()
  const field = useRef<HTMLTextAreaElement>(null)
  const [prompt, setPrompt] = useState('')
  const [scenario, setScenario] = useState<ScenarioFile | null>(null)
  const agent = useAgentChoice(scenario, ownAgent(task))
  /** The value of the chosen option; null selects the best place. */
  const [chosen, setChosen] = useState<string | null>(null)
  const [wanted, setWanted] = useState<Isolation>('worktree')
  /** Null: as configured for the project. */
  const [permissions, setPermissions] = useState<PermissionMode | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const { found, failed } = useContinuation(
    task,
    at,
    projects.find(({ id }) => id === chosen),
  )
  const place = found && placeChosen(found, chosen)
  const projectId = place?.kind === 'project' ? place.projectId : null
  const isolation = place && !place.git ? 'in-place' : wanted
  const approval = useStartApproval({ projectId, isolation, installed: agent.installed })
  const errorOf = (name: string) => (problem?.field === name ? problem.message : null)
  const text = prompt.trim()
  const missing = [
    ...(text === '' ? ['a prompt'] : []),
    ...(place === null ? ['a project'] : []),
    ...(agent.choice === null ? [agent.needs] : []),
  ]

  const submit = async () => {
    if (!place || !agent.choice) return
    setProblem(null)
    const project = place.kind === 'project' ? null : await client.projects.add({ dir: place.dir })
    const id = project?.id ?? projectId
    if (id === null) return
    if (project && isolation === 'worktree') {
      const setup = await client.projects.setup({ projectId: id })
      // It has to be shown first; the project is now one that can be chosen.
      if (setup && !setup.trusted) {
        setChosen(id)
        return false
      }
    }
    try {
      await approval.allow(id)
      const { taskId } = await client.tasks.continueFrom({
        taskId: task.id,
        prompt: text,
        agent: agent.choice,
        place: { projectId: id, isolation },
        ...(at !== null && { at }),
        ...(permissions && agent.picked !== 'scripted' && { permissions }),
      })
      agent.remember()
      navigation.go(taskRoute(taskId))
    } catch (error) {
      // It was added only for this task.
      if (project && projects.every((one) => one.id !== project.id))
        await client.projects.remove({ projectId: project.id }).catch(() => {})
      setProblem(problemOf(error, 'continue in Shiplog'))
      throw error
    }
  }

  return (
    <FormDialog
      title={`Continue “${task.title}” in Shiplog`}
      action={
        approval.isNeeded
          ? 'Allow and start'
          : place?.kind === 'folder'
            ? 'Add project and start'
            : 'Start'
      }
      doing="continue in Shiplog"
      canSubmit={missing.length === 0 && approval.isSeen}
      more={
        missing.length > 0 ? (
          <p role="status" className="order-first min-w-0 flex-1 text-small text-muted">
            Needs {listed(missing)}.
          </p>
        ) : null
      }
      submit={submit}
      focus={field}
      submitsByModEnter
    >
      <ContinuePrompt
        ref={field}
        value={prompt}
        onChange={setPrompt}
        placeholder="What to do next"
        hint={historyHint(at)}
        error={errorOf('prompt')}
      />
      <PlaceFields
        {...{ found, failed, projects, place, isolation }}
        onPlace={setChosen}
        onIsolation={setWanted}
      />
      <Field label="Agent" error={errorOf('command')}>
        <Select value={agent.picked} onChange={agent.pick} options={agent.offers} />
      </Field>
      <AgentDetails agent={agent} scenario={scenario} onScenario={setScenario} errorOf={errorOf}>
        {projectId ? (
          <PermissionChoice projectId={projectId} value={permissions} onChange={setPermissions} />
        ) : null}
      </AgentDetails>
      {approval.view}
    </FormDialog>
  )
}

/** `a prompt, a project and a model`. */
const listed = (parts: string[]): string =>
  [parts.slice(0, -1).join(', '), ...parts.slice(-1)].filter(Boolean).join(' and ')

function PlaceFields(props: {
  found: Continuation | null
  failed: Problem | null
  projects: readonly Project[]
  place: ContinuationPlace | null
  isolation: Isolation
  onPlace(value: string): void
  onIsolation(isolation: Isolation): void
}) {
  const { found, failed, projects, place, isolation, onPlace, onIsolation } = props
  const { overlay } = useStores()
  if (failed) return <p className="text-small text-red">{failed.message}</p>
  if (!found) return <p className="text-small text-muted">Checking its folder…</p>
  const options = placeOptions(found, projects)
  if (options.length === 0)
    return (
      <EmptyState
        sentence={`${noPlaceReason(found)} Add a project to continue in.`}
        action={{ label: 'Add a project…', onClick: () => overlay.show({ kind: 'add-project' }) }}
      />
    )
  return (
    <>
      <div className="grid grid-cols-2 gap-4">
        <Field
          label="Folder"
          hint={
            place ? (
              <span className="untrusted wrap-anywhere">{place.dir}</span>
            ) : (
              noPlaceReason(found)
            )
          }
        >
          <Select
            value={place ? optionOf(place) : ''}
            onChange={onPlace}
            options={[
              ...(place ? [] : [{ value: '', label: 'Choose a project', disabled: true }]),
              ...options,
            ]}
          />
        </Field>
        <Field
          label="Works in"
          hint={
            isolation === 'worktree'
              ? 'It has only what is committed.'
              : place && !place.git
                ? 'Without Git, agents edit the folder directly.'
                : 'It edits your own files there.'
          }
        >
          <Select
            value={isolation}
            disabled={!place?.git}
            onChange={onIsolation}
            options={[
              { value: 'worktree', label: 'New worktree' },
              { value: 'in-place', label: 'The folder itself' },
            ]}
          />
        </Field>
      </div>
      {place ? (
        <ul role="status" aria-label="What changed since" className="text-small text-muted">
          {place.drift.map((line) => (
            <li key={line} className="untrusted wrap-anywhere">
              {line}
            </li>
          ))}
        </ul>
      ) : null}
    </>
  )
}

const historyHint = (at: number | null): string =>
  at === null
    ? 'The new task has the full history of the session. What is too long for the model is summarised first.'
    : 'The new task has the history up to the end of that turn. What is too long for the model is summarised first.'

/** The installed agent of the tool that recorded the session, if there is such an agent. */
const ownAgent = ({ spec }: Task): string | undefined =>
  spec.kind === 'acp' && spec.program !== 'acp' ? spec.program : undefined

const noPlaceReason = ({ recordedDir, dirExists, problem }: Continuation): string => {
  if (problem !== null) return problem
  if (recordedDir === '') return 'The session did not record its folder.'
  return dirExists
    ? `It worked in ${recordedDir}, which is not a project.`
    : `It worked in ${recordedDir}, which no longer exists.`
}

const folderValue = 'recorded folder'
const optionOf = (place: ContinuationPlace): string =>
  place.kind === 'project' ? place.projectId : folderValue

/** Null if none was chosen and the session has no place of its own. */
function placeChosen({ places }: Continuation, chosen: string | null): ContinuationPlace | null {
  const best = places.find((one) => one.kind === 'folder' || one.foundBy !== 'choice') ?? null
  return chosen === null ? best : (places.find((one) => optionOf(one) === chosen) ?? null)
}

function placeOptions({ places }: Continuation, projects: readonly Project[]) {
  const labels = projectLabels(projects)
  const found = places.map((place) =>
    place.kind === 'folder'
      ? { value: folderValue, label: nameOf(place.dir), hint: `${place.dir}, not a project yet` }
      : { value: place.projectId as string, label: place.name, hint: place.dir },
  )
  const known = new Set(found.map(({ value }) => value))
  const others = projects
    .filter(({ id }) => !known.has(id))
    .map(({ id, name, dir }) => ({
      value: id as string,
      label: labels.get(id) ?? name,
      hint: dir,
    }))
  return [...found, ...others]
}

const nameOf = (dir: string): string => dir.split(/[\\/]/).findLast(Boolean) ?? dir

/** `chosen`: a project that is not one of the session's own places. `found` is null while it loads. */
function useContinuation(task: Task, at: number | null, chosen: Project | undefined) {
  const { client } = useStores()
  const [found, setFound] = useState<Continuation | null>(null)
  const [failed, setFailed] = useState<Problem | null>(null)
  const { id: taskId } = task
  const projectId = chosen?.id
  useEffect(() => {
    const controller = new AbortController()
    setFailed(null)
    client.tasks
      .continuation(
        { taskId, ...(at !== null && { at }), ...(projectId && { projectId }) },
        { signal: controller.signal },
      )
      .then(setFound, (error: unknown) => {
        if (!controller.signal.aborted) setFailed(problemOf(error, 'check its folder'))
      })
    return () => controller.abort()
  }, [client, taskId, at, projectId])
  return { found, failed }
}
