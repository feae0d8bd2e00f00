/** What a test makes happen in the fake host. */

import type { EntryBody, PartialMessage } from '../../../src/shared/entries.ts'
import {
  type EntryId,
  newEntryId,
  newProjectId,
  newTaskId,
  type ProjectId,
  runIdOf,
  type TaskId,
  type ToolCallId,
} from '../../../src/shared/ids.ts'
import type { Activity } from '../../../src/shared/tasks.ts'
import { noUsage } from '../../../src/shared/usage.ts'
import { scriptedSpec } from '../../fixtures/scripted-spec.ts'
import { dataDir, type Memory } from './memory.ts'

export type Happenings = ReturnType<typeof createHappenings>

export function createHappenings(memory: Memory) {
  const { ledger, reports, ledgerListeners, now, record, append, publish, sessionOf } = memory

  function project(dir: string, git: boolean) {
    const projectId = newProjectId()
    record({ type: 'project.added', projectId, name: dir.split('/').at(-1) ?? dir, dir, git })
    const added = ledger.projects.get(projectId)
    if (!added) throw new Error('the project was not added')
    return added
  }

  /** A task that runs, in a worktree of its own. */
  function start(
    projectId: ProjectId,
    title: string,
    agent: string,
    under?: { parentId: TaskId; callId: ToolCallId | null; queued?: boolean },
  ): TaskId {
    const taskId = newTaskId()
    const parent = under ? ledger.tasks.get(under.parentId) : undefined
    record({
      type: 'task.created',
      taskId,
      parentId: under?.parentId ?? null,
      rootId: parent?.rootId ?? taskId,
      projectId,
      title,
      agent,
      spec: scriptedSpec(),
      prompt: title,
      model: null,
      isolation: 'worktree',
      callId: under?.callId ?? null,
      resumedFrom: null,
      dependsOn: [],
      options: { agentsAtOnce: 3, keep: false },
      plan: {},
    })
    if (under?.queued) return taskId
    record(
      {
        type: 'workspace.created',
        workspaceId: taskId,
        kind: under ? 'task' : 'root',
        isolation: 'worktree',
        path: `worktrees/harbour-lights/${taskId.slice(0, 8)}`,
        branch: `shiplog/${taskId.slice(0, 8)}`,
        baseCommit: '4f0c1d2e4f0c1d2e4f0c1d2e4f0c1d2e4f0c1d2e',
        baseBranch: 'main',
      },
      {
        type: 'task.spawned',
        taskId,
        run: 1,
        process: { pid: 1, startedAt: '1' },
        spawnCommit: '4f0c1d2e4f0c1d2e4f0c1d2e4f0c1d2e4f0c1d2e',
      },
    )
    append(
      taskId,
      {
        type: 'run-start',
        runId: runIdOf(taskId, 1),
        run: 1,
        reason: 'prompt',
        agent,
        model: null,
      },
      message(taskId, 'user', [{ type: 'text', text: title }], null),
    )
    return taskId
  }

  function message(
    taskId: TaskId,
    role: 'user' | 'assistant',
    parts: PartialMessage['parts'],
    turn: number | null,
    uuid: EntryId = newEntryId(),
  ): Extract<EntryBody, { type: 'message' }> {
    return {
      type: 'message',
      uuid,
      role,
      parts,
      cwd: `${dataDir}/worktrees/harbour-lights/${taskId.slice(0, 8)}`,
      timestamp: new Date(now()).toISOString(),
      gitBranch: `shiplog/${taskId.slice(0, 8)}`,
      sessionId: taskId,
      runId: runIdOf(taskId, 1),
      turn,
      status: 'complete',
    }
  }

  /** The message in progress begins, or (null) is dropped. */
  function partial(
    taskId: TaskId,
    parts: PartialMessage['parts'] | null,
    uuid = newEntryId(),
    turn = 1,
  ): EntryId {
    const { status: _, ...body } = message(taskId, 'assistant', parts ?? [], turn, uuid)
    sessionOf(taskId).partial = parts ? { ...body, v: 1, uuid, status: 'interrupted' } : null
    publish(taskId, { type: 'partial', partial: sessionOf(taskId).partial })
    return uuid
  }

  function delta(
    taskId: TaskId,
    part: number,
    text: string,
    partType: 'text' | 'reasoning' = 'text',
  ): void {
    publish(taskId, { type: 'delta', part, partType, text })
  }

  function report(taskId: TaskId, title: string, reportMarkdown: string): void {
    const ancestorIds: TaskId[] = []
    reports.set(taskId, {
      taskId,
      run: 1,
      title,
      reportMarkdown,
      createdAt: new Date(now()).toISOString(),
      ancestorIds,
    })
    record({ type: 'task.reported', taskId, run: 1, title })
  }

  function complete(taskId: TaskId): void {
    append(taskId, {
      type: 'run-end',
      runId: runIdOf(taskId, 1),
      run: 1,
      status: 'completed',
      cause: null,
    })
    record({
      type: 'task.completed',
      taskId,
      run: 1,
      usage: { ...noUsage, inputTokens: 12_340, outputTokens: 2_101 },
    })
  }

  function archive(taskId: TaskId): void {
    sessionOf(taskId).archived = true
    publish(taskId, { type: 'ended' })
    record({
      type: 'workspace.removal-advanced',
      workspaceId: taskId,
      step: 'removed',
      pending: null,
    })
  }

  function interrupt(taskId: TaskId): void {
    const cause = { kind: 'closed', how: 'quit' } as const
    record({ type: 'task.interrupted', taskId, run: 1, cause, usage: noUsage })
  }

  function activity(now: Record<TaskId, Activity | null>): void {
    for (const listener of ledgerListeners) listener({ type: 'activity', activity: now })
  }

  return { project, start, message, partial, delta, report, complete, archive, interrupt, activity }
}
