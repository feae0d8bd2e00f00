/** Arbitrary histories of a ledger: what the fold makes of any order of events, sensible or not. */

import type { Cause } from '../../src/shared/records/causes.ts'
import {
  newProjectId,
  newTaskId,
  newUpdateId,
  type ProjectId,
  type TaskId,
  type ToolCallId,
} from '../../src/shared/records/ids.ts'
import type { LedgerEvent } from '../../src/shared/records/ledger.ts'
import { removalSteps } from '../../src/shared/records/projects/workspaces.ts'
import { patchStatusSchema } from '../../src/shared/records/tasks/tasks.ts'
import { scriptedSpec } from '../fixtures/scripted-spec.ts'
import fc, { anyText } from '../random.ts'

const projects = Array.from({ length: 2 }, newProjectId)
const tasks = Array.from({ length: 5 }, newTaskId)
const text = anyText({ maxLength: 12 })
const projectId = fc.constantFrom(...projects)
const taskId = fc.constantFrom(...tasks)
const updateId = fc.constantFrom(...Array.from({ length: 3 }, newUpdateId))
const run = fc.integer({ min: 1, max: 3 })
const usage = fc.record({
  inputTokens: fc.nat(),
  outputTokens: fc.nat(),
  cacheReadTokens: fc.nat(),
  cacheWriteTokens: fc.nat(),
  reasoningTokens: fc.nat(),
  costUsd: fc.option(fc.constantFrom(0, 0.01, 0.3)),
  pricedBy: fc.option(fc.constantFrom('agent' as const, 'estimate' as const)),
  unpriced: fc.boolean(),
  complete: fc.boolean(),
})
const identity = fc.record({
  rootCommits: fc.array(text),
  remote: fc.option(text),
  within: fc.constantFrom('', 'api'),
})
const endedAt = fc.integer({ min: 1, max: 4_000_000_000_000 })

export const taskCreated = (id: TaskId, project: ProjectId, parentId: TaskId | null = null) =>
  ({
    type: 'task.created',
    taskId: id,
    parentId,
    rootId: parentId ?? id,
    projectId: project,
    title: 'A task',
    agent: 'lead',
    spec: scriptedSpec(),
    prompt: 'Do it',
    model: null,
    isolation: 'worktree',
    callId: parentId ? ('call-1' as ToolCallId) : null,
    resumedFrom: null,
    dependsOn: [],
    options: { agentsAtOnce: 3, keep: false },
    plan: {},
  }) as const satisfies LedgerEvent

/** Any event about two projects and five tasks. */
const cause: fc.Arbitrary<Cause> = fc.oneof(
  fc.record({ kind: fc.constant('said' as const), text }),
  fc.record({ kind: fc.constant('error' as const), detail: text }),
  fc.record({ kind: fc.constant('crashed' as const) }),
  fc.record({
    kind: fc.constant('stopped' as const),
    by: fc.constantFrom('person' as const, 'parent' as const),
  }),
)

export const anyEvent: fc.Arbitrary<LedgerEvent> = fc.oneof(
  fc.record({
    type: fc.constant('project.added' as const),
    projectId,
    name: text,
    dir: fc.constantFrom('/home/ada/api', '/data/demo'),
    git: fc.boolean(),
    identity: fc.option(identity, { nil: undefined }),
  }),
  fc.record({
    type: fc.constant('project.moved' as const),
    projectId,
    name: text,
    from: fc.constantFrom('/home/ada/api', '/data/demo', 'demo'),
    dir: fc.constantFrom('/home/ada/api', '/home/ada/moved', 'demo'),
    identity,
  }),
  fc.record({
    type: fc.constant('project.identified' as const),
    projectId,
    git: fc.boolean(),
    identity: fc.option(identity, { nil: undefined }),
    replaced: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('project.sandbox-set' as const),
    projectId,
    sandbox: fc.constantFrom('off' as const, 'writes' as const),
  }),
  fc.record({
    type: fc.constant('project.environment-set' as const),
    projectId,
    environment: fc.record({
      allowed: fc.subarray(['NPM_TOKEN']),
      only: fc.option(fc.subarray(['JAVA_HOME'])),
    }),
  }),
  fc.record({ type: fc.constant('project.removed' as const), projectId }),
  fc.record({
    type: fc.constant('project.setup-trusted' as const),
    projectId,
    configSha256: text,
  }),
  fc.record({
    type: fc.constant('project.git-config-allowed' as const),
    projectId,
    sha256: text,
  }),
  fc.record({
    type: fc.constant('project.agent-config-allowed' as const),
    projectId,
    files: fc.array(fc.record({ path: text, sha256: text }), { minLength: 1, maxLength: 3 }),
  }),
  fc
    .tuple(taskId, projectId, fc.option(taskId))
    .map(([id, project, parent]) => taskCreated(id, project, parent === id ? null : parent)),
  fc.record({
    type: fc.constant('workspace.created' as const),
    workspaceId: taskId,
    kind: fc.constantFrom('root' as const, 'task' as const),
    isolation: fc.constantFrom('worktree' as const, 'in-place' as const),
    path: fc.constantFrom('worktrees/api/one', '/home/ada/api'),
    branch: fc.option(text),
    baseCommit: fc.option(text),
    baseBranch: fc.option(text),
  }),
  fc.record({
    type: fc.constant('task.spawned' as const),
    taskId,
    run,
    process: fc.constant({ pid: 1, startedAt: 'then' }),
    spawnCommit: fc.option(text),
  }),
  fc.record({ type: fc.constant('task.reported' as const), taskId, run, title: text }),
  fc.record({ type: fc.constant('task.completed' as const), taskId, run, usage }),
  fc.record({
    type: fc.constant('task.interrupted' as const),
    taskId,
    run,
    endedAt,
    cause,
    usage,
  }),
  fc.record({ type: fc.constant('task.failed' as const), taskId, run, cause, usage }),
  fc.record({ type: fc.constant('task.requeued' as const), taskId }),
  fc.record({ type: fc.constant('task.cancelled' as const), taskId, cause }),
  fc.record({
    type: fc.constant('task.patch-changed' as const),
    taskId,
    status: fc.constantFrom(...patchStatusSchema.options),
  }),
  fc.record({
    type: fc.constant('files.update-started' as const),
    updateId,
    taskId,
    reason: fc.constantFrom('apply' as const, 'undo' as const),
    undoes: fc.option(updateId, { nil: undefined }),
    dir: fc.constantFrom('worktrees/api/one', '/home/ada/api'),
    root: fc.constantFrom('worktrees/api/one', '/home/ada/api'),
    commit: text,
    files: fc.nat(10_000),
  }),
  fc.record({ type: fc.constant('files.updated' as const), updateId, taskId }),
  fc.record({
    type: fc.constant('files.update-rolled-back' as const),
    updateId,
    taskId,
    left: fc.array(text),
  }),
  fc.record({
    type: fc.constant('workspace.removal-advanced' as const),
    workspaceId: taskId,
    step: fc.constantFrom(...removalSteps),
    pending: fc.option(fc.record({ step: fc.constantFrom(...removalSteps), error: text })),
  }),
  fc.record({ type: fc.constant('workspace.restore-started' as const), workspaceId: taskId }),
  fc.record({ type: fc.constant('workspace.restore-failed' as const), workspaceId: taskId }),
  fc.record({
    type: fc.constant('workspace.restored' as const),
    workspaceId: taskId,
    branch: fc.option(text),
  }),
  fc.record({ type: fc.constant('workspace.trashed' as const), workspaceId: taskId }),
  fc.record({ type: fc.constant('workspace.untrashed' as const), workspaceId: taskId }),
)

/** A history as a ledger has it: a project, a task, then whatever happens to them. */
export function history(length: number, { titled = 'A task' } = {}): LedgerEvent[] {
  const [project] = projects
  const [task] = tasks
  if (!project || !task) throw new Error('there are ids')
  const events: LedgerEvent[] = [
    { type: 'project.added', projectId: project, name: 'api', dir: '/home/ada/api', git: true },
    { ...taskCreated(task, project), title: titled },
  ]
  for (let n = events.length; n < length; n++)
    events.push({ type: 'task.reported', taskId: task, run: 1, title: `Report ${n}` })
  return events
}
