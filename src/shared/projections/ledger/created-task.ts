/** The initial state of a task. */
import type { LedgerEventOf } from '../../records/ledger.ts'
import type { Task } from '../../records/tasks/tasks.ts'
import { noUsage } from '../../records/usage.ts'
import { imagesOf } from './fold-prompts.ts'
import type { LedgerState } from './ledger-state.ts'

export function createdTask(
  state: LedgerState,
  event: LedgerEventOf<'task.created'>,
  at: string,
): Task {
  const parent = event.parentId ? state.tasks.get(event.parentId) : undefined
  return {
    id: event.taskId,
    parentId: event.parentId,
    rootId: event.rootId,
    projectId: event.projectId,
    // The project may have been removed from the list.
    projectDir: state.projects.get(event.projectId)?.dir ?? parent?.projectDir ?? '',
    title: event.title,
    agent: event.agent,
    spec: event.spec,
    isolation: event.isolation,
    status: 'queued',
    prompt: event.prompt,
    ...imagesOf(event),
    createdAt: at,
    startedAt: null,
    endedAt: null,
    runs: [],
    resumedFrom: event.resumedFrom,
    dependsOn: event.dependsOn,
    archived: false,
    trashed: false,
    trashedAt: null,
    purged: false,
    pinned: false,
    imported: event.imported ?? false,
    transcriptExpired: null,
    transcriptRestoredAt: null,
    hasReport: false,
    reportTitle: null,
    reportedRun: null,
    hasTranscript: false,
    cause: null,
    model: event.model,
    usage: noUsage,
    callId: event.callId,
    spawnCommit: null,
    patch: 'none',
    workspace: null,
    options: event.options,
    plan: event.plan,
    depth: parent ? parent.depth + 1 : 0,
  }
}
