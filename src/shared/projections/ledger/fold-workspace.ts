/** Folds a task's workspace: its creation, removal and restoring. */
import type { LedgerEventOf } from '../../records/ledger.ts'
import type { Workspace } from '../../records/projects/workspaces.ts'
import type { Task } from '../../records/tasks/tasks.ts'
import { absolutePath } from './absolute-path.ts'
import type { LedgerState } from './ledger-state.ts'

export function foldWorkspace(
  state: LedgerState,
  task: Task,
  event: LedgerEventOf<
    | 'workspace.created'
    | 'workspace.removal-advanced'
    | 'workspace.leftovers-kept'
    | 'workspace.restore-started'
    | 'workspace.restore-failed'
    | 'workspace.restored'
  >,
  at: string,
): Partial<Task> {
  const change = (fields: Partial<Workspace>): Pick<Task, 'workspace'> => ({
    workspace: task.workspace && { ...task.workspace, ...fields },
  })
  switch (event.type) {
    case 'workspace.created':
      return { workspace: createdWorkspace(state, task, event, at) }
    case 'workspace.removal-advanced': {
      const { step, pending } = event
      return { archived: step === 'removed', ...change({ removal: step, pending }) }
    }
    case 'workspace.leftovers-kept':
      return { leftovers: withKept(task.leftovers, event, at) }
    case 'workspace.restore-started':
      return change({ restoring: true })
    case 'workspace.restore-failed':
      return change({ restoring: false })
    case 'workspace.restored': {
      const { branch } = event
      return {
        archived: false,
        // Keeps only removals that left files.
        leftovers: task.leftovers?.filter(({ files }) => files > 0),
        ...change({ branch, removal: null, pending: null, restoring: false }),
      }
    }
  }
}

function createdWorkspace(
  state: LedgerState,
  task: Task,
  event: LedgerEventOf<'workspace.created'>,
  at: string,
): Workspace {
  return {
    id: event.workspaceId,
    kind: event.kind,
    projectId: task.projectId,
    parentId: task.parentId,
    isolation: event.isolation,
    path: absolutePath(event.path, state),
    branch: event.branch,
    baseCommit: event.baseCommit,
    baseBranch: event.baseBranch,
    removal: null,
    pending: null,
    restoring: false,
    createdAt: at,
  }
}

function withKept(
  leftovers: Task['leftovers'] = [],
  { name, files, bytes, recreatable, commit }: LedgerEventOf<'workspace.leftovers-kept'>,
  at: string,
): Task['leftovers'] {
  const kept = { name, files, bytes, recreatable, at, ...(commit !== undefined && { commit }) }
  // Recorded twice after a crash in between: the second time, some folders were already deleted.
  const before = leftovers.find((one) => one.name === name)
  const merged = before
    ? { ...kept, recreatable: mergedByPath(before.recreatable, recreatable) }
    : kept
  return [...leftovers.filter((one) => one.name !== name), merged]
}

function mergedByPath<Named extends { path: string }>(known: Named[], found: Named[]): Named[] {
  const paths = new Set(known.map(({ path }) => path))
  return [...known, ...found.filter(({ path }) => !paths.has(path))]
}
