/** The archive's list: by project and root, newest first, filtered. Pure. */
import type { TranscriptSummary } from '../../../shared/contract/workspace.ts'
import type { TaskId } from '../../../shared/ids.ts'
import { isRunning, type TaskStatus } from '../../../shared/tasks.ts'

export type ArchiveStatus = 'all' | 'completed' | 'interrupted' | 'failed' | 'running'

export interface ArchiveFilter {
  /** Looked for in title, agent and id; upper and lower case are the same. */
  text: string
  status: ArchiveStatus
}

/** `tree`: by project and root. The others: one list, those without a value last. */
export type ArchiveSortKey =
  | 'tree'
  | 'ended'
  | 'started'
  | 'title'
  | 'agent'
  | 'status'
  | 'runs'
  | 'entries'
  | 'size'
  | 'project'

interface ArchiveSort {
  by: ArchiveSortKey
  /** Dates and numbers are largest first, words from A, unless this is true. */
  reversed: boolean
}

export type ArchiveRow =
  | { kind: 'project'; key: string; name: string; dir: string }
  | {
      kind: 'task'
      key: TaskId
      summary: TranscriptSummary
      /** 0 for a root, and in a list that is not by trees. */
      level: number
      /** Its project's name where no row above says it. */
      project: string | null
      /** The title of the task that it continues. */
      continues: string | null
      /** False: it is shown for what is below it. */
      matches: boolean
    }

/**
 * Projects by their newest root, roots newest first, sub-agents below their parents in the order in
 * which they began. An ancestor of a match stays, so that a tree can be read. Sorted by anything else,
 * every match is a row of its own.
 */
export function archiveRows(
  summaries: TranscriptSummary[],
  filter: ArchiveFilter,
  sort: ArchiveSort = { by: 'tree', reversed: false },
): ArchiveRow[] {
  const titles = new Map(summaries.map(({ taskId, title }) => [taskId, title]))
  const continuesOf: ContinuesOf = ({ resumedFrom }) =>
    resumedFrom ? (titles.get(resumedFrom) ?? 'a task that is not kept') : null
  return sort.by === 'tree'
    ? rowsByTree(summaries, filter, continuesOf)
    : rowsBy(sort.by, sort.reversed, summaries, filter, continuesOf)
}

type ContinuesOf = (summary: TranscriptSummary) => string | null

function rowsBy(
  key: Exclude<ArchiveSortKey, 'tree'>,
  reversed: boolean,
  summaries: TranscriptSummary[],
  filter: ArchiveFilter,
  continuesOf: ContinuesOf,
): ArchiveRow[] {
  const direction = reversed ? -1 : 1
  return summaries
    .filter((summary) => isMatch(summary, filter))
    .toSorted((a, b) => {
      const [one, other] = [sortValue[key](a), sortValue[key](b)]
      if (one === other) return whenOf(b).localeCompare(whenOf(a))
      // What has no date yet is last, whichever way.
      if (one === '' || other === '') return one === '' ? 1 : -1
      return direction * compare(one, other, largestFirst.has(key))
    })
    .map((summary) => ({
      kind: 'task',
      key: summary.taskId,
      summary,
      level: 0,
      project: nameOf(summary.projectDir),
      continues: continuesOf(summary),
      matches: true,
    }))
}

const sortValue: Record<
  Exclude<ArchiveSortKey, 'tree'>,
  (summary: TranscriptSummary) => string | number
> = {
  ended: (summary) => whenOf(summary),
  started: ({ startedAt }) => startedAt ?? '',
  title: ({ title }) => title.toLowerCase(),
  agent: ({ agent }) => agent.toLowerCase(),
  status: ({ status }) => status,
  runs: ({ runs }) => runs,
  entries: ({ entries }) => entries,
  size: ({ bytes }) => bytes,
  project: ({ projectDir }) => nameOf(projectDir).toLowerCase(),
}

const largestFirst: ReadonlySet<ArchiveSortKey> = new Set([
  'ended',
  'started',
  'runs',
  'entries',
  'size',
])

function compare(one: string | number, other: string | number, largest: boolean): number {
  const order =
    typeof one === 'number' && typeof other === 'number'
      ? one - other
      : String(one).localeCompare(String(other))
  return largest ? -order : order
}

function rowsByTree(
  summaries: TranscriptSummary[],
  filter: ArchiveFilter,
  continuesOf: ContinuesOf,
): ArchiveRow[] {
  const known = new Set(summaries.map(({ taskId }) => taskId))
  const children = Map.groupBy(summaries, ({ parentId }) =>
    parentId && known.has(parentId) ? parentId : null,
  )
  const roots = (children.get(null) ?? []).toSorted((a, b) => whenOf(b).localeCompare(whenOf(a)))
  const rows: ArchiveRow[] = []
  for (const [dir, ofProject] of Map.groupBy(roots, ({ projectDir }) => projectDir)) {
    const tasks = ofProject.flatMap((root) => treeRows(root, 0, children, filter, continuesOf))
    if (tasks.length === 0) continue
    rows.push({ kind: 'project', key: `project ${dir}`, name: nameOf(dir), dir }, ...tasks)
  }
  return rows
}

function treeRows(
  summary: TranscriptSummary,
  level: number,
  children: Map<TaskId | null, TranscriptSummary[]>,
  filter: ArchiveFilter,
  continuesOf: ContinuesOf,
): ArchiveRow[] {
  const below = (children.get(summary.taskId) ?? [])
    .toSorted((a, b) => (a.startedAt ?? '').localeCompare(b.startedAt ?? ''))
    .flatMap((child) => treeRows(child, level + 1, children, filter, continuesOf))
  const matches = isMatch(summary, filter)
  if (!matches && below.length === 0) return []
  const continues = continuesOf(summary)
  return [
    { kind: 'task', key: summary.taskId, summary, level, project: null, continues, matches },
    ...below,
  ]
}

function isMatch({ title, agent, taskId, status }: TranscriptSummary, filter: ArchiveFilter) {
  if (!hasStatus(status, filter.status)) return false
  const wanted = filter.text.trim().toLowerCase()
  return [title, agent, taskId].some((text) => text.toLowerCase().includes(wanted))
}

const hasStatus = (status: TaskStatus, wanted: ArchiveStatus): boolean =>
  wanted === 'all' || (wanted === 'running' ? isRunning(status) : status === wanted)

/** Its last sign of life. */
export const whenOf = ({ endedAt, startedAt }: TranscriptSummary): string =>
  endedAt ?? startedAt ?? ''

const nameOf = (dir: string): string => dir.split(/[\\/]/).findLast((part) => part !== '') ?? dir
