/**
 * Creates data directories full of finished work without running agents, with the events and entries that agents write.
 */

import { layoutOf } from '../../src/main/sessions/session-files.ts'
import { createSessions } from '../../src/main/sessions/sessions.ts'
import { type ProjectId, runIdOf, type TaskId } from '../../src/shared/records/ids.ts'
import type { LedgerEvent } from '../../src/shared/records/ledger.ts'
import type { TranscriptCounts } from '../../src/shared/records/tasks/transcript-status.ts'
import { noUsage } from '../../src/shared/records/usage.ts'
import { scriptedSpec } from '../../tests/fixtures/scripted-spec.ts'
import { createGenerator } from './generate.ts'

/** What every task of a generated project shares. */
interface ProjectPlace {
  projectId: ProjectId
  projectDir: string
}

const usage = { ...noUsage, inputTokens: 1200, outputTokens: 300 }

/** A folder without Git, whose cost is not measured here. */
export const projectAdded = ({ projectId, projectDir }: ProjectPlace): LedgerEvent => ({
  type: 'project.added',
  projectId,
  name: 'harbour',
  dir: projectDir,
  git: false,
})

/**
 * Returns the events of a task from its creation to the end of its only run, with its workspace still present.
 * `transcript`: the counts that a host records when a run ends; null if there is no transcript.
 */
export function finishedTask(
  place: ProjectPlace,
  task: { id: TaskId; parentId: TaskId | null; title: string; prompt: string },
  transcript: TranscriptCounts | null = null,
): LedgerEvent[] {
  const { id: taskId, parentId } = task
  return [
    {
      type: 'task.created',
      taskId,
      parentId,
      rootId: parentId ?? taskId,
      projectId: place.projectId,
      title: task.title,
      agent: parentId ? 'mate' : 'lead',
      spec: scriptedSpec(),
      prompt: task.prompt,
      model: null,
      isolation: 'in-place',
      callId: null,
      resumedFrom: null,
      dependsOn: [],
      // Keeps the workspace; otherwise the next start would remove it while that is measured.
      options: { agentsAtOnce: 3, keep: true },
      plan: {},
    },
    {
      type: 'workspace.created',
      workspaceId: taskId,
      kind: parentId ? 'task' : 'root',
      isolation: 'in-place',
      path: place.projectDir,
      branch: null,
      baseCommit: null,
      baseBranch: null,
    },
    {
      type: 'task.spawned',
      taskId,
      run: 1,
      process: { pid: 1, startedAt: 'long ago' },
      spawnCommit: null,
    },
    { type: 'task.reported', taskId, run: 1, title: `${task.title}: done` },
    { type: 'task.completed', taskId, run: 1, usage, ...(transcript ? { transcript } : {}) },
  ]
}

/** Size of one entry of a transcript; it hardly matters where transcripts are only counted. */
export const entryBytes = 4_000

/** A run with so many messages, as a session leaves it. */
export async function writeTranscript(
  dataDir: string,
  id: TaskId,
  seed: number,
  entries: number,
): Promise<TranscriptCounts | null> {
  const { message } = createGenerator(seed, id)
  const sessions = createSessions()
  const session = await sessions.open(id, layoutOf(dataDir).sessionDir(id))
  const run = { runId: runIdOf(id, 1), run: 1 }
  await session.append({ type: 'run-start', ...run, reason: 'prompt', agent: 'mate' })
  await session.append(...Array.from({ length: entries }, () => message(entryBytes)))
  await session.append({ type: 'run-end', ...run, status: 'completed', cause: null })
  const counts = await session.counts()
  await sessions.close(id)
  return counts
}
