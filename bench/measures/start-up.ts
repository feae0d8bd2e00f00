/** Measures a start with a long history: the cost of thousands of archived tasks before anything can be shown. */
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openJournal, type RecordBody } from '../../src/main/journal/index.ts'
import { layoutOf } from '../../src/main/sessions/session-files.ts'
import type { ProjectId, TaskId } from '../../src/shared/records/ids.ts'
import { type LedgerEvent, ledgerVersion } from '../../src/shared/records/ledger.ts'
import { removalSteps } from '../../src/shared/records/projects/workspaces.ts'
import { finishedTask, projectAdded } from '../data/finished-tasks.ts'
import { createGenerator, generatedAtMs } from '../data/generate.ts'
import { type Bench, fullSizes, notJudged } from '../runner/bench.ts'
import { probe } from '../runner/child-process.ts'
import { alternate, find, judge, type Measured, type Sample } from '../runner/rounds.ts'

/** A root with nine sub-agents. */
const tasksOfATree = 10
const batchRecords = 1_000
/** A warm start may take at most half the time of reading the ledger: the snapshot must save more than a start adds. */
const overReadingMax = 0.5
const memoryMbMax = 200

export async function measureStartUp(bench: Bench): Promise<Measured> {
  const { dir, sizes } = bench
  const dataDir = join(dir, 'data')
  const emptyDir = join(dir, 'empty')
  bench.say(`making a ledger of ${sizes.tasks} archived tasks`)
  const records = await makeArchive(bench, dataDir)

  const start = async (dir: string, tasks: number) =>
    (await probe('start-up', { dataDir: dir, tasks })) as Sample & Started

  const rounds = await alternate(
    {
      async cold() {
        await takeDerivedAway(dataDir)
        return start(dataDir, sizes.tasks)
      },
      // Reuses what the previous start left.
      warm: () => start(dataDir, sizes.tasks),
      async empty() {
        await rm(emptyDir, { recursive: true, force: true })
        return start(emptyDir, 0)
      },
      plain: () => probe('read-whole', { file: layoutOf(dataDir).ledger, records }),
    },
    { rounds: bench.rounds },
  )
  const derived = await derivedIn(dataDir)

  const ms = find(rounds, 'ms', {
    'start, nothing there but the record': ({ cold }) => cold.ms,
    'start, as the last one left it': ({ warm }) => warm.ms,
    'start of an empty data directory': ({ empty }) => empty.ms,
    'reading and parsing the ledger': ({ plain }) => plain.ms,
  })
  const memory = find(rounds, 'MB', {
    'memory of a start, nothing there but the record (peak)': ({ cold }) => cold.startedMb,
    'memory of a start, as the last one left it (peak)': ({ warm }) => warm.startedMb,
    'memory, all of them listed as well (peak)': ({ warm }) => warm.peakMb,
    'memory of a start, empty data directory (peak)': ({ empty }) => empty.startedMb,
  })
  const ratios = find(rounds, 'x', {
    'start as left over that of an empty one': ({ warm, empty }) => warm.ms / empty.ms,
    'start as left over reading the ledger': ({ warm, plain }) => warm.ms / plain.ms,
    'start from the record over reading the ledger': ({ cold, plain }) => cold.ms / plain.ms,
  })
  return {
    title: `Start with ${sizes.tasks} archived tasks (${records} ledger records)`,
    rounds: rounds.length,
    figures: [...Object.values(ms), ...Object.values(memory)],
    ratios: Object.values(ratios),
    verdicts:
      sizes.tasks >= fullSizes.tasks
        ? [
            judge(ratios['start as left over reading the ledger'], { atMost: overReadingMax }),
            judge(memory['memory of a start, as the last one left it (peak)'], {
              atMost: memoryMbMax,
            }),
          ]
        : [],
    notes: [
      'From openShiplog to its answer, in a new process; loading the program is not in it.',
      derived.length > 0
        ? `The last start left beside the record: ${derived.join(', ')}.`
        : 'Nothing is kept beside the record, so both starts do the same.',
      ...(sizes.tasks >= fullSizes.tasks ? [] : [notJudged]),
    ],
  }
}

/** Peak memory once it was open, and once all tasks had been listed. */
type Started = { ms: number; startedMb: number; peakMb: number }

/** Returns the number of records in the ledger. */
async function makeArchive({ dir, sizes, seed }: Bench, dataDir: string): Promise<number> {
  const made = createGenerator(seed)
  const layout = layoutOf(dataDir)
  const projectDir = join(dir, 'project')
  await mkdir(projectDir, { recursive: true })
  const place = { projectId: made.uuid<ProjectId>(), projectDir }
  const events: LedgerEvent[] = [projectAdded(place)]
  for (let n = 0; n < sizes.tasks; ) {
    const rootId = made.uuid<TaskId>()
    const tree: TaskId[] = []
    for (; tree.length < tasksOfATree && n < sizes.tasks; n++) {
      const id = tree.length === 0 ? rootId : made.uuid<TaskId>()
      const parentId = id === rootId ? null : rootId
      tree.push(id)
      events.push(
        ...finishedTask(place, { id, parentId, title: `Task ${n}`, prompt: made.text(300) }),
      )
    }
    // Deepest first, the order of a removal.
    for (const workspaceId of tree.reverse()) {
      for (const step of removalSteps)
        events.push({ type: 'workspace.removal-advanced', workspaceId, step, pending: null })
    }
    await mkdir(layout.archiveDir(rootId), { recursive: true })
  }
  const ledger = await openJournal(layout.ledger, { clock: () => generatedAtMs })
  const bodies = events.map((event): RecordBody => ({ v: ledgerVersion, ...event }))
  for (let from = 0; from < bodies.length; from += batchRecords)
    await ledger.appendAll(bodies.slice(from, from + batchRecords))
  await ledger.close()
  return bodies.length
}

/**
 * The record, and the lock file of its writer: without the lock file beside a ledger, a start waits for a living
 * holder. Everything else in a data directory is derived from these.
 */
const record = ['ledger.jsonl', 'lease.lock', 'logs', 'archive', 'sessions', 'trash', 'worktrees']

async function derivedIn(dataDir: string): Promise<string[]> {
  return (await readdir(dataDir)).filter((name) => !record.includes(name))
}

async function takeDerivedAway(dataDir: string): Promise<void> {
  for (const name of await derivedIn(dataDir)) await rm(join(dataDir, name), { recursive: true })
}
