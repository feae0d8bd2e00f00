/** The archive's list: by project and root, newest first, filtered and folded. Pure. */
import type { TranscriptSummary } from '../../../shared/contract/workspace.ts'
import { folderLabels } from '../../../shared/projections/folder-labels.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { isRunning, type TaskStatus } from '../../../shared/records/tasks.ts'

export type ArchiveStatus = 'all' | 'completed' | 'interrupted' | 'failed' | 'running'

/** `archived`: the workspace is gone. `live`: it is there. */
export type ArchiveShow = 'archived' | 'live' | 'pinned' | 'all'

export interface ArchiveFilter {
  /**
   * Each of its words is looked for in title, agent, project and the title of the report; a text that looks
   * like an id also in the id. Upper and lower case are the same.
   */
  text: string
  status: ArchiveStatus
  show: ArchiveShow
  /** The task in the reader is listed whatever `show` says. */
  selected?: TaskId | null
  /** The title of a task's report, which a summary does not hold. */
  reportTitle?(id: TaskId): string | null
}

/** Ids of the trees and keys of the projects that the person folded or unfolded. */
type Toggled = ReadonlySet<string>

/** A larger tree is folded until it is opened, so that the projects below it can be reached. */
const openTreeRowsMax = 8

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
  | {
      kind: 'project'
      key: string
      name: string
      dir: string
      /** Its matching tasks. */
      count: number
      folded: boolean
    }
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
      /** False: it is shown as a parent of one that does. */
      matches: boolean
      /** Rows of its tree below it; 0 in a list that is not by trees. */
      below: number
      folded: boolean
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
  toggled: Toggled = new Set(),
): ArchiveRow[] {
  const titles = new Map(summaries.map(({ taskId, title }) => [taskId, title]))
  const continuesOf: ContinuesOf = ({ resumedFrom }) =>
    resumedFrom ? (titles.get(resumedFrom.taskId) ?? 'a task that is not kept') : null
  return sort.by === 'tree'
    ? rowsByTree(summaries, filter, continuesOf, toggled)
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
  const labels = folderLabels(summaries.map(({ projectDir }) => projectDir))
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
      project: labels.get(summary.projectDir) ?? null,
      continues: continuesOf(summary),
      matches: true,
      below: 0,
      folded: false,
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
  toggled: Toggled,
): ArchiveRow[] {
  const known = new Set(summaries.map(({ taskId }) => taskId))
  const children = Map.groupBy(summaries, ({ parentId }) =>
    parentId && known.has(parentId) ? parentId : null,
  )
  const roots = (children.get(null) ?? []).toSorted((a, b) => whenOf(b).localeCompare(whenOf(a)))
  const labels = folderLabels(summaries.map(({ projectDir }) => projectDir))
  const rows: ArchiveRow[] = []
  for (const [dir, ofProject] of Map.groupBy(roots, ({ projectDir }) => projectDir)) {
    const tasks = ofProject.flatMap((root) => treeRows(root, 0, children, filter, continuesOf))
    if (tasks.length === 0) continue
    const key = `project ${dir}`
    const folded = toggled.has(key)
    const count = tasks.filter(({ matches }) => matches).length
    rows.push({ kind: 'project', key, name: labels.get(dir) ?? dir, dir, count, folded })
    if (!folded) rows.push(...(filter.text.trim() === '' ? foldTrees(tasks, toggled) : tasks))
  }
  return rows
}

/** Leaves out the rows below folded ones. A search shows every match, so it folds nothing. */
function foldTrees(rows: TaskRow[], toggled: Toggled): TaskRow[] {
  const shown: TaskRow[] = []
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] as TaskRow
    const foldedAtFirst = row.below > openTreeRowsMax
    const folded = row.below > 0 && foldedAtFirst !== toggled.has(row.key)
    shown.push({ ...row, folded })
    if (folded) index += row.below
  }
  return shown
}

type TaskRow = Extract<ArchiveRow, { kind: 'task' }>

function treeRows(
  summary: TranscriptSummary,
  level: number,
  children: Map<TaskId | null, TranscriptSummary[]>,
  filter: ArchiveFilter,
  continuesOf: ContinuesOf,
): TaskRow[] {
  const below = (children.get(summary.taskId) ?? [])
    .toSorted((a, b) => (a.startedAt ?? '').localeCompare(b.startedAt ?? ''))
    .flatMap((child) => treeRows(child, level + 1, children, filter, continuesOf))
  const matches = isMatch(summary, filter)
  if (!matches && below.length === 0) return []
  const continues = continuesOf(summary)
  return [
    {
      kind: 'task',
      key: summary.taskId,
      summary,
      level,
      project: null,
      continues,
      matches,
      below: below.length,
      folded: false,
    },
    ...below,
  ]
}

/** As many letters of an id as tell it apart. */
const idPrefix = /^[0-9a-f][0-9a-f-]{3,}$/

function isMatch(summary: TranscriptSummary, filter: ArchiveFilter): boolean {
  const { title, agent, taskId, status, projectDir } = summary
  if (!hasStatus(status, filter.status)) return false
  if (taskId !== filter.selected && !isShown(summary, filter.show)) return false
  const wanted = filter.text.trim().toLowerCase()
  if (idPrefix.test(wanted) && taskId.startsWith(wanted)) return true
  const texts = [title, agent, nameOf(projectDir), filter.reportTitle?.(taskId) ?? '']
  const text = texts.join('\n').toLowerCase()
  return wanted.split(/\s+/).every((word) => text.includes(word))
}

function isShown({ archived, pinned }: TranscriptSummary, show: ArchiveShow): boolean {
  switch (show) {
    case 'archived':
      return archived
    case 'live':
      return !archived
    case 'pinned':
      return pinned
    case 'all':
      return true
  }
}

const hasStatus = (status: TaskStatus, wanted: ArchiveStatus): boolean =>
  wanted === 'all' || (wanted === 'running' ? isRunning(status) : status === wanted)

/** Its last sign of life. */
export const whenOf = ({ endedAt, startedAt }: TranscriptSummary): string =>
  endedAt ?? startedAt ?? ''

const nameOf = (dir: string): string => dir.split(/[\\/]/).findLast((part) => part !== '') ?? dir
