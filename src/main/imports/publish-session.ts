/** Puts a staged session into the archive: its folder first, then one ledger event that makes it known (A1). */
import { join } from 'node:path'
import { installedAgentSchema } from '../../shared/agents/installed-agents.ts'
import type { ImportedTask, ImportSource } from '../../shared/records/exported-tasks.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import { archiveTranscript, saveReport } from '../artifacts/index.ts'
import { exists, makeDirDurable, moveDurable, writeFileDurable } from '../journal/index.ts'
import { transcriptParts } from '../sessions/session-files.ts'
import { titleOf } from './adapters/values.ts'
import {
  type ImportRecord,
  importFile,
  type StagedSession,
  type StagedTask,
} from './stage/staged-session.ts'

/** Of a task's prompt in the ledger; the transcript has all of it. */
const promptCharsMax = 20_000
/** Where an earlier version waits while the new one takes its place. */
export const replacedDir = 'replaced'
export const homeDir = 'home'

/** Moves the staged transcripts and reports into `home` of the staging folder, and returns what the ledger records. */
export async function buildHome(
  { record, tasks }: StagedSession,
  staging: string,
  importedAt: string,
): Promise<ImportedTask[]> {
  const home = join(staging, homeDir)
  await makeDirDurable(home)
  const imported: ImportedTask[] = []
  for (const task of tasks) {
    const ancestorIds = ancestorsOf(task, tasks)
    const atMs = task.endedAtMs ?? task.startedAtMs ?? Date.parse(importedAt)
    if (task.dir !== null) {
      const from = join(staging, task.dir)
      if (task.parentId === null) {
        for (const part of transcriptParts)
          if (await exists(join(from, part))) await moveDurable(join(from, part), join(home, part))
      } else
        await archiveTranscript(from, home, {
          ...{ taskId: task.id, ancestorIds, title: task.title, nowMs: atMs },
          counted: task.transcriptCounts ?? undefined,
        })
    }
    if (task.report !== null)
      await saveReport(home, {
        ...{ taskId: task.id, run: 1, title: task.title, markdown: task.report },
        ...{ ancestorIds, nowMs: atMs },
      })
    imported.push(importedTask(task, record, atMs))
  }
  const kept: ImportRecord = { ...record, importedAt }
  await writeFileDurable(join(home, importFile), `${JSON.stringify(kept, null, 2)}\n`)
  return imported
}

/** Parent first. */
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
  { tool }: Pick<ImportRecord, 'tool'>,
  atMs: number,
): ImportedTask {
  const startedAt = new Date(task.startedAtMs ?? atMs).toISOString()
  const endedAt = new Date(Math.max(atMs, task.startedAtMs ?? atMs)).toISOString()
  // A root is a conversation: it is not over when its last turn was cut short.
  const isComplete = task.isComplete || task.parentId === null
  const cause = isComplete
    ? null
    : { kind: 'error' as const, detail: 'its log ends before the agent had finished' }
  const program = installedAgentSchema.safeParse(tool)
  return {
    ...{ id: task.id, parentId: task.parentId, title: task.title || titleOf(task.prompt) },
    agent: task.agent,
    spec: { kind: 'acp', program: program.success ? program.data : 'acp', agent: task.agent },
    isolation: 'in-place',
    status: isComplete ? 'completed' : 'abandoned',
    prompt: task.prompt.slice(0, promptCharsMax).toWellFormed(),
    ...{ createdAt: startedAt, startedAt, endedAt },
    runs: [{ run: 1, status: isComplete ? 'completed' : 'interrupted', startedAt, endedAt, cause }],
    ...{ resumedFrom: null, dependsOn: [], cause, model: task.model, usage: task.usage },
    hasReport: task.report !== null,
    reportTitle: task.report === null ? null : task.title,
    reportedRun: task.report === null ? null : 1,
    ...{ callId: task.callId, spawnCommit: null, plan: {}, branch: task.branch },
    project: { name: task.cwd.split(/[\\/]/).findLast(Boolean) ?? '', dir: task.cwd },
    hasTranscript: task.transcriptCounts !== null,
    ...(task.transcriptCounts && { transcriptCounts: task.transcriptCounts }),
  }
}

export const sourceOf = (record: Omit<ImportRecord, 'importedAt'>): ImportSource => ({
  ...{ tool: record.tool, version: record.toolVersion },
  file: record.files[0]?.name ?? record.session,
  bytes: record.files.reduce((sum, { bytes }) => sum + bytes, 0),
  ...{ sha256: record.sha256, originalId: record.session, redacted: false },
})
