/** Measures the overhead of a model's turn: a whole run, against a bare loop of the AI SDK on the same service. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { isStepCount, streamText, tool } from 'ai'
import { z } from 'zod'
import { openShiplog, type Shiplog } from '../../src/main/composition/shiplog.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import { isRunning } from '../../src/shared/records/tasks/task-status.ts'
import type { TaskTree } from '../../src/shared/records/tasks/tasks.ts'
import { startModelService } from '../models/service.ts'
import { type Bench, fullSizes, notJudged } from '../runner/bench.ts'
import { run } from '../runner/child-process.ts'
import { acknowledgement } from '../runner/machine.ts'
import { alternate, find, judge, type Measured, timed } from '../runner/rounds.ts'

/** The target, in addition to one sync per record. */
const overheadMsMax = 15
/** Records of a turn: its call, the result, and the message. */
const recordsATurn = 3
/** Allowed growth of the heap between a quarter of the turns and all of them. */
const growthMax = 1.2
/** Below the hundred turns of one run after which an agent asks the user. */
const turnsOfARun = 50

export async function measureModelTurns(bench: Bench): Promise<Measured> {
  const { dir, sizes, rounds } = bench
  const project = join(dir, 'project')
  await mkdir(project)
  await writeFile(join(project, 'a.txt'), 'What it says.\n')
  await run('git', 'init', '-q', '-b', 'main', project)
  const author = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost']
  await run('git', '-C', project, 'add', '-A')
  await run('git', '-C', project, ...author, 'commit', '-q', '-m', 'A file')
  const turns = Math.min(turnsOfARun, sizes.modelTurns)
  const service = await startModelService('quick-model.ts', String(turns))
  const shiplog = await openShiplog({ dataDir: join(dir, 'data'), host: 'cli' })
  try {
    const start = await starter(shiplog, project, service.baseUrl)
    const found = await alternate(
      {
        shiplog: async () => ({ ms: await turnMs(shiplog, await start()) }),
        bare: async () => ({ ms: (await timed(() => bareLoop(service.baseUrl, project))) / turns }),
        disk: async () => ({ ms: (await acknowledgement(dir)).medianUs / 1000 }),
      },
      { rounds },
    )
    bench.say(`one conversation of ${sizes.modelTurns} turns`)
    const heap = await heapOver(start, Math.ceil(sizes.modelTurns / turns))
    const ms = find(found, 'ms', {
      'a turn, bare': ({ bare }) => bare.ms,
      'a turn, in a run': ({ shiplog: whole }) => whole.ms,
      'a turn over the bare one, without its syncs': ({ shiplog: whole, bare, disk }) =>
        Math.max(0.01, whole.ms - bare.ms - recordsATurn * disk.ms),
    })
    const ratios = find(found, 'x', {
      'a turn in a run over a bare one': ({ shiplog: whole, bare }) => whole.ms / bare.ms,
    })
    const growth = find([heap], 'x', {
      'heap after all turns over heap after a quarter': ({ quarter, all }) => all / quarter,
    })
    const memory = find([heap], 'MB', {
      'heap after a quarter of the turns': ({ quarter }) => quarter,
      'heap after all turns': ({ all }) => all,
    })
    const isWhole = sizes.modelTurns >= fullSizes.modelTurns
    return {
      title: `Runs of ${turns} turns of a model that answers at once, and a conversation of ${sizes.modelTurns}`,
      rounds: found.length,
      figures: [...Object.values(ms), ...Object.values(memory)],
      ratios: [...Object.values(ratios), ...Object.values(growth)],
      verdicts: isWhole
        ? [
            judge(ms['a turn over the bare one, without its syncs'], { atMost: overheadMsMax }),
            judge(growth['heap after all turns over heap after a quarter'], { atMost: growthMax }),
          ]
        : [],
      notes: [
        'Each turn reads a file. Of a run the time between its turns counts, not the making of its worktree.',
        ...(isWhole ? [] : [notJudged]),
      ],
    }
  } finally {
    await shiplog.close()
    await service.stop()
  }
}

/** Returns a function that runs a root, or a follow-up to `taskId`, to its end. */
async function starter(shiplog: Shiplog, dir: string, baseUrl: string) {
  const { client } = shiplog
  const { id: projectId } = await client.projects.add({ dir })
  await client.models.saveProvider({ name: 'quick', kind: 'openai-compatible', baseUrl })
  return async (taskId?: TaskId): Promise<TaskId> => {
    const prompt = 'Read what there is to read.'
    const runsBefore = taskId ? (await taskOf(shiplog, taskId)).runs.length : 0
    if (taskId) await client.tasks.prompt({ taskId, prompt })
    const id =
      taskId ??
      (
        await client.tasks.start({
          projectId,
          prompt,
          permissions: 'allow-all',
          agent: { kind: 'model', model: 'quick/quick' },
        })
      ).taskId
    await untilRunHasEnded(shiplog, id, runsBefore + 1)
    return id
  }
}

/** From the end of the first turn to that of the last, which excludes creating the worktree and its first snapshot. */
async function turnMs({ client }: Shiplog, taskId: TaskId): Promise<number> {
  const { entries } = await client.workspace.getSubagentTranscript({ taskId, limit: 500 })
  const ends = entries.flatMap((one) =>
    one.type === 'message' && one.role === 'assistant' ? [one.at] : [],
  )
  const [first = 0] = ends
  return ((ends.at(-1) ?? 0) - first) / (ends.length - 1)
}

async function taskOf({ client }: Shiplog, taskId: TaskId): Promise<TaskTree> {
  const { tasks } = await client.tasks.list({ all: true })
  const task = tasks.find(({ id }) => id === taskId)
  if (!task) throw new Error(`There is no task ${taskId}.`)
  return task
}

/**
 * Waits for a run to end. The ledger records a follow-up before its run starts; until then the root keeps the state of
 * its previous run.
 */
async function untilRunHasEnded(shiplog: Shiplog, taskId: TaskId, run: number): Promise<void> {
  const { client } = shiplog
  const abort = new AbortController()
  const feed = await client.feed.ledger(undefined, { signal: abort.signal })
  try {
    for await (const _ of feed) {
      const { runs, status } = await taskOf(shiplog, taskId)
      if (runs.length < run || isRunning(status)) continue
      if (status !== 'completed') throw new Error(`The run ended as ${status}.`)
      return
    }
  } finally {
    abort.abort()
  }
}

/** Returns the megabytes of the heap after a collection, in one conversation of several runs. */
async function heapOver(
  start: (taskId?: TaskId) => Promise<TaskId>,
  runs: number,
): Promise<{ quarter: number; all: number }> {
  const taskId = await start()
  let quarter = heapMb()
  for (let n = 1; n < runs; n++) {
    await start(taskId)
    if (n + 1 <= Math.ceil(runs / 4)) quarter = heapMb()
  }
  return { quarter, all: heapMb() }
}

// The only way to force a collection without a command-line option.
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function heapMb(): number {
  collect()
  return process.memoryUsage().heapUsed / 1e6
}

/** Baseline: the SDK's own loop with an equivalent tool; nothing is recorded. */
async function bareLoop(baseURL: string, project: string): Promise<void> {
  const { stream } = streamText({
    model: createOpenAICompatible({ name: 'bare', baseURL, includeUsage: true })('quick'),
    prompt: 'Read what there is to read.',
    stopWhen: isStepCount(turnsOfARun + 1),
    tools: {
      read_file: tool({
        description: 'Reads a file.',
        inputSchema: z.object({ path: z.string() }),
        execute: ({ path }) => readFile(join(project, path), 'utf8'),
      }),
    },
  })
  for await (const part of stream) if (part.type === 'error') throw part.error
}
