import { useStore } from 'zustand'
import type { ChangeSelection } from '../../../shared/contract/changes/changes.ts'
import type { WorkspaceDiff } from '../../../shared/contract/workspace.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { useStores, useUnreachable } from '../../store/hooks.ts'
import { targetName } from '../app/actions/apply-actions.ts'
import { useActions } from '../app/use-actions.ts'

export interface PartialApply {
  target: string
  applying: boolean
  /** Why nothing can be applied now; null if it can. */
  notNow: string | null
  apply(files: ChangeSelection['files']): void
}

/** Applies chosen files and hunks of the changes that are shown. */
export function usePartialApply(task: Task, diff: WorkspaceDiff | null): PartialApply {
  const { applies } = useStores()
  const { applyPatch } = useActions()
  const unreachable = useUnreachable()
  const busy = useStore(applies.store, (known) => known.get(task.id)?.kind)
  const tree = diff?.tree ?? null
  const target = targetName(task, diff?.target.branch)
  const notNow =
    unreachable ??
    (isRunning(task.status)
      ? 'The agent is still running'
      : tree === null
        ? 'Nothing changed'
        : null)
  return {
    target,
    applying: busy === 'applying',
    notNow,
    apply: (files) => {
      if (tree !== null) void applyPatch(task.id, target, { tree, files })
    },
  }
}
