/** Folds the beginnings and ends of a task's runs. */
import type { PromptId } from '../../records/ids.ts'
import type { LedgerEventOf } from '../../records/ledger.ts'
import type { Run } from '../../records/tasks/runs.ts'
import type { Task } from '../../records/tasks/tasks.ts'
import { addUsage } from '../../records/usage.ts'
import { imagesOf, withoutPrompt } from './fold-prompts.ts'

export function foldRunStart(
  task: Task,
  event: LedgerEventOf<'task.spawned' | 'task.resumed'>,
  at: string,
): Partial<Task> {
  const started: Partial<Task> = {
    transcriptCounts: undefined,
    endedAt: null,
    cause: null,
    // The record of the new run is kept, even if that of earlier runs has expired.
    transcriptExpired: null,
    conflictsFound: undefined,
    // An applied patch no longer has all of its changes.
    patch: 'none',
  }
  if (event.type === 'task.resumed')
    return { ...started, status: 'resumed', runs: startRun(task.runs, event, at) }
  return {
    ...started,
    status: 'spawned',
    startedAt: task.startedAt ?? at,
    spawnCommit: task.spawnCommit ?? event.spawnCommit,
    hasTranscript: true,
    runs: startRun(task.runs, event, at, promptOf(task, event.promptId)),
    waitingPrompts: withoutPrompt(task, event.promptId),
  }
}

export function foldRunEnd(
  task: Task,
  event: LedgerEventOf<'task.completed' | 'task.interrupted' | 'task.failed'>,
  { at, recordedAt }: { at: string; recordedAt: string },
): Partial<Task> {
  const status = endOf[event.type]
  const cause = event.type === 'task.completed' ? null : event.cause
  const isAssumed = event.type === 'task.interrupted' && event.endedAt !== undefined
  return {
    status,
    endedAt: at,
    cause,
    transcriptCounts: event.transcript,
    usage: addUsage(task.usage, event.usage),
    runs: endRun(task.runs, event.run, {
      status,
      endedAt: at,
      cause,
      ...(isAssumed && { endedAtLatest: recordedAt }),
    }),
  }
}

const endOf = {
  'task.completed': 'completed',
  'task.interrupted': 'interrupted',
  'task.failed': 'failed',
} as const

function startRun(
  runs: Run[],
  { run, process }: LedgerEventOf<'task.spawned' | 'task.resumed'>,
  at: string,
  prompt: Pick<Run, 'prompt' | 'images'> = {},
): Run[] {
  return [
    ...runs.filter((r) => r.run !== run),
    { run, status: 'running', startedAt: at, endedAt: null, cause: null, process, ...prompt },
  ]
}

function promptOf(task: Task, promptId: PromptId | undefined): Pick<Run, 'prompt' | 'images'> {
  const waiting = task.waitingPrompts?.find(({ id }) => id === promptId)
  return waiting ? { prompt: waiting.prompt, ...imagesOf(waiting) } : {}
}

function endRun(
  runs: Run[],
  run: number,
  end: Pick<Run, 'status' | 'endedAt' | 'endedAtLatest' | 'cause'>,
): Run[] {
  return runs.map((r) => {
    if (r.run !== run) return r
    const { process: _, prompt: __, images: ___, ...ended } = r
    return { ...ended, ...end }
  })
}
