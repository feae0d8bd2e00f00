import type { Task } from '../../records/tasks/tasks.ts'
import type { TranscriptSummary } from '../workspace.ts'

/** Returns the row of a task in a list of transcripts. `bytes` is the size of its files. */
export const transcriptSummaryOf = (
  task: Task,
  { entries, bytes }: { entries: number; bytes: number },
): TranscriptSummary => ({
  taskId: task.id,
  parentId: task.parentId,
  rootId: task.rootId,
  projectId: task.projectId,
  title: task.title,
  agent: task.agent,
  status: task.status,
  projectDir: task.projectDir,
  runs: task.runs.length,
  entries,
  bytes,
  startedAt: task.startedAt,
  endedAt: task.endedAt,
  archived: task.archived,
  hasReport: task.hasReport,
  reportTitle: task.reportTitle,
  model: task.model,
  usage: task.usage,
  resumedFrom: task.resumedFrom,
  importedFrom: task.importedFrom?.tool ?? null,
  pinned: task.pinned,
  transcriptExpired: task.transcriptExpired,
})
