import type { ProviderState } from '../../../shared/agents/provider-settings.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Task } from '../../../shared/records/tasks.ts'
import { isUsable } from '../models/use-model-settings.ts'

/**
 * Returns the model of the newest root whose model is usable now, wherever it was started, as `PROVIDER/MODEL`; null
 * if there is none.
 */
export function modelUsedLast(
  tasks: ReadonlyMap<TaskId, Task>,
  providers: readonly ProviderState[],
): string | null {
  // They are in the order in which they were created.
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
