/** A data directory with one long session, as an agent leaves it. */
import { hash } from 'node:crypto'
import { mkdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openLedger } from '../../src/main/ledger/ledger.ts'
import { chatFile, checkpointFile, layoutOf } from '../../src/main/sessions/session-files.ts'
import { createSessions } from '../../src/main/sessions/sessions.ts'
import { type AgentSpec, scenarioFile } from '../../src/shared/agents/agent-specs.ts'
import type { EntryBody } from '../../src/shared/records/entries.ts'
import {
  type ProjectId,
  type RunId,
  runIdOf,
  type TaskId,
  type ToolCallId,
} from '../../src/shared/records/ids.ts'
import type { LedgerEvent } from '../../src/shared/records/ledger.ts'
import { type Bench, megabyte } from '../runner/bench.ts'
import { finishedTask, projectAdded } from './finished-tasks.ts'
import { createGenerator } from './generate.ts'

/** Entries of one turn: a call, two file changes, its result, the message. */
const entriesATurn = 5
const batchTurns = 200
/**
 * Files that the agent kept changing. A resume compares each with its recorded content, a cost that is independent of
 * the session's length, so an interrupted session has few of them.
 */
const filesChanged = { completed: 2_000, interrupted: 20 }

export interface LongSession {
  dataDir: string
  taskId: TaskId
  file: string
  records: number
  bytes: number
  /**
   * Reverts what a run added, and writes the index and the checkpoint for the restored records; false: no checkpoint.
   */
  asItWas(withCheckpoint: boolean): Promise<void>
}

export async function makeLongSession(
  bench: Bench,
  status: 'completed' | 'interrupted',
): Promise<LongSession> {
  const dataDir = join(bench.dir, status)
  const projectDir = join(bench.dir, 'project')
  await mkdir(projectDir, { recursive: true })
  const { uuid } = createGenerator(bench.seed)
  const taskId = uuid<TaskId>()
  const layout = layoutOf(dataDir)
  const dir = layout.sessionDir(taskId)
  const file = join(dir, chatFile)
  const agent = await savedAgent(dir)
  for (let n = 0; n < filesChanged.interrupted; n++) {
    await mkdir(dirname(join(projectDir, fileNamed(n))), { recursive: true })
    await writeFile(join(projectDir, fileNamed(n)), fileNamed(n))
  }
  const counts = await writeEntries(bench, taskId, dir, status)

  const place = { projectId: uuid<ProjectId>(), projectDir }
  const task = { id: taskId, parentId: null, title: 'A long session', prompt: 'Sail on.' }
  const ledger = await openLedger(layout.ledger, dataDir)
  await ledger.record(projectAdded(place))
  await ledger.record(...ended(finishedTask(place, task, counts), status, agent))
  await ledger.close()
  const recorded = await readFile(layout.ledger)
  const { size } = await stat(file)

  return {
    dataDir,
    taskId,
    file,
    records: counts?.entries ?? 0,
    bytes: size,
    async asItWas(withCheckpoint) {
      await writeFile(layout.ledger, recorded)
      if ((await stat(file)).size !== size) await truncate(file, size)
      // Opening and closing it writes its index and its checkpoint for the present records.
      const sessions = createSessions()
      await (await sessions.open(taskId, dir)).state()
      await sessions.close(taskId)
      if (!withCheckpoint) await rm(join(dir, checkpointFile), { force: true })
    },
  }
}

/** Each turn is one word, because only the time to the first turn is measured. */
const scenario = `version: 1
name: session
agents:
  lead:
    turns:
      - say: Aye.
`

/** The scenario is stored in the session directory, under the hash of its text. */
async function savedAgent(dir: string): Promise<AgentSpec> {
  const agent = { scenario: hash('sha256', scenario), source: 'session.yaml', agent: 'lead' }
  const file = join(dir, scenarioFile(agent))
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, scenario)
  return { kind: 'scripted', ...agent }
}

/** Returns the events of a finished task, changed to this agent and this outcome. */
function ended(
  events: LedgerEvent[],
  status: 'completed' | 'interrupted',
  spec: AgentSpec,
): LedgerEvent[] {
  return events.flatMap((event): LedgerEvent[] => {
    if (event.type === 'task.created') return [{ ...event, spec, agent: spec.agent }]
    if (event.type === 'task.reported') return []
    if (event.type !== 'task.completed' || status === 'completed') return [event]
    return [{ ...event, type: 'task.interrupted', cause: { kind: 'crashed' } }]
  })
}

async function writeEntries(
  { sizes, seed }: Bench,
  taskId: TaskId,
  dir: string,
  status: 'completed' | 'interrupted',
) {
  const sessions = createSessions()
  const session = await sessions.open(taskId, dir)
  const run = { runId: runIdOf(taskId, 1), run: 1 }
  const made = createGenerator(seed, taskId)
  const turns = Math.max(1, Math.floor(sizes.entries / entriesATurn))
  const turnBytes = (sizes.journalMb * megabyte) / turns
  await session.state()
  await session.append(
    { type: 'title', title: 'A long session' },
    { type: 'run-start', ...run, reason: 'prompt', agent: 'lead' },
    { ...made.message(700), role: 'user', turn: null } as EntryBody,
  )
  for (let done = 0; done < turns; done += batchTurns) {
    const bodies: EntryBody[] = []
    for (let n = done; n < Math.min(turns, done + batchTurns); n++)
      bodies.push(
        ...turnOf(made, n, { bytes: turnBytes, path: fileNamed(n % filesChanged[status]), run }),
      )
    await session.append(...bodies)
  }
  const cause = status === 'completed' ? null : ({ kind: 'crashed' } as const)
  await session.append({ type: 'run-end', ...run, status, cause })
  const counts = await session.counts()
  await sessions.close(taskId)
  return counts
}

const fileNamed = (n: number) => `src/deck-${n % 10}/plank-${n}.ts`

function turnOf(
  made: ReturnType<typeof createGenerator>,
  n: number,
  { bytes, path, run: { runId } }: { bytes: number; path: string; run: { runId: RunId } },
): EntryBody[] {
  const message = made.message(bytes / 4)
  const messageUuid = message.uuid ?? made.uuid()
  const callId = `call-${n}` as ToolCallId
  const call = { messageUuid, runId, turn: n + 1, callId, name: 'write_file' }
  // Each file in the project's folder contains its own path.
  const sha256 = hash('sha256', path)
  const content = made.text(Math.max(1, Math.floor(bytes * 0.4)))
  return [
    { type: 'tool-call', ...call, input: { path, content } },
    { type: 'file-history-snapshot', messageUuid, callId, path, before: null, after: sha256 },
    {
      type: 'attribution-snapshot',
      messageUuid,
      files: { [path]: { agentChars: 400, otherChars: 0, sha256, authors: [400] } },
    },
    {
      type: 'tool-result',
      ...call,
      outcome: 'ok',
      durationMs: 3,
      output: made.text(Math.max(1, Math.floor(bytes * 0.2))),
    },
    message,
  ]
}
