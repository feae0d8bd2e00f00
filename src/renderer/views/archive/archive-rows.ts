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

export type ArchiveRow =
  | { kind: 'project'; key: string; name: string; dir: string }
  | {
      kind: 'task'
      key: TaskId
      summary: TranscriptSummary
      /** 0 for a root. */
      level: number
      /** False: it is shown for what is below it. */
      matches: boolean
    }

/**
 * Projects by their newest root, roots newest first, sub-agents below their parents in the order in
 * which they began. An ancestor of a match stays, so that a tree can be read.
 */
export function archiveRows(summaries: TranscriptSummary[], filter: ArchiveFilter): ArchiveRow[] {
  const known = new Set(summaries.map(({ taskId }) => taskId))
  const children = Map.groupBy(summaries, ({ parentId }) =>
    parentId && known.has(parentId) ? parentId : null,
  )
  const roots = (children.get(null) ?? []).toSorted((a, b) => whenOf(b).localeCompare(whenOf(a)))
  const rows: ArchiveRow[] = []
  for (const [dir, ofProject] of Map.groupBy(roots, ({ projectDir }) => projectDir)) {
    const tasks = ofProject.flatMap((root) => treeRows(root, 0, children, filter))
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
): ArchiveRow[] {
  const below = (children.get(summary.taskId) ?? [])
    .toSorted((a, b) => (a.startedAt ?? '').localeCompare(b.startedAt ?? ''))
    .flatMap((child) => treeRows(child, level + 1, children, filter))
  const matches = isMatch(summary, filter)
  if (!matches && below.length === 0) return []
  return [{ kind: 'task', key: summary.taskId, summary, level, matches }, ...below]
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
