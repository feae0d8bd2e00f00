/** Publishes a staged session: moves its folder to the archive, then records one ledger event (A1). */
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { installedAgentSchema } from '../../shared/agents/installed-agents.ts'
import {
  exportedTaskSchema,
  type ImportedTask,
  type ImportSource,
} from '../../shared/records/exported-tasks.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import { isSettled } from '../../shared/records/tasks/task-status.ts'
import { totalBytes } from '../../shared/total-bytes.ts'
import { archiveTranscript, saveReport } from '../artifacts/index.ts'
import { exists, removeDurable, syncDirectory, writeNewFile } from '../journal/index.ts'
import { transcriptParts } from '../sessions/session-files.ts'
import { titleOf } from './adapters/values.ts'
import { partsFolder } from './stage/stage-session.ts'
import {
  type ImportRecord,
  importFile,
  type StagedSession,
  type StagedTask,
} from './stage/staged-session.ts'
import { unfinished } from './transcript/transcript-builder.ts'

/** Limit for a task's prompt in the ledger; the transcript has the whole prompt. */
const promptCharsMax = 20_000

/**
 * Moves the staged transcripts of sub-agents and the reports to their places in the session's folder `home`, and returns
 * what the ledger records.
 */
export async function buildHome(
  { record, tasks: staged }: StagedSession,
  home: string,
  {
    importedAt,
    isKnown,
    redact,
  }: {
    importedAt: string
    isKnown: (id: TaskId) => boolean
    /** Masks values that look like secrets (K4). */
    redact: (text: string) => string
  },
): Promise<ImportedTask[]> {
  // The transcript keeps titles and prompts verbatim; in lists, notices and the ledger they are redacted.
  const tasks = staged.map((task) => ({
    ...task,
    title: redact(task.title),
    prompt: redact(task.prompt.slice(0, promptCharsMax)),
  }))
  const imported: ImportedTask[] = []
  for (const task of tasks) {
    const ancestorIds = ancestorsOf(task, tasks)
    const atMs = task.endedAtMs ?? task.startedAtMs ?? Date.parse(importedAt)
    if (task.dir) {
      const from = join(home, task.dir)
      if (task.parentId === null) {
        for (const part of transcriptParts)
          if (await exists(join(from, part))) await rename(join(from, part), join(home, part))
      } else
        await archiveTranscript(from, home, {
          taskId: task.id,
          ancestorIds,
          title: task.title,
          nowMs: atMs,
          counted: task.transcriptCounts ?? undefined,
        })
    }
    for (const { run, title, markdown, createdAt, taskResults } of task.exported?.reports ?? [])
      await saveReport(home, {
        taskId: task.id,
        run,
        title,
        markdown,
        ancestorIds,
        taskResults,
        nowMs: Date.parse(createdAt),
      })
    if (task.report !== null && !task.exported)
      await saveReport(home, {
        taskId: task.id,
        run: 1,
        title: task.title,
        markdown: task.report,
        ancestorIds,
        nowMs: atMs,
      })
    imported.push(
      task.exported
        ? exportedTask(task, task.exported, { isKnown, before: imported })
        : importedTask(task, record, atMs),
    )
  }
  if (tasks.some(({ dir }) => dir)) await removeDurable(join(home, partsFolder))
  const importRecord: ImportRecord = { ...record, importedAt }
  await writeNewFile(
    join(home, importFile),
    Buffer.from(`${JSON.stringify(importRecord, null, 2)}\n`),
  )
  await syncDirectory(home)
  return imported
}

/** The ids of all ancestors, nearest first. */
function ancestorsOf(task: StagedTask, tasks: StagedTask[]): TaskId[] {
  const ancestors: TaskId[] = []
  for (let id = task.parentId; id !== null && !ancestors.includes(id); ) {
    ancestors.push(id)
    id = tasks.find((one) => one.id === id)?.parentId ?? null
  }
  return ancestors
}

function importedTask(
  task: StagedTask,
  { tool, continues }: Pick<ImportRecord, 'tool' | 'continues'>,
  atMs: number,
): ImportedTask {
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
    prompt: task.prompt.slice(0, promptCharsMax).toWellFormed(),
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

export const sourceOf = (
  record: Omit<ImportRecord, 'importedAt'>,
  opening: string | undefined,
): ImportSource => ({
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
