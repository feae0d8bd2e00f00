/** Finds the filters of a query that match nothing because no such name is recorded. Pure. */
import type { UnmatchedFilter } from '../../../shared/contract/search.ts'
import type { LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { nearestText } from '../../../shared/text/nearest-text.ts'
import type { Query } from './query.ts'

/** `tasks`: those that the caller may search. `tools`: the names of called tools; null: not known. */
export function unmatchedFilters(
  query: Query,
  { state, tasks, tools }: { state: LedgerState; tasks: readonly Task[]; tools: string[] | null },
): UnmatchedFilter[] {
  const projects = tasks.flatMap(({ projectId, projectDir }) => [
    state.projects.get(projectId)?.name ?? '',
    projectDir,
    projectId,
  ])
  return [
    ...(tools === null ? [] : unmatched('tool', query.tools, tools)),
    ...unmatched('project', query.projects, projects),
    ...unmatched(
      'agent',
      query.agents,
      tasks.map(({ agent }) => agent),
    ),
  ]
}

function unmatched(
  filter: UnmatchedFilter['filter'],
  values: readonly string[],
  names: readonly string[],
): UnmatchedFilter[] {
  const known = new Set(names)
  const isKnown = (value: string) =>
    [...known].some((name) => name.toLowerCase().includes(value.toLowerCase()))
  return values
    .filter((value) => !isKnown(value))
    .map((value) => ({ filter, value, near: nearestText(value, known) }))
}
