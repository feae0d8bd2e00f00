/** The rows of the Interrupted section: a row for each tree, which opens to its agents. Pure. */
import { type Cause, isSameCause } from '../../../shared/records/causes.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { TreeRow } from '../../components/tree/tree-row.ts'
import type { InterruptedRow, InterruptedTree } from '../../store/resume/resumable.ts'

export interface InterruptedTreeRow extends TreeRow {
  kind: 'tree'
  root: Task
  interrupted: number
  notStarted: number
  /** Why they stopped, if all stopped for the same reason. */
  cause: Cause | null
  stoppedAt: string
  /** Distinguishes it from a tree with the same title; null if there is none. */
  hint: string | null
}

export interface InterruptedAgentRow extends TreeRow {
  kind: 'agent'
  task: Task
  /** How many of the listed agents are below it. */
  below: number
  /** Distinguishes it from an agent with the same title; null if there is none. */
  hint: string | null
  /** Null if the row of its tree shows it already. */
  cause: Cause | null
}

export type InterruptedListRow = InterruptedTreeRow | InterruptedAgentRow

const rowHeight = 44

/** `projectName`: of a task's project. `parentOf`: the task above it. */
export function interruptedListRows(
  trees: readonly InterruptedTree[],
  options: {
    isOpen(rootId: Task['id']): boolean
    projectName(task: Task): string | null
    parentOf(task: Task): Task | null
  },
): InterruptedListRow[] {
  const rootTitles = countedTitles(trees.map(({ root }) => root))
  return trees.flatMap((tree) => {
    const { root, rows } = tree
    const hint = (rootTitles.get(root.title) ?? 0) > 1 ? options.projectName(root) : null
    const [only] = rows
    if (rows.length === 1 && only?.task.id === root.id)
      return [agentRow(only, { level: 1, hint, cause: root.cause })]
    const cause = commonCause(rows)
    const isOpen = options.isOpen(root.id)
    const titles = countedTitles(rows.map(({ task }) => task))
    const treeRow: InterruptedTreeRow = {
      kind: 'tree',
      id: `tree:${root.id}`,
      level: 1,
      height: rowHeight,
      hasChildren: true,
      folded: !isOpen,
      root,
      interrupted: tree.interrupted,
      notStarted: rows.length - tree.interrupted,
      cause,
      stoppedAt: tree.stoppedAt,
      hint,
    }
    if (!isOpen) return [treeRow]
    const agents = rows.map((row) =>
      agentRow(row, {
        level: 2 + row.depth,
        hint:
          (titles.get(row.task.title) ?? 0) > 1
            ? (options.parentOf(row.task)?.title ?? null)
            : null,
        cause: cause === null ? row.task.cause : null,
      }),
    )
    return [treeRow, ...agents]
  })
}

function agentRow(
  { task, below }: InterruptedRow,
  { level, hint, cause }: { level: number; hint: string | null; cause: Cause | null },
): InterruptedAgentRow {
  return {
    kind: 'agent',
    id: task.id,
    level,
    height: rowHeight,
    hasChildren: false,
    folded: false,
    task,
    below,
    hint,
    cause,
  }
}

/** Null if they stopped for different reasons. */
function commonCause(rows: readonly InterruptedRow[]): Cause | null {
  const [first = null, ...others] = rows
    .filter(({ task }) => task.status === 'interrupted')
    .map(({ task }) => task.cause)
  return others.every((cause) => isSameCause(cause, first)) ? first : null
}

function countedTitles(tasks: readonly Task[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { title } of tasks) counts.set(title, (counts.get(title) ?? 0) + 1)
  return counts
}
