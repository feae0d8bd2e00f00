/** Completes the folder of a staged session: the artifacts of its sub-agents, and `import.json` (I4). */
import type { TaskId } from '../../../shared/records/ids.ts'
import { addStagedArtifacts, type NewReport } from '../../artifacts/index.ts'
import type { StagedFiles } from '../../journal/index.ts'
import { redactPatterns } from '../../secrets/redact-patterns.ts'
import { importFile, type StagedSession, type StagedTask } from './staged-session.ts'

/** Limit for a task's prompt in the ledger; the transcript has the whole prompt. */
const promptCharsMax = 20_000

/** Returns the session with what lists may show of its tasks. All of the folder is durable then. */
export async function completeFolder(
  folder: StagedFiles,
  { record, tasks: staged }: StagedSession,
): Promise<StagedSession> {
  // The transcript keeps titles and prompts verbatim; in lists, notices and the ledger they are redacted (K4).
  const tasks = staged.map((task) => ({
    ...task,
    title: redactPatterns(task.title),
    prompt: redactPatterns(task.prompt.slice(0, promptCharsMax)).toWellFormed(),
  }))
  const described = tasks.map((task) => ({
    task,
    ancestorIds: ancestorsOf(task, tasks),
    nowMs: task.endedAtMs ?? task.startedAtMs ?? Date.parse(record.importedAt),
  }))
  await addStagedArtifacts(folder, {
    transcripts: described
      .filter(({ task }) => task.parentId !== null && task.hasFolder)
      .map(({ task: { id, title, hasPartial, transcriptCounts }, ...about }) => ({
        ...about,
        taskId: id,
        title,
        hasPartial,
        counted: transcriptCounts,
      })),
    reports: described.flatMap(({ task, ...about }) => reportsOf(task, about)),
  })
  await folder.add(importFile, `${JSON.stringify(record, null, 2)}\n`)
  await folder.sync()
  return { record, tasks }
}

function reportsOf(
  { id: taskId, title, report, exported }: StagedTask,
  { ancestorIds, nowMs }: { ancestorIds: TaskId[]; nowMs: number },
): NewReport[] {
  if (exported)
    return exported.reports.map(({ run, title, markdown, createdAt, taskResults }) => ({
      taskId,
      run,
      title,
      markdown,
      ancestorIds,
      taskResults,
      nowMs: Date.parse(createdAt),
    }))
  return report === null ? [] : [{ taskId, run: 1, title, markdown: report, ancestorIds, nowMs }]
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
