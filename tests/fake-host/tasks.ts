/** The answers about tasks. */

import type { AgentChoice, AgentSpec } from '../../src/shared/agents/agent-specs.ts'
import type { ModelRef } from '../../src/shared/agents/model-refs.ts'
import type { ApplyOutcome, UndoOutcome } from '../../src/shared/agents/tools.ts'
import { untilAborted } from '../../src/shared/async/until-aborted.ts'
import type { ChangeSelection } from '../../src/shared/contract/changes/changes.ts'
import { FailureError, invalid, refused } from '../../src/shared/failure.ts'
import {
  ancestorsOf,
  descendantsOf,
  taskTree,
} from '../../src/shared/projections/ledger/ledger-state.ts'
import {
  newPromptId,
  newUpdateId,
  type TaskId,
  type UpdateId,
} from '../../src/shared/records/ids.ts'
import { undoableApply, undoableDays } from '../../src/shared/records/projects/file-updates.ts'
import { isBeingRemoved } from '../../src/shared/records/projects/workspaces.ts'
import type { Activity } from '../../src/shared/records/tasks/activity.ts'
import { isRunning } from '../../src/shared/records/tasks/task-status.ts'
import type { Task } from '../../src/shared/records/tasks/tasks.ts'
import { noUsage } from '../../src/shared/records/usage.ts'
import { externalLink } from '../../src/shared/text/external-link.ts'
import type { Happenings } from './happenings.ts'
import type { Implementer } from './implementer.ts'
import type { Memory } from './memory.ts'
import { modelRefOf } from './models.ts'
import type { FakeResume } from './resume.ts'
import { inScope, refuseTrashed } from './transcripts.ts'
import { applyTarget, diffOf, isolated } from './workspaces.ts'

/** The activity of an agent that was asked to report. */
const wrappingUp: Activity = { state: 'working', text: 'Thinking', wrapsUp: true }

export function taskAnswers(
  os: Implementer,
  deps: { memory: Memory; happenings: Happenings; resume: FakeResume },
) {
  const { memory, happenings, resume } = deps
  const { given, state, reports, record, append, sessionOf, find, project } = memory

  function stop(text: string): { stopped: TaskId[]; cancelled: TaskId[] } {
    const named = find(text)
    const tree = () => [...descendantsOf(state, named.id), find(named.id)]
    const isWaiting = ({ status }: Task) => status === 'queued' || status === 'blocked'
    const cause = { kind: 'stopped', by: 'person' } as const
    const stopped = tree().filter(({ status }) => isRunning(status))
    for (const { id: taskId, runs } of stopped) {
      const run = runs.at(-1)?.run ?? 1
      record({ type: 'task.interrupted', taskId, run, cause, usage: noUsage })
    }
    // Under an agent that has ended it may still have its turn: there was nothing to stop.
    const cancelled = stopped.length > 0 || isWaiting(named) ? tree().filter(isWaiting) : []
    for (const { id: taskId } of cancelled) record({ type: 'task.cancelled', taskId, cause })
    return { stopped: stopped.map(({ id }) => id), cancelled: cancelled.map(({ id }) => id) }
  }

  function recordUpdate(
    taskId: TaskId,
    about: { reason: 'apply' | 'undo'; undoes?: UpdateId; files: number; partial?: boolean },
  ): void {
    const updateId = newUpdateId()
    const root = applyTarget(memory, find(taskId))
    const commit = '0'.repeat(40)
    record(
      { type: 'files.update-started', updateId, taskId, dir: root, root, commit, ...about },
      { type: 'files.updated', updateId, taskId },
    )
  }

  function apply(text: string, selection?: ChangeSelection): ApplyOutcome {
    const { task, workspace } = isolated(find(text))
    if (workspace.isolation === 'in-place')
      refused(
        'nothing-to-apply',
        `"${task.title}" worked in place: its changes are in ${workspace.path} already.`,
      )
    if (isRunning(task.status))
      refused(
        'running',
        `"${task.title}" is running. You can apply its changes when it has finished.`,
      )
    const diff = diffOf(memory, task)
    if (selection && selection.tree !== diff.tree)
      refused(
        'changed-since-shown',
        `The changes of "${task.title}" are no longer those that were shown. Review them again, then apply.`,
      )
    const missing = selection?.files.find(
      ({ path }) => !diff.files.some((one) => one.path === path),
    )
    if (missing) invalid('selection', `"${task.title}" changed nothing at ${missing.path}.`)
    const files = diff.files
      .filter(({ path }) => !selection || selection.files.some((one) => one.path === path))
      .map(({ path, change, oldPath }) => ({ path, change, oldPath }))
    const went: ApplyOutcome =
      files.length > 0 ? { kind: 'applied', files } : { kind: 'nothing-to-apply' }
    const outcome = given.apply ?? went
    if (outcome.kind === 'applied')
      recordUpdate(task.id, {
        reason: 'apply',
        files: outcome.files.length,
        ...(selection ? { partial: true } : {}),
      })
    return outcome
  }

  function undo(text: string): UndoOutcome {
    const task = find(text)
    const applied = undoableApply(task, memory.now())
    if (!applied) return refused('nothing-to-undo', whyNothing(task))
    if (given.undo?.kind === 'changed-since') return given.undo
    const { id: undoes, files: count, partial } = applied
    recordUpdate(task.id, { reason: 'undo', undoes, files: count, ...(partial && { partial }) })
    const paths = diffOf(memory, task).files.map(({ path }) => path)
    return given.undo ?? { kind: 'undone', files: applied.files, paths }
  }

  function continuedAs({
    agent,
    model,
  }: {
    agent?: AgentChoice | undefined
    model?: string | undefined
  }): Partial<Pick<Task, 'agent' | 'spec' | 'model'>> | null {
    const wanted = agent?.kind === 'model' ? agent.model : model
    if (wanted === undefined) return agent ? {} : null
    return { agent: 'lead', model: wanted, spec: modelSpec(modelRefOf(given.models, wanted)) }
  }

  return {
    start: os.tasks.start.handler(async ({ input }) => {
      const { projectId, agent, prompt } = input
      if (agent.kind === 'scripted' && agent.scenario.includes('malformed'))
        invalid('scenario', `${agent.source}:3:turn: unknown key`)
      const { git } = project(projectId)
      const taskId = happenings.createTask({
        projectId,
        prompt,
        ...(await memory.images.keep(input.images)),
        title: input.title?.trim() || prompt.trim().split('\n', 1)[0] || 'Untitled',
        isolation: git ? input.isolation : 'in-place',
        ...(agent.kind === 'model' && {
          model: agent.model,
          spec: modelSpec(modelRefOf(given.models, agent.model)),
        }),
        options: {
          agentsAtOnce: input.agentsAtOnce ?? 3,
          keep: input.keep,
          ...(input.permissions && { permissions: input.permissions }),
          ...(input.quotaWaits && { quotaWaits: input.quotaWaits }),
        },
      })
      happenings.begin(taskId, 'onStart')
      return { taskId }
    }),
    prompt: os.tasks.prompt.handler(async ({ input }) => {
      const task = find(input.taskId)
      const { taskId, prompt } = input
      if (input.atNextTurn) {
        if (!isRunning(task.status)) refused('not-running', `"${task.title}" is not running.`)
        record({ type: 'task.prompted', taskId, promptId: newPromptId(), prompt, atNextTurn: true })
        return {}
      }
      const isQueued = task.parentId === null && isRunning(task.status)
      if (!isQueued) resume.refuseUnlessIdle(task)
      const images = await memory.images.keep(input.images)
      record({ type: 'task.prompted', taskId, promptId: newPromptId(), prompt, ...images })
      if (!isQueued) happenings.begin(taskId, 'onGoOn')
      return {}
    }),
    startWaitingPrompt: os.tasks.startWaitingPrompt.handler(({ input }) => {
      const task = find(input.taskId)
      resume.refuseUnlessIdle(task)
      if (task.status !== 'queued' && !task.waitingPrompts?.length)
        refused('not-running', `"${task.title}" has nothing waiting to start.`)
      happenings.begin(task.id, 'onGoOn')
      return {}
    }),
    withdrawPrompt: os.tasks.withdrawPrompt.handler(({ input: { taskId: text, promptId } }) => {
      const { id: taskId, title, waitingPrompts } = find(text)
      if (!waitingPrompts?.some(({ id }) => id === promptId))
        refused('not-running', `That follow-up is no longer waiting in "${title}".`)
      record({ type: 'task.prompt-withdrawn', taskId, promptId })
      return {}
    }),
    stop: os.tasks.stop.handler(({ input }) => stop(input.taskId)),
    wrapUp: os.tasks.wrapUp.handler(({ input }) => {
      const { id, title, status } = find(input.taskId)
      if (!isRunning(status)) refused('not-running', `"${title}" is not running.`)
      const asked = [id, ...descendantsOf(state, id).map((one) => one.id)].filter((one) =>
        isRunning(find(one).status),
      )
      memory.setActivity(Object.fromEntries(asked.map((one) => [one, wrappingUp])))
      return { asked, cancelled: [] }
    }),
    compact: os.tasks.compact.handler(({ input }) => {
      const { title, status, spec } = find(input.taskId)
      if (spec.kind !== 'model')
        refused('not-running', `"${title}" plays a script: it has no context that fills.`)
      return { at: isRunning(status) ? ('next-turn' as const) : ('next-run' as const) }
    }),
    tryNow: os.tasks.tryNow.handler(({ input }) => {
      const { id, title } = find(input.taskId)
      const doing = memory.activity[id]
      if (doing?.state !== 'working' || doing.retriesAt === undefined)
        refused('not-running', `"${title}" does not wait to try again.`)
      memory.setActivity({ [id]: { state: 'working', text: 'Thinking' } })
      return { trying: [id] }
    }),
    wake: os.tasks.wake.handler(({ input }) => {
      record({ type: 'task.sleep-ended', taskId: find(input.taskId).id, because: 'woke' })
      return {}
    }),
    cancelSleep: os.tasks.cancelSleep.handler(({ input }) => {
      record({ type: 'task.sleep-ended', taskId: find(input.taskId).id, because: 'cancelled' })
      return {}
    }),
    setBudget: os.tasks.setBudget.handler(({ input: { taskId, budget } }) => {
      record({ type: 'task.budget-set', taskId: find(taskId).id, budget })
      return {}
    }),
    list: os.tasks.list.handler(({ input: { all, status, projectDir } }) => ({
      tasks: taskTree(
        [...state.tasks.values()].filter((task) => {
          if (task.trashed) return false
          const root = state.tasks.get(task.rootId)
          if (!all && root && (root.archived || isBeingRemoved(root))) return false
          if (status === 'running' ? !isRunning(task.status) : status && task.status !== status)
            return false
          return projectDir === undefined || task.projectDir === projectDir
        }),
      ),
    })),
    report: os.tasks.report.handler(({ input }) => {
      const task = inScope(memory, input)
      refuseTrashed(task)
      const { id, title, status, runs, hasReport, reportTitle, endedAt, createdAt } = task
      const reportMarkdown = reports.get(id)
      const last = runs.at(-1)?.run ?? 1
      if (reportMarkdown === undefined || (input.run ?? last) !== last) {
        if (hasReport && input.run === undefined)
          throw new FailureError({
            kind: 'damaged',
            what: 'report',
            id,
            file: 'reports',
            reason: 'the ledger refers to a report that is not on disk',
          })
        const why =
          input.run === undefined
            ? `"${title}" has no report: it is ${status}.`
            : `"${title}" has no report of a run ${input.run}.`
        throw new FailureError({ kind: 'not-found', what: 'report', id, why })
      }
      return {
        taskId: id,
        run: last,
        title: reportTitle ?? 'Report',
        reportMarkdown,
        createdAt: endedAt ?? createdAt,
        ancestorIds: ancestorsOf(state, id),
      }
    }),
    applyPatch: os.tasks.applyPatch.handler(({ input }) => apply(input.taskId, input.selection)),
    undoApply: os.tasks.undoApply.handler(({ input }) => undo(input.taskId)),
    planResume: os.tasks.planResume.handler(async ({ input }) => ({
      candidates: await resume.plan(input.selector),
    })),
    resume: os.tasks.resume.handler(({ input }) => resume.resume(input)),
    resumeEnded: os.tasks.resumeEnded.handler(async ({ input, signal }) => ({
      ended: await untilAborted(resume.ended(input.taskIds), signal),
    })),
    restart: os.tasks.restart.handler(({ input }) => resume.restart(input.taskId)),
    continueFrom: os.tasks.continueFrom.handler(({ input }) => ({
      taskId: resume.continueFrom(input.taskId, { ...input, as: continuedAs(input) }),
    })),
    continuation: os.tasks.continuation.handler(({ input }) => {
      const { id, projectDir } = find(input.taskId)
      return (
        given.continuations?.[id] ?? {
          recordedDir: projectDir,
          dirExists: false,
          places: [],
          problem: null,
        }
      )
    }),
    abandon: os.tasks.abandon.handler(({ input }) => {
      resume.abandon(input.taskId)
      return {}
    }),
    rename: os.tasks.rename.handler(async ({ input }) => {
      const { id: taskId, parentId, title } = find(input.taskId)
      if (parentId !== null)
        refused('not-a-root', `"${title}" is a sub-agent; only roots can be renamed.`)
      const line = input.title.replaceAll(/\s+/g, ' ')
      if (line !== title) record({ type: 'task.renamed', taskId, title: line })
      return {}
    }),
    setNextRun: os.tasks.setNextRun.handler(({ input: { taskId: text, model, permissions } }) => {
      const { id: taskId } = find(text)
      if (model !== undefined)
        record({ type: 'task.model-set', taskId, model: modelRefOf(given.models, model) })
      if (permissions) record({ type: 'task.permissions-set', taskId, permissions })
      return {}
    }),
    linkPullRequest: os.tasks.linkPullRequest.handler(({ input }) => {
      const { id, title, workspace } = find(input.taskId)
      const url = externalLink(input.url.trim())
      if (url === null)
        return invalid('url', 'Enter the address of a pull request, such as https://github.com/…')
      if (workspace?.removal) refused('removed', `"${title}" is in the archive. Restore it first.`)
      const links = sessionOf(id).entries.flatMap((one) => (one.type === 'pr-link' ? one.url : []))
      if (links.includes(url)) return { linked: false }
      append(id, { type: 'pr-link', url, source: 'person' })
      return { linked: true }
    }),
    changedFileDiff: os.tasks.changedFileDiff.handler(({ input }) => ({
      patch: diffOf(memory, find(input.taskId)).patch,
    })),
    retry: os.tasks.retry.handler(({ input }) => {
      resume.retry(input.taskId)
      return {}
    }),
  }
}

function whyNothing({ title, fileUpdates = [] }: Task): string {
  const old = fileUpdates.some(({ reason, doneAt }) => reason === 'apply' && doneAt !== null)
  return old
    ? `"${title}" was applied more than ${undoableDays} days ago, so the replaced content is no longer kept.`
    : `The changes of "${title}" are not applied, so there is nothing to undo.`
}

const modelSpec = (model: ModelRef): AgentSpec => ({ kind: 'model', agent: 'lead', ...model })
