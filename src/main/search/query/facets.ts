/** Counts the hits of a search by project, agent and kind. Pure. */
import type { SearchFacets, SearchKind } from '../../../shared/contract/search.ts'
import type { LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import type { TaskId } from '../../../shared/records/ids.ts'

export interface HitCount {
  taskId: TaskId
  kind: SearchKind
  count: number
}

export function countHits(hits: readonly { taskId: TaskId; kind: SearchKind }[]): HitCount[] {
  const counts = new Map<string, HitCount>()
  for (const { taskId, kind } of hits) {
    const key = `${taskId} ${kind}`
    const known = counts.get(key)
    if (known) known.count++
    else counts.set(key, { taskId, kind, count: 1 })
  }
  return [...counts.values()]
}

export function facetsOf(
  counts: readonly HitCount[],
  state: Pick<LedgerState, 'tasks' | 'projects'>,
): SearchFacets {
  return {
    project: facetBy(counts, ({ taskId }) => {
      const projectId = state.tasks.get(taskId)?.projectId
      return projectId && state.projects.get(projectId)?.name
    }),
    agent: facetBy(counts, ({ taskId }) => state.tasks.get(taskId)?.agent),
    kind: facetBy(counts, ({ kind }) => kind),
  }
}

export const countAll = (counts: readonly HitCount[]): number =>
  counts.reduce((sum, { count }) => sum + count, 0)

function facetBy(
  counts: readonly HitCount[],
  keyOf: (one: HitCount) => string | undefined,
): SearchFacets['kind'] {
  const sums = new Map<string, number>()
  for (const one of counts) {
    const value = keyOf(one)
    if (value) sums.set(value, (sums.get(value) ?? 0) + one.count)
  }
  return [...sums]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || a.value.localeCompare(b.value))
}
