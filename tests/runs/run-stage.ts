/** One run with an agent that a test plays, on a session of its own. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { executeRun } from '../../src/main/runs/run.ts'
import type { RunOptions } from '../../src/main/runs/run-options.ts'
import { createMasker } from '../../src/main/secrets/masker.ts'
import { openSession } from '../../src/main/sessions/session.ts'
import type { AgentEvent } from '../../src/shared/agents/driver/agent-events.ts'
import type { TaskToolsPort } from '../../src/shared/agents/driver/task-tools-port.ts'
import type { Entry, EntryBody } from '../../src/shared/records/entries.ts'
import { newTaskId } from '../../src/shared/records/ids.ts'
import type { Task } from '../../src/shared/records/tasks/tasks.ts'
import { temporaryDir } from '../harness.ts'
import { noLimits } from './no-limits.ts'
import { type PlayRun, playedAgent, speech } from './played-agent.ts'

export const id = newTaskId()

/** Plays a run of a sub-agent; `before`: what its session holds of earlier runs. */
export async function stage({
  before = [],
  parentId = newTaskId() as Task['parentId'],
}: {
  before?: EntryBody[]
  parentId?: Task['parentId']
} = {}) {
  const dir = join(await temporaryDir(), 'session')
  await mkdir(dir)
  const session = await openSession(id, dir, () => undefined)
  onTestFinished(() => session.close())
  if (before.length > 0) await session.append(...before)
  const abort = new AbortController()
  const secrets = createMasker()
  const entries = async () => {
    const all: Entry[] = []
    for await (const entry of session.entries()) all.push(entry)
    return all
  }
  const task = {
    id,
    parentId,
    title: 'Task',
    agent: 'worker',
    model: null,
    prompt: 'Go',
    spec: { kind: 'model', provider: 'anthropic', model: 'any', agent: 'worker' },
  } as Task
  const play = (run: PlayRun, over: Partial<RunOptions> = {}) =>
    executeRun({
      task,
      run: 1,
      reason: 'prompt',
      prompt: promptOf('Go'),
      lineage: [],
      opening: [],
      session,
      openAgent: playedAgent(run),
      endProcesses: async () => undefined,
      permissions: {
        mode: null,
        isNarrowed: () => false,
        check: async () => null,
        ask: async () => ({ kind: 'nobody' }),
      },
      runTool: async (name) => ({ outcome: 'ok', output: '', endsRun: name === 'agent_report' }),
      taskTools: {} as TaskToolsPort,
      workingDir: dir,
      environment: {},
      withheld: [],
      secrets,
      signal: abort.signal,
      clock: Date.now,
      gitBranch: async () => null,
      setUpWorktree: async () => null,
      snapshots: () => null,
      onActivity: () => undefined,
      waitToRetry: (delayMs, signal) => sleep(delayMs, undefined, { signal }),
      limits: noLimits,
      ...over,
    })
  return { session, task, abort, secrets, entries, play }
}

export const promptOf = (text: string) => ({ text, images: [] })

export const says = (...texts: string[]): AgentEvent[] => [
  { type: 'turn-started' },
  ...texts.map((text) => speech(text)),
]

export async function* playing(events: AgentEvent[]): AsyncGenerator<AgentEvent> {
  yield* events
}

export const endOf = (entries: Entry[]) => entries.at(-1)
export const messagesOf = (entries: Entry[]) =>
  entries.flatMap((entry) =>
    entry.type === 'message' && entry.role === 'assistant' ? [entry] : [],
  )
