/** A data directory with one session that has a long past, as an agent leaves it. */
import { hash } from 'node:crypto'
import { mkdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openLedger } from '../src/main/ledger/ledger.ts'
import { chatFile, checkpointFile, layoutOf } from '../src/main/sessions/session-files.ts'
import { createSessions } from '../src/main/sessions/sessions.ts'
import { type AgentSpec, scenarioFile } from '../src/shared/agents/agent-specs.ts'
import type { EntryBody } from '../src/shared/records/entries.ts'
import {
  type ProjectId,
  type RunId,
  runIdOf,
  type TaskId,
  type ToolCallId,
} from '../src/shared/records/ids.ts'
import type { LedgerEvent } from '../src/shared/records/ledger.ts'
import { type Bench, megabyte } from './bench.ts'
import { makeUp } from './made-up.ts'
import { finishedTask, projectAdded } from './voyages.ts'

/** Entries of one turn: a call, what it changed (two), its result, the message. */
const entriesATurn = 5
const batchTurns = 200
/**
 * Files that the agent went on changing. Before a resume each is compared with what it holds, which is no matter of the
 * session's length, so there are few of them then.
 */
const filesChanged = { completed: 2_000, interrupted: 20 }

export interface LongSession {
  dataDir: string
  taskId: TaskId
  file: string
  records: number
  bytes: number
  /** Takes back what a run added, and sees to its index, and to its checkpoint or that there is none. */
  asItWas(withCheckpoint: boolean): Promise<void>
}

export async function makeLongSession(
  bench: Bench,
  status: 'completed' | 'interrupted',
): Promise<LongSession> {
  const dataDir = join(bench.dir, status)
  const projectDir = join(bench.dir, 'project')
  await mkdir(projectDir, { recursive: true })
  const { uuid } = makeUp(bench.seed)
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

  const voyage = { projectId: uuid<ProjectId>(), projectDir }
  const task = { id: taskId, parentId: null, title: 'A long voyage', prompt: 'Sail on.' }
  const ledger = await openLedger(layout.ledger, dataDir)
  await ledger.record(projectAdded(voyage))
  await ledger.record(...ended(finishedTask(voyage, task, counts), status, agent))
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

/** A turn says a word: what it takes to get there is measured. */
const scenario = `version: 1
name: voyage
agents:
  lead:
    turns:
      - say: Aye.
`

/** Its scenario lies in the session directory, under the hash of its text. */
async function savedAgent(dir: string): Promise<AgentSpec> {
  const agent = { scenario: hash('sha256', scenario), source: 'voyage.yaml', agent: 'lead' }
  const file = join(dir, scenarioFile(agent))
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, scenario)
  return { kind: 'scripted', ...agent }
}

/** The events of a finished task as those of one that has this agent and ended so. */
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
  const made = makeUp(seed, taskId)
  const turns = Math.max(1, Math.floor(sizes.entries / entriesATurn))
  const turnBytes = (sizes.journalMb * megabyte) / turns
  await session.state()
  await session.append(
    { type: 'title', title: 'A long voyage' },
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
  made: ReturnType<typeof makeUp>,
  n: number,
  { bytes, path, run: { runId } }: { bytes: number; path: string; run: { runId: RunId } },
): EntryBody[] {
  const message = made.message(bytes / 4)
  const messageUuid = message.uuid ?? made.uuid()
  const callId = `call-${n}` as ToolCallId
  const call = { messageUuid, runId, turn: n + 1, callId, name: 'write_file' }
  // As it lies in the project's folder.
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
      ...{ type: 'tool-result', ...call, outcome: 'ok', durationMs: 3 },
      output: made.text(Math.max(1, Math.floor(bytes * 0.2))),
    },
    message,
  ]
}
