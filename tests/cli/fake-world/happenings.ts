/** What a test makes happen in the fake world. */

import type { Cause } from '../../../src/shared/causes.ts'
import {
  newProjectId,
  newTaskId,
  type ProjectId,
  runIdOf,
  type TaskId,
} from '../../../src/shared/ids.ts'
import type { LedgerEvent } from '../../../src/shared/ledger.ts'
import type { PendingRemoval } from '../../../src/shared/tasks.ts'
import { noUsage } from '../../../src/shared/usage.ts'
import { scriptedSpec } from '../../fixtures/scripted-spec.ts'
import { type Memory, startedAt } from './memory.ts'

export type Happenings = ReturnType<typeof createHappenings>

export function createHappenings(memory: Memory) {
  const { state, reports, record, openSession, append, stream, runOf, sessionOf } = memory

  function addProject(dir: string, git = true): ProjectId {
    const projectId = newProjectId()
    record({ type: 'project.added', projectId, name: 'fake', dir, git })
    return projectId
  }

  /** It is in the same folder as before: only what goes with a move happens. */
  function moveProject(dir: string): void {
    const project = [...state.projects.values()].find((one) => one.dir === dir)
    if (!project) throw new Error(`the fake has no project in ${dir}`)
    const identity = { rootCommits: ['a1'], remote: null, within: '' }
    const { id: projectId, name } = project
    record({ type: 'project.moved', projectId, name, from: '/code/old', dir, identity })
  }

  function createTask(
    fields: Partial<LedgerEvent & { type: 'task.created' }> & { projectId: ProjectId },
  ): TaskId {
    const taskId = fields.taskId ?? newTaskId()
    const parent = fields.parentId ? state.tasks.get(fields.parentId) : undefined
    record(
      {
        type: 'task.created',
        taskId,
        parentId: null,
        rootId: parent?.rootId ?? taskId,
        title: 'A task',
        agent: 'lead',
        spec: scriptedSpec(),
        prompt: 'Do it',
        model: null,
        isolation: 'worktree',
        callId: null,
        resumedFrom: null,
        dependsOn: [],
        options: { agentsAtOnce: 3, keep: false },
        plan: {},
        ...fields,
      },
      {
        type: 'workspace.created',
        workspaceId: taskId,
        kind: parent ? 'task' : 'root',
        isolation: 'worktree',
        path: `worktrees/fake/${taskId}`,
        branch: `shiplog/${taskId.slice(0, 8)}`,
        baseCommit: null,
        baseBranch: 'main',
      },
    )
    openSession(taskId)
    return taskId
  }

  function spawn(taskId: TaskId): void {
    const process = { pid: 1, startedAt: '1' }
    const run = (state.tasks.get(taskId)?.runs.length ?? 0) + 1
    record({ type: 'task.spawned', taskId, run, process, spawnCommit: null })
    append(taskId, {
      type: 'run-start',
      runId: runIdOf(taskId, run),
      run,
      reason: 'prompt',
      agent: 'lead',
    })
  }

  function say(taskId: TaskId, text: string): void {
    const turn = sessionOf(taskId).entries.length + 1
    append(taskId, {
      type: 'message',
      role: 'assistant',
      parts: [{ type: 'text', text }],
      cwd: '/data/worktrees',
      timestamp: new Date(startedAt).toISOString(),
      gitBranch: 'main',
      sessionId: taskId,
      runId: runIdOf(taskId, runOf(taskId)),
      turn,
      status: 'complete',
    })
  }

  function report(taskId: TaskId, title: string, markdown: string): void {
    const parentId = state.tasks.get(taskId)?.parentId
    reports.set(taskId, {
      taskId,
      run: runOf(taskId),
      title,
      reportMarkdown: markdown,
      createdAt: new Date(startedAt).toISOString(),
      ancestorIds: parentId ? [parentId] : [],
    })
    record({ type: 'task.reported', taskId, run: runOf(taskId), title })
  }

  function complete(taskId: TaskId): void {
    const run = runOf(taskId)
    append(taskId, {
      type: 'run-end',
      runId: runIdOf(taskId, run),
      run,
      status: 'completed',
      cause: null,
    })
    record({ type: 'task.completed', taskId, run, usage: noUsage })
  }

  function fail(taskId: TaskId, text: string): void {
    const cause = { kind: 'said', text } as const
    record({ type: 'task.failed', taskId, run: runOf(taskId), cause, usage: noUsage })
  }

  function interrupt(taskId: TaskId, cause: Cause): void {
    record({ type: 'task.interrupted', taskId, run: runOf(taskId), cause, usage: noUsage })
  }

  function archive(taskId: TaskId, pending: PendingRemoval | null = null): void {
    if (pending === null) {
      sessionOf(taskId).archived = true
      stream(taskId, { type: 'ended' })
    }
    const step = pending === null ? 'removed' : 'started'
    record({ type: 'workspace.removal-advanced', workspaceId: taskId, step, pending })
  }

  return {
    addProject,
    moveProject,
    createTask,
    spawn,
    say,
    report,
    complete,
    fail,
    interrupt,
    archive,
  }
}
