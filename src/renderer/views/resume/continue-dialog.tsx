import { useEffect, useRef, useState } from 'react'
import type { AgentChoice } from '../../../shared/agents/agent-specs.ts'
import { installedAgentName } from '../../../shared/agents/installed-agents.ts'
import type { MissingFiles, TurnDiff } from '../../../shared/contract/transcripts/turn-files.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { counted } from '../../components/primitives/format.ts'
import { Field, RelativeTime, Select } from '../../components/primitives/index.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import { useProjects, useStores, useTask } from '../../store/hooks.ts'
import type { ContinueOptions } from '../../store/window/overlay.ts'
import { taskRoute } from '../../store/window/route.ts'
import { AgentDetails } from '../agents/agent-fields.tsx'
import type { ScenarioFile } from '../agents/scenario-field.tsx'
import { useAgentChoice } from '../agents/use-agent-choice.ts'
import { FormDialog } from '../dialogs/form-dialog.tsx'
import { ContinueImportedForm } from './continue-imported-form.tsx'
import { ContinuePrompt } from './continue-prompt.tsx'

/** The option that keeps the task's agent. */
const same = 'same'
/** The task's changes list the rest. */
const filesNamedMax = 5

/**
 * A new task that continues from another one, with its history and its files (of that moment, if it does not continue from
 * its end), and with its agent or another one (T4).
 */
export function ContinueDialog({ taskId, at, ...options }: { taskId: TaskId } & ContinueOptions) {
  const task = useTask(taskId)
  if (!task) return null
  return task.imported ? (
    <ContinueImportedForm task={task} at={at ?? null} />
  ) : (
    <ContinueForm task={task} at={at ?? null} options={options} />
  )
}

function ContinueForm(props: { task: Task; at: number | null; options: ContinueOptions }) {
  const { task, at, options } = props
  const { id: taskId } = task
  const { client, navigation, drafts } = useStores()
  const field = useRef<HTMLTextAreaElement>(null)
  const [prompt, setPrompt] = useState(() => promptAtFirst(task, at, options.draft))
  const [scenario, setScenario] = useState<ScenarioFile | null>(null)
  const agent = useAgentChoice(scenario, options.agent)
  // The agent of an interrupted task continues it by a resume; a new task from its end needs another agent.
  const needsAnother = task.status === 'interrupted' && at === null
  const [isSame, setIsSame] = useState(!needsAnother && options.agent === undefined)
  const [problem, setProblem] = useState<Problem | null>(null)
  const errorOf = (name: string) => (problem?.field === name ? problem.message : null)
  const choice: AgentChoice | null = isSame ? null : agent.choice
  const text = prompt.trim()
  const submit = async () => {
    setProblem(null)
    try {
      const { taskId: newTaskId } = await client.tasks.continueFrom({
        taskId,
        prompt: text,
        ...(at !== null && { at }),
        ...(choice && { agent: choice }),
      })
      if (choice) agent.remember()
      if (options.draft !== undefined) drafts.sent(taskId, text)
      navigation.go(taskRoute(newTaskId))
    } catch (error) {
      setProblem(problemOf(error, 'continue as a new task'))
      throw error
    }
  }
  return (
    <FormDialog
      title={`Continue “${task.title}” as a new task`}
      action="Start"
      doing="continue as a new task"
      canSubmit={text !== '' && (isSame || choice !== null)}
      submit={submit}
      focus={field}
      submitsByModEnter
    >
      <ContinuePrompt
        ref={field}
        value={prompt}
        onChange={setPrompt}
        placeholder={at === null ? undefined : 'What to do from there'}
        hint={historyHint(at)}
        error={errorOf('prompt')}
      />
      <Field
        label="Agent"
        hint={
          needsAnother
            ? 'To continue with the same agent, resume it. Another one takes its place, and it is abandoned.'
            : null
        }
        error={errorOf('command')}
      >
        <Select
          value={isSame ? same : agent.picked}
          onChange={(picked: string) => {
            setIsSame(picked === same)
            if (picked !== same) agent.pick(picked)
          }}
          options={[
            ...(needsAnother ? [] : [{ value: same, label: `The same: ${agentName(task)}` }]),
            ...agent.offers,
          ]}
        />
      </Field>
      {isSame ? null : (
        <AgentDetails agent={agent} scenario={scenario} onScenario={setScenario} errorOf={errorOf}>
          {null}
        </AgentDetails>
      )}
      <FromFiles task={task} at={at} />
    </FormDialog>
  )
}

/**
 * The draft, else the task's own prompt; empty when it continues from an earlier turn. An empty draft counts only for a
 * task that was not interrupted.
 */
function promptAtFirst({ prompt, status }: Task, at: number | null, draft?: string): string {
  if (draft !== undefined && (draft.trim() !== '' || status !== 'interrupted')) return draft
  return at === null ? prompt : ''
}

const historyHint = (at: number | null): string =>
  at === null
    ? 'The new task has the full history.'
    : 'The new task has the history up to the end of that turn. This task stays as it is.'

function agentName({ spec, agent, model }: Task): string {
  return spec.kind === 'acp' ? installedAgentName(spec) : (model ?? agent)
}

/** Which files the new task starts from, and what changed since the agent stopped. */
function FromFiles({ task, at }: { task: Task; at: number | null }) {
  const project = useProjects().find(({ id }) => id === task.projectId)
  const isKnown = project?.git ?? false
  const found = useFilesSince(isKnown ? task : null, at)
  if (!isKnown) return <p className="text-small text-muted">It works in the project folder.</p>
  if (found === null) return <p className="text-small text-muted">Comparing the files…</p>
  if (found.kind === 'missing')
    return (
      <p className="text-small text-muted">
        {at === null ? 'It starts from the files as they are now.' : found.message}
      </p>
    )
  const { stated, files } = found
  const names = files.slice(0, filesNamedMax).map(({ path }) => path)
  const more = files.length - names.length
  return (
    <div role="status" className="text-small text-muted">
      <p>
        {at === null ? (
          'Files: as they are now.'
        ) : (
          <>
            Files: a new worktree with those of{' '}
            {stated.turn === null ? 'that moment' : `turn ${stated.turn}`},{' '}
            <RelativeTime at={new Date(stated.at).toISOString()} />.
          </>
        )}{' '}
        {files.length === 0
          ? 'Nothing has changed since.'
          : `${counted(files.length, 'file')} changed since${at === null ? ' its last turn' : ''}:`}
      </p>
      {names.length > 0 ? (
        <ul className="untrusted mt-1 pl-4 font-mono text-code">
          {names.map((path) => (
            <li key={path} className="truncate" title={path}>
              {path}
            </li>
          ))}
          {more > 0 ? <li className="font-sans">and {counted(more, 'more file')}</li> : null}
        </ul>
      ) : null}
    </div>
  )
}

/** Null while the comparison runs, and without a task. */
function useFilesSince(task: Task | null, at: number | null): TurnDiff | MissingFiles | null {
  const { client } = useStores()
  const [found, setFound] = useState<TurnDiff | MissingFiles | null>(null)
  const taskId = task?.id ?? null
  useEffect(() => {
    if (taskId === null) return
    const controller = new AbortController()
    client.turnFiles
      .diff(
        { taskId, seq: at ?? Number.MAX_SAFE_INTEGER, against: 'now', patch: false },
        { signal: controller.signal },
      )
      .then(setFound, (error: unknown) => {
        if (controller.signal.aborted) return
        const { message } = problemOf(error, 'compare the files')
        setFound({ kind: 'missing', reason: 'lost', message })
      })
    return () => controller.abort()
  }, [client, taskId, at])
  return found
}
