/** What a test makes happen in the fake host: each is what the app records when it happens. */
import type { Cause } from '../../src/shared/records/causes.ts'
import type { EntryBody } from '../../src/shared/records/entries.ts'
import type { PartialMessage } from '../../src/shared/records/entry-types/messages.ts'
import {
  type EntryId,
  newEntryId,
  newProjectId,
  newTaskId,
  type ProjectId,
  runIdOf,
  shortId,
  type TaskId,
} from '../../src/shared/records/ids.ts'
import type { LedgerEventOf } from '../../src/shared/records/ledger.ts'
import type { PendingRemoval } from '../../src/shared/records/projects/workspaces.ts'
import { noUsage } from '../../src/shared/records/usage.ts'
import { scriptedSpec } from '../fixtures/scripted-spec.ts'
import type { Memory } from './memory.ts'

export type Happenings = ReturnType<typeof createHappenings>

const commit = '4f0c1d2e'.repeat(5)

export function createHappenings(memory: Memory) {
  const { given, state, reports, record, append, stream, find, project, sessionOf } = memory
  const runOf = (taskId: TaskId): number => find(taskId).runs.at(-1)?.run ?? 1

  function addProject(dir: string, git = true): ProjectId {
    const projectId = newProjectId()
    record({ type: 'project.added', projectId, name: dir.split('/').at(-1) ?? dir, dir, git })
    return projectId
  }

  /** Waits to begin, in a workspace of its own. */
  function createTask(
    fields: Partial<LedgerEventOf<'task.created'>> & { projectId: ProjectId },
  ): TaskId {
    const taskId = fields.taskId ?? newTaskId()
    const parent = fields.parentId ? find(fields.parentId) : undefined
    const { name, dir, git } = project(fields.projectId)
    const title = fields.title ?? 'A task'
    const isolation = git ? (fields.isolation ?? 'worktree') : 'in-place'
    record(
      {
        type: 'task.created',
        taskId,
        parentId: null,
        rootId: parent?.rootId ?? taskId,
        title,
        agent: 'lead',
        spec: scriptedSpec(),
        prompt: title,
        model: null,
        callId: null,
        resumedFrom: null,
        dependsOn: [],
        options: { agentsAtOnce: 3, keep: false },
        plan: {},
        ...fields,
        isolation,
      },
      {
        type: 'workspace.created',
        workspaceId: taskId,
        kind: parent ? 'task' : 'root',
        isolation,
        path: isolation === 'worktree' ? `worktrees/${name}/${shortId(taskId)}` : dir,
        branch: isolation === 'worktree' ? `shiplog/${shortId(taskId)}` : null,
        baseCommit: git ? commit : null,
        baseBranch: git ? 'main' : null,
      },
    )
    return taskId
  }

  /** Its next run begins. */
  function spawn(taskId: TaskId): void {
    const { runs, agent } = find(taskId)
    const run = runs.length + 1
    const process = { pid: 1, startedAt: '1' }
    record({ type: 'task.spawned', taskId, run, process, spawnCommit: commit })
    const runId = runIdOf(taskId, run)
    append(taskId, { type: 'run-start', runId, run, reason: 'prompt', agent })
  }

  /** A task that runs, and was told what to do. */
  function start(...created: Parameters<typeof createTask>): TaskId {
    const taskId = createTask(...created)
    spawn(taskId)
    const { prompt, images = [] } = find(taskId)
    const shown = images.map((image) => ({ type: 'image' as const, ...image }))
    append(taskId, message(taskId, 'user', [...shown, { type: 'text', text: prompt }], null))
    return taskId
  }

  /** What happens once it begins is for the test to say; as in the app, after the answer. */
  function begin(taskId: TaskId, listener: 'onStart' | 'onGoOn'): void {
    setTimeout(() => void given[listener]?.(taskId), 0)
  }

  function message(
    taskId: TaskId,
    role: 'user' | 'assistant',
    parts: PartialMessage['parts'],
    turn: number | null,
    uuid: EntryId = newEntryId(),
  ): Extract<EntryBody, { type: 'message' }> {
    const { workspace } = find(taskId)
    return {
      type: 'message',
      uuid,
      role,
      parts,
      turn,
      cwd: workspace?.path ?? '/',
      timestamp: new Date(memory.now()).toISOString(),
      gitBranch: workspace?.branch ?? null,
      sessionId: taskId,
      runId: runIdOf(taskId, runOf(taskId)),
      status: 'complete',
    }
  }

  function say(taskId: TaskId, text: string): void {
    const turn = sessionOf(taskId).entries.length + 1
    append(taskId, message(taskId, 'assistant', [{ type: 'text', text }], turn))
  }

  /** The message in progress begins, or (null) is dropped. */
  function partial(
    taskId: TaskId,
    parts: PartialMessage['parts'] | null,
    uuid = newEntryId(),
    turn = 1,
  ): EntryId {
    const body = message(taskId, 'assistant', parts ?? [], turn, uuid)
    stream(taskId, {
      type: 'partial',
      partial: parts ? { ...body, v: 1, uuid, status: 'interrupted' } : null,
    })
    return uuid
  }

  function delta(
    taskId: TaskId,
    part: number,
    text: string,
    partType: 'text' | 'reasoning' = 'text',
  ): void {
    stream(taskId, { type: 'delta', part, partType, text })
  }

  function report(taskId: TaskId, title: string, markdown: string): void {
    reports.set(taskId, markdown)
    record({ type: 'task.reported', taskId, run: runOf(taskId), title })
  }

  function complete(taskId: TaskId): void {
    const run = runOf(taskId)
    const runId = runIdOf(taskId, run)
    append(taskId, { type: 'run-end', runId, run, status: 'completed', cause: null })
    record({ type: 'task.completed', taskId, run, usage: noUsage })
  }

  function fail(taskId: TaskId, text: string): void {
    const cause = { kind: 'said', text } as const
    record({ type: 'task.failed', taskId, run: runOf(taskId), cause, usage: noUsage })
  }

  function interrupt(taskId: TaskId, cause: Cause = { kind: 'closed', how: 'quit' }): void {
    record({ type: 'task.interrupted', taskId, run: runOf(taskId), cause, usage: noUsage })
  }

  /** Its workspace is removed, or (`pending`) that is put off. */
  function archive(taskId: TaskId, pending: PendingRemoval | null = null): void {
    const step = pending === null ? 'removed' : 'started'
    record({ type: 'workspace.removal-advanced', workspaceId: taskId, step, pending })
    if (pending === null) stream(taskId, { type: 'ended' })
  }

  /** To the folder that it is in: only what goes with a move happens. */
  function moveProject(dir: string): void {
    const moved = [...state.projects.values()].find((one) => one.dir === dir)
    if (!moved) throw new Error(`the fake has no project in ${dir}`)
    const identity = { rootCommits: ['a1'], remote: null, within: '' }
    const { id: projectId, name } = moved
    record({ type: 'project.moved', projectId, name, from: '/code/old', dir, identity })
  }

  return {
    addProject,
    moveProject,
    createTask,
    spawn,
    start,
    begin,
    message,
    say,
    partial,
    delta,
    report,
    complete,
    fail,
    interrupt,
    archive,
  }
}
