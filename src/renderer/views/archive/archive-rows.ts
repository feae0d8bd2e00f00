/** The archive's list: by project and root, newest first, filtered and folded. Pure. */
import type { TranscriptSummary } from '../../../shared/contract/workspace.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { isRunning, type TaskStatus } from '../../../shared/records/tasks/task-status.ts'
import type { ArchiveIndex, ArchiveItem, ArchiveSortKey } from './archive-index.ts'
import { whenOf } from './archive-index.ts'

/** `running`: spawned or resumed. */
export type ArchiveStatus = 'all' | 'running' | Exclude<TaskStatus, 'spawned' | 'resumed'>

/** `archived`: the workspace was removed. `live`: it exists. `expiring`: the next sweep would remove the transcript. */
export type ArchiveShow = 'archived' | 'live' | 'pinned' | 'expiring' | 'all'

export interface ArchiveFilter {
  /**
   * Each of its words is searched in title, agent, model, project and the title of the report; a text that looks like
   * an id also in the id. Case is ignored.
   */
  text: string
  status: ArchiveStatus
  show: ArchiveShow
  /** The task in the reader is listed whatever the value of `show`, but not counted if that leaves it out. */
  selected?: TaskId | null
  /** The tasks listed for `show` `expiring`. */
  expiring?: ReadonlySet<string>
  agent?: string | null
  model?: string | null
  /** Bounds of its last activity, ISO 8601: not before `since`, and before `before`. */
  since?: string | null
  before?: string | null
  bytesMin?: number
  /** A task with an unknown cost does not match. */
  costMin?: number
  /** What recorded its root: a tool that it was imported from, or `here`. */
  source?: string | null
  /** Tasks that used a tool; null: any. */
  using?: ReadonlySet<string> | null
}

/** Ids of the trees and keys of the projects that the user folded or unfolded. */
type Toggled = ReadonlySet<string>

/** A larger tree is folded until it is opened, so that the projects below it can be reached. */
const openTreeRowsMax = 8

interface ArchiveSort {
  by: ArchiveSortKey
  reversed: boolean
}

interface ProjectRow {
  kind: 'project'
  key: string
  name: string
  dir: string
  /** Its matching tasks, and the bytes of their transcripts. */
  count: number
  bytes: number
  folded: boolean
}

interface TaskRow {
  kind: 'task'
  key: TaskId
  summary: TranscriptSummary
  /** 0 for a root, and in a flat list. */
  level: number
  /** The name of its project, if no row above shows it. */
  project: string | null
  /** The title of the task that it continues. */
  continues: string | null
  /** False if it is shown only as the ancestor of a match, or because it is in the reader. */
  matches: boolean
  /** Rows of its tree below it; 0 in a flat list. */
  below: number
  folded: boolean
}

export type ArchiveRow = ProjectRow | TaskRow

interface ArchiveRows {
  rows: ArchiveRow[]
  /** Matching tasks, folded ones included, and the bytes of their transcripts. */
  count: number
  bytes: number
}

/**
 * Projects by their newest root, roots newest first, sub-agents below their parents in the order in which they started.
 * Ancestors of a match are kept, so that the tree can be read. Any other sort order gives a flat list of the matches.
 */
export function archiveRows(
  index: ArchiveIndex,
  filter: ArchiveFilter,
  sort: ArchiveSort = { by: 'tree', reversed: false },
  toggled: Toggled = new Set(),
): ArchiveRows {
  const isMatch = matcher(filter)
  if (sort.by === 'tree') return rowsByTree(index, filter, isMatch, toggled)
  const rows: ArchiveRow[] = []
  let count = 0
  let bytes = 0
  for (const item of index.sorted(sort.by, sort.reversed)) {
    const matches = isMatch(item)
    if (!matches && !isKept(item, filter)) continue
    if (matches) {
      count++
      bytes += item.summary.bytes
    }
    rows.push({
      ...rowOf(item, 0, matches),
      project: index.labels.get(item.summary.projectDir) ?? null,
    })
  }
  return { rows, count, bytes }
}

function rowsByTree(
  index: ArchiveIndex,
  filter: ArchiveFilter,
  isMatch: (item: ArchiveItem) => boolean,
  toggled: Toggled,
): ArchiveRows {
  const all: ArchiveRows = { rows: [], count: 0, bytes: 0 }
  // A search shows every match, so it folds nothing.
  const folds = filter.text.trim() === ''
  for (const { dir, label, roots } of index.projects) {
    const tasks: TaskRow[] = []
    for (const root of roots) addTree(tasks, root, 0, filter, isMatch)
    if (tasks.length === 0) continue
    const key = `project ${dir}`
    const folded = toggled.has(key)
    let count = 0
    let bytes = 0
    for (const { matches, summary } of tasks) {
      if (!matches) continue
      count++
      bytes += summary.bytes
    }
    all.rows.push({ kind: 'project', key, name: label, dir, count, bytes, folded })
    all.count += count
    all.bytes += bytes
    if (folded) continue
    for (const row of folds ? foldTrees(tasks, toggled) : tasks) all.rows.push(row)
  }
  return all
}

/** Adds the rows of a tree, unless nothing in it matches. */
function addTree(
  rows: TaskRow[],
  item: ArchiveItem,
  level: number,
  filter: ArchiveFilter,
  isMatch: (item: ArchiveItem) => boolean,
): void {
  const row = rowOf(item, level, isMatch(item))
  const at = rows.push(row)
  for (const child of item.children) addTree(rows, child, level + 1, filter, isMatch)
  row.below = rows.length - at
  if (!row.matches && row.below === 0 && !isKept(item, filter)) rows.pop()
}

/** Removes the rows below folded ones. */
function foldTrees(rows: TaskRow[], toggled: Toggled): TaskRow[] {
  const shown: TaskRow[] = []
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] as TaskRow
    const foldedAtFirst = row.below > openTreeRowsMax
    row.folded = row.below > 0 && foldedAtFirst !== toggled.has(row.key)
    shown.push(row)
    if (row.folded) index += row.below
  }
  return shown
}

const rowOf = (item: ArchiveItem, level: number, matches: boolean): TaskRow => ({
  kind: 'task',
  key: item.summary.taskId,
  summary: item.summary,
  level,
  project: null,
  continues: item.continues,
  matches,
  below: 0,
  folded: false,
})

/** The minimum prefix that looks like an id. */
const idPrefix = /^[0-9a-f][0-9a-f-]{3,}$/

/** Whether only `show` leaves out the task in the reader. */
const isKept = (item: ArchiveItem, filter: ArchiveFilter): boolean =>
  item.summary.taskId === filter.selected && matcher({ ...filter, show: 'all' })(item)

/** Splits the filter's words once, not for every task. */
function matcher(filter: ArchiveFilter): (item: ArchiveItem) => boolean {
  const wanted = filter.text.trim().toLowerCase()
  const words = wanted.split(/\s+/)
  const isId = idPrefix.test(wanted)
  const { since = null, before = null, bytesMin = 0, costMin = 0, using = null } = filter
  return ({ summary, text, source }) => {
    const { taskId, status, agent, model, bytes, usage } = summary
    if (!hasStatus(status, filter.status)) return false
    if (!isShown(summary, filter)) return false
    if (filter.agent != null && agent !== filter.agent) return false
    if (filter.model != null && model !== filter.model) return false
    if (filter.source != null && source !== filter.source) return false
    if (since !== null && whenOf(summary) < since) return false
    if (before !== null && whenOf(summary) >= before) return false
    if (bytes < bytesMin) return false
    if (costMin > 0 && (usage.costUsd ?? 0) < costMin) return false
    if (using !== null && !using.has(taskId)) return false
    if (isId && taskId.startsWith(wanted)) return true
    return words.every((word) => text.includes(word))
  }
}

function isShown(
  { taskId, archived, pinned }: TranscriptSummary,
  { show, expiring }: ArchiveFilter,
): boolean {
  switch (show) {
    case 'archived':
      return archived
    case 'live':
      return !archived
    case 'pinned':
      return pinned
    case 'expiring':
      return expiring?.has(taskId) ?? false
    case 'all':
      return true
  }
}

const hasStatus = (status: TaskStatus, wanted: ArchiveStatus): boolean =>
  wanted === 'all' || (wanted === 'running' ? isRunning(status) : status === wanted)
