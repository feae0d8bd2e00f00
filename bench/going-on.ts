/** From a follow-up, or a resume, to the first turn of its agent, in a session with a long past. */
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
import { type Bench, fullSizes, megabyte, notJudged } from './bench.ts'
import { buildProbe } from './built.ts'
import { probe } from './child.ts'
import { makeUp } from './made-up.ts'
import { alternate, find, judge, type Measured, type Sample } from './rounds.ts'
import { finishedTask, projectAdded } from './voyages.ts'

/** DESIGN, G9. */
const beginsMsMax = 150
const memoryMbMax = 150

/** Of one turn: a call, what it changed (two), its result, the message. */
const entriesATurn = 5
const batchTurns = 200
/**
 * Files that the agent went on changing. Before a resume each is compared with what it holds, which is no matter of the
 * session's length, so there are few of them then.
 */
const filesChanged = { completed: 2_000, interrupted: 20 }

export async function measureGoingOn(bench: Bench): Promise<Measured> {
  const { sizes } = bench
  bench.say(`making a session of ${sizes.journalMb} MB, ${sizes.entries} entries`)
  const finished = await makeSession(bench, 'completed')
  const stopped = await makeSession(bench, 'interrupted')
  const built = await buildProbe(bench.dir)
  async function go(
    session: LongSession,
    action: 'follow-up' | 'resume',
    { withCheckpoint = true, program }: { withCheckpoint?: boolean; program?: string } = {},
  ) {
    await session.asItWas(withCheckpoint)
    const { dataDir, taskId } = session
    return (await probe(action, { dataDir, taskId }, program)) as Sample & Begun
  }

  const rounds = await alternate(
    {
      followUp: () => go(finished, 'follow-up'),
      resume: () => go(stopped, 'resume'),
      followUpBuilt: () => go(finished, 'follow-up', { program: built }),
      resumeBuilt: () => go(stopped, 'resume', { program: built }),
      unprepared: () => go(stopped, 'resume', { withCheckpoint: false }),
      empty: () => probe('start-up', { dataDir: join(bench.dir, 'empty'), tasks: 0 }),
      whole: async () => {
        await finished.asItWas(true)
        return probe('read-whole', { file: finished.file, records: finished.records })
      },
    },
    { rounds: bench.rounds },
  )

  const ms = find(rounds, 'ms', {
    'follow-up, to its first turn': ({ followUp }) => followUp.ms,
    'resume, to its first turn': ({ resume }) => resume.ms,
    'resume without a checkpoint, to its first turn': ({ unprepared }) => unprepared.ms,
    'reading and parsing all of it': ({ whole }) => whole.ms,
  })
  const memory = find(rounds, 'MB', {
    'memory until a follow-up begins (peak)': ({ followUp }) => followUp.begunMb,
    'memory until a resume begins (peak)': ({ resume }) => resume.begunMb,
    'of that, what the follow-up added': ({ followUp }) => followUp.begunMb - followUp.openMb,
    'of that, what the resume added': ({ resume }) => resume.begunMb - resume.openMb,
    'memory, follow-up, to its end (peak)': ({ followUp }) => followUp.peakMb,
    'memory, resume, to its end (peak)': ({ resume }) => resume.peakMb,
    'memory, follow-up, to its end, as built (peak)': (one) => one.followUpBuilt.peakMb,
    'memory, resume, to its end, as built (peak)': ({ resumeBuilt }) => resumeBuilt.peakMb,
    'memory, resume without a checkpoint (peak)': ({ unprepared }) => unprepared.peakMb,
    'memory, an empty data directory (peak)': ({ empty }) => empty.peakMb,
    'memory, reading all of it (peak)': ({ whole }) => whole.peakMb,
  })
  const ratios = find(rounds, 'x', {
    'all of it over a follow-up': (one) => one.whole.ms / one.followUp.ms,
    'all of it over a resume': (one) => one.whole.ms / one.resume.ms,
    'memory: all of it over a resume': (one) => one.whole.peakMb / one.resume.peakMb,
  })
  const judged = sizes.journalMb >= fullSizes.journalMb
  return {
    title: `Going on with a session of ${Math.round(finished.bytes / 1e6)} MB, ${finished.records} entries`,
    rounds: rounds.length,
    figures: [...Object.values(ms), ...Object.values(memory)],
    ratios: Object.values(ratios),
    verdicts: judged
      ? [
          judge(ms['follow-up, to its first turn'], { atMost: beginsMsMax }),
          judge(ms['resume, to its first turn'], { atMost: beginsMsMax }),
          judge(memory['memory until a follow-up begins (peak)'], { atMost: memoryMbMax }),
          judge(memory['memory until a resume begins (peak)'], { atMost: memoryMbMax }),
        ]
      : [],
    notes: [
      'From the call to the first turn of the agent, in a new process that has opened the data directory; in place, without Git.',
      'Memory counts Node itself and what it needs to take the types out of the sources; as built, these are gone. To its end: until the run is over and all is closed.',
      ...(judged ? [] : [notJudged]),
    ],
  }
}

/** The most memory when the data directory was open, and when the agent had begun. */
type Begun = { ms: number; openMb: number; begunMb: number; peakMb: number }

interface LongSession {
  dataDir: string
  taskId: TaskId
  file: string
  records: number
  bytes: number
  /** Takes back what a run added, and sees to its index, and to its checkpoint or that there is none. */
  asItWas(withCheckpoint: boolean): Promise<void>
}

async function makeSession(
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
      // Opened and closed: then its index and its checkpoint are those of what is there.
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
