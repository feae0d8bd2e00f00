import { installedAgentSchema } from '../../shared/agents/installed-agents.ts'
import { totalBytes } from '../../shared/collections/total-bytes.ts'
import {
  exportedTaskSchema,
  type ImportedTask,
  type ImportSource,
} from '../../shared/records/exported-tasks.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import { isSettled } from '../../shared/records/tasks/task-status.ts'
import { titleOf } from './adapters/values.ts'
import type { ImportRecord, StagedSession, StagedTask } from './stage/staged-session.ts'
import { unfinished } from './transcript/transcript-builder.ts'

/** Returns what the ledger records of a session's tasks. `isKnown`: whether a task is in the ledger. */
export function importedTasks(
  { record, tasks }: StagedSession,
  isKnown: (id: TaskId) => boolean,
): ImportedTask[] {
  const imported: ImportedTask[] = []
  for (const task of tasks)
    imported.push(
      task.exported
        ? exportedTask(task, task.exported, { isKnown, before: imported })
        : importedTask(task, record),
    )
  return imported
}

function importedTask(
  task: StagedTask,
  { tool, continues, importedAt }: Pick<ImportRecord, 'tool' | 'continues' | 'importedAt'>,
): ImportedTask {
  const atMs = task.endedAtMs ?? task.startedAtMs ?? Date.parse(importedAt)
  const startedAt = new Date(task.startedAtMs ?? atMs).toISOString()
  const endedAt = new Date(Math.max(atMs, task.startedAtMs ?? atMs)).toISOString()
  // A root is a conversation, so an interrupted last turn does not make it incomplete.
  const isComplete = task.isComplete || task.parentId === null
  const cause = isComplete ? null : unfinished
  const program = installedAgentSchema.safeParse(tool)
  return {
    id: task.id,
    parentId: task.parentId,
    title: task.title || titleOf(task.prompt),
    agent: task.agent,
    spec: { kind: 'acp', program: program.success ? program.data : 'acp', agent: task.agent },
    isolation: 'in-place',
    status: isComplete ? 'completed' : 'abandoned',
    prompt: task.prompt,
    createdAt: startedAt,
    startedAt,
    endedAt,
    runs: [{ run: 1, status: isComplete ? 'completed' : 'interrupted', startedAt, endedAt, cause }],
    resumedFrom:
      continues && task.parentId === null ? { taskId: continues.taskId, seq: continues.seq } : null,
    dependsOn: [],
    cause,
    model: task.model,
    usage: task.usage,
    hasReport: task.report !== null,
    reportTitle: task.report === null ? null : task.title,
    reportedRun: task.report === null ? null : 1,
    callId: task.callId,
    spawnCommit: null,
    plan: {},
    branch: task.branch,
    project: { name: task.cwd.split(/[\\/]/).findLast(Boolean) ?? '', dir: task.cwd },
    hasTranscript: task.transcriptCounts !== null,
    ...(task.transcriptCounts && { transcriptCounts: task.transcriptCounts }),
  }
}

/** Converts an exported task: its runs can't continue here, and its model's address is not trusted. */
function exportedTask(
  staged: StagedTask,
  { task, reports }: NonNullable<StagedTask['exported']>,
  { isKnown, before }: { isKnown: (id: TaskId) => boolean; before: ImportedTask[] },
): ImportedTask {
  const known = exportedTaskSchema.parse(task)
  const { spec, status } = known
  return {
    ...known,
    status: isSettled(status) && status !== 'interrupted' ? status : 'abandoned',
    cause: known.cause ?? (isSettled(status) ? null : { kind: 'abandoned' }),
    spec: spec.kind === 'model' ? { ...spec, baseUrl: undefined, keyEnv: undefined } : spec,
    runs: known.runs.map((run) =>
      run.status === 'running'
        ? { ...run, status: 'interrupted', endedAt: run.endedAt ?? known.createdAt }
        : run,
    ),
    resumedFrom: known.resumedFrom && isKnown(known.resumedFrom.taskId) ? known.resumedFrom : null,
    dependsOn: known.dependsOn.filter((id) => before.some((one) => one.id === id)),
    hasReport: reports.length > 0,
    hasTranscript: staged.transcriptCounts !== null,
    ...(staged.transcriptCounts && { transcriptCounts: staged.transcriptCounts }),
  }
}

export const sourceOf = (record: ImportRecord, opening: string | undefined): ImportSource => ({
  tool: record.tool,
  version: record.toolVersion,
  file: record.files[0]?.name ?? record.session,
  bytes: totalBytes(record.files),
  sha256: record.sha256,
  originalId: record.session,
  redacted: record.redacted === true,
  ...(record.withoutFiles === true && { withoutFiles: true }),
  ...(opening !== undefined && { opening }),
})
