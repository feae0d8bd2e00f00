import type { ProviderState } from '../../../shared/agents/provider-settings.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { isUsable } from '../models/use-model-settings.ts'

/**
 * Returns the model that the user started an agent with most recently, in any project, as `PROVIDER/MODEL`. Models
 * that can't be used now are skipped; null if none is left.
 */
export function modelUsedLast(
  tasks: ReadonlyMap<TaskId, Task>,
  providers: readonly ProviderState[],
): string | null {
  // The map has the tasks in the order of their creation.
  for (const { spec, parentId } of [...tasks.values()].reverse()) {
    if (parentId !== null || spec.kind !== 'model') continue
    const provider = providers.find(
      ({ kind, baseUrl, isOwn }) =>
        kind === spec.provider && (spec.baseUrl === undefined ? isOwn : baseUrl === spec.baseUrl),
    )
    if (provider && isUsable(provider)) return `${provider.name}/${spec.model}`
  }
  return null
}
