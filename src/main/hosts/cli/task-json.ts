/** Converts tasks and causes to the JSON of the command line (CLI.md), which adds the text of each cause. */

import type { TranscriptSummary } from '../../../shared/contract/workspace.ts'
import { type Cause, formatCause } from '../../../shared/records/causes.ts'
import type { Task, TaskTree } from '../../../shared/records/tasks/tasks.ts'
import { usageBelow } from './commands/tasks/task-tree.ts'

/** `text` is for people and its wording may change in a later version; scripts should use `kind`. */
export const causeJson = (cause: Cause | null): (Cause & { text: string }) | null =>
  cause && { ...cause, text: formatCause(cause) }

/** `error` is the text of `cause`. */
function taskJson(task: Task): object {
  return {
    ...task,
    kind: task.spec.kind,
    ...resumedFromJson(task),
    error: task.cause && formatCause(task.cause),
    cause: causeJson(task.cause),
    runs: task.runs.map((run) => ({ ...run, cause: causeJson(run.cause) })),
  }
}

export const taskTreeJson = (task: TaskTree): object => ({
  ...taskJson(task),
  treeUsage: usageBelow(task),
  children: task.children.map(taskTreeJson),
})

export const summaryJson = (summary: TranscriptSummary): object => ({
  ...summary,
  ...resumedFromJson(summary),
})

const resumedFromJson = ({ resumedFrom }: Pick<Task, 'resumedFrom'>) => ({
  resumedFrom: resumedFrom?.taskId ?? null,
  resumedFromSeq: resumedFrom?.seq ?? null,
})
