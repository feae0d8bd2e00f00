/** Whole processes killed with their agents at work, and what comes of resuming them. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openShiplog, type Shiplog } from '../../src/main/composition/shiplog.ts'
import type { Entry } from '../../src/shared/records/entries.ts'
import { type RunId, runIdOf, type TaskId } from '../../src/shared/records/ids.ts'
import { allTasks, entriesOf, gitProject, taskOf, temporaryDir, untilQuiet } from '../harness.ts'
import { itInSoak } from '../soak.ts'
import { isSoak } from './effort.ts'
import { hold, note, runHost, wordsIn } from './resume-kills/held.ts'
import type { HostOrder, HostTold } from './resume-kills/host.ts'
import type { NotedRun } from './resume-kills/noting-program.ts'

/** A dozen processes and their Git, on a machine that is busy with other tests. */
const timeout = 300_000

const agent = (name: string, turns: string[]) =>
  `\n  ${name}:\n    turns:\n${turns.map((turn) => `      ${turn}`).join('\n')}`

const inFlight = ['left', 'right', 'leftmost', 'inner', 'rightmost', 'deepest']
/** These have reported before the others hold. */
const finished = ['early', 'swift']

/** Six sub-agents in three depths that hold, and two above and between them that are done by then. */
function sixAndTwo(dir: string): string {
  const worker = (name: string, done: string[] = [], children: string[] = []) =>
    agent(name, [
      `- { call: bash, with: ${note(dir, `${name}-before`)} }`,
      ...done.map((one) => `- { call: task, with: { agent: ${one}, title: ${one}, prompt: Go } }`),
      ...children.map(
        (one) =>
          `- { call: task, with: { agent: ${one}, title: ${one}, prompt: Go, background: true } }`,
      ),
      `- { call: write_file, with: { path: ${name}.txt, content: "by ${name}" } }`,
      `- { call: bash, with: ${hold(dir, name)} }`,
      `- { call: bash, with: ${note(dir, `${name}-after`)} }`,
      ...(children.length > 0 ? ['- { call: task_await, with: { tasks: all } }'] : []),
      `- report: { title: ${name} done, markdown: Done. }`,
    ])
  const quick = (name: string) =>
    agent(name, [
      `- { call: bash, with: ${note(dir, name)} }`,
      `- report: { title: ${name} done, markdown: "Before the kill." }`,
    ])
  return `version: 1\nname: six-and-two\nagents:${[
    worker('lead', ['early'], ['left', 'right']),
    worker('left', ['swift'], ['leftmost', 'inner']),
    worker('right', [], ['rightmost']),
    worker('leftmost'),
    worker('inner', [], ['deepest']),
    worker('rightmost'),
    worker('deepest'),
    ...finished.map(quick),
  ].join('')}\n`
}

async function open(dataDir: string): Promise<Shiplog> {
  const shiplog = await openShiplog({ dataDir, host: 'cli', agentsAtOnce: 16 })
  onTestFinished(() => shiplog.close())
  return shiplog
}

const begunBy = (told: HostTold[]): TaskId => {
  const begun = told.find((one) => one.type === 'begun')
  if (!begun) throw new Error('it began nothing')
  return begun.taskId
}

it('[T3][T4][S1][S3] six sub-agents at three depths are killed: all become interrupted, the tree resumes, and nothing runs or is reported twice', {
  timeout,
}, async () => {
  const dir = await temporaryDir()
  const projectDir = await gitProject(join(dir, 'project'))
  const dataDir = join(dir, 'data')
  const work = { kind: 'start', projectDir, scenario: sixAndTwo(dir) } as const
  const told = await runHost(
    { dataDir, agentsAtOnce: 16, work },
    { dir, killWhenHeld: ['lead', ...inFlight] },
  )
  const root = begunBy(told)
  const acknowledged = told.filter((one) => one.type === 'entry')
  const heardOf = new Set(acknowledged.map(({ taskId }) => taskId))
  expect(heardOf.size).toBe(9)

  const shiplog = await open(dataDir)
  const byStatus = async () =>
    Map.groupBy(await allTasks(shiplog), ({ status }) => status) as Map<string, { title: string }[]>
  const titles = (tasks: { title: string }[] | undefined) => tasks?.map(({ title }) => title).sort()
  const before = await byStatus()
  expect(titles(before.get('interrupted'))).toEqual(['Begin', ...inFlight].sort())
  expect(titles(before.get('completed'))).toEqual(finished)
  const depths = (await allTasks(shiplog)).filter(({ title }) => inFlight.includes(title))
  expect(new Set(depths.map(({ depth }) => depth)).size).toBe(3)
  // The kill may have left a file half written, of which a notice of its own tells.
  const { notices } = await shiplog.client.app.info()
  for (const title of inFlight) expect(JSON.stringify(notices), title).toContain(title)
  const entriesBefore = new Map<TaskId, Entry[]>()
  for (const { id } of await allTasks(shiplog)) entriesBefore.set(id, await entriesOf(shiplog, id))

  await writeFile(join(dir, 'go'), '')
  const outcome = await shiplog.client.tasks.resume({ selector: { by: 'tree', taskId: root } })
  expect(outcome).toMatchObject({ refused: [], restarted: [], abandoned: [] })
  expect(outcome.accepted).toHaveLength(7)
  const taskIds = outcome.accepted.map(({ taskId }) => taskId)
  const { ended } = await shiplog.client.tasks.resumeEnded({ taskIds })
  expect(ended.map(({ status }) => status)).toEqual(Array(7).fill('completed'))
  await untilQuiet(shiplog)

  // No tool call ran twice, those that were under way included.
  const words = ['lead', ...inFlight].flatMap((name) => [
    `${name}-before`,
    `${name}-hold`,
    `${name}-after`,
  ])
  expect((await wordsIn(dir)).sort()).toEqual([...words, ...finished].sort())

  const transcripts = new Map<TaskId, Entry[]>()
  for (const { id, title, runs } of await allTasks(shiplog)) {
    const entries = await entriesOf(shiplog, id)
    transcripts.set(id, entries)
    const known = entriesBefore.get(id) ?? []
    expect(entries.slice(0, known.length), title).toEqual(known)
    if (finished.includes(title)) {
      // No completed child ran again.
      expect(runs).toHaveLength(1)
      expect(entries).toEqual(known)
    } else expect(runs.map(({ status }) => status)).toEqual(['interrupted', 'completed'])
  }
  // Every turn that was told before the kill is there, as it was told, and once.
  for (const { taskId, entry } of acknowledged) {
    const same = transcripts.get(taskId)?.filter(({ uuid }) => uuid === entry.uuid)
    expect(same).toEqual([entry])
  }
  expect((await allTasks(shiplog)).length).toBe(9)
  await shiplog.client.workspace.remove({ workspaceId: root })
  expect((await shiplog.client.doctor.check({ repair: false })).problems).toEqual([])
})

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1)

const kills = isSoak ? 10 : 2
const generations = isSoak ? 5 : 2

/** Turns that end, each followed by one that is killed; then a report for each generation. */
const livesOf = (dir: string) =>
  `version: 1\nname: lives\nagents:${agent('lead', [
    ...numbers(kills).flatMap((n) => [
      `- steps: [{ say: Turn ${n} }, { call: bash, with: ${note(dir, `turn-${n}`)} }]`,
      `- { call: bash, with: ${hold(dir, String(n))} }`,
    ]),
    `- say: Turn ${kills + 1}`,
    '- report: { title: Part 0, markdown: Part 0. }',
    ...numbers(generations).flatMap((n) => [
      `- steps: [{ say: Generation ${n} }, { call: bash, with: ${note(dir, `generation-${n}`)} }]`,
      `- report: { title: Part ${n}, markdown: Part ${n}. }`,
    ]),
  ])}\n`

/** Bytes of every file below it. */
function bytesBelow(dir: string): number {
  const names = existsSync(dir) ? readdirSync(dir, { recursive: true, encoding: 'utf8' }) : []
  return names.reduce((sum, name) => {
    const stats = statSync(join(dir, name))
    return sum + (stats.isFile() ? stats.size : 0)
  }, 0)
}

const saidIn = (history: Entry[]): string[] =>
  history.flatMap((entry) =>
    entry.type === 'message' && entry.role === 'assistant'
      ? entry.parts.flatMap((part) =>
          part.type === 'text' && /^(Turn|Generation) \d+$/.test(part.text) ? [part.text] : [],
        )
      : [],
  )

itInSoak(
  `[S3][T4] resumed ${kills} times with a kill each time, and gone on from ${generations} times over: the agent is given every turn of every run and generation in order, and the record grows by the same each time`,
  {
    timeout,
  },
  async () => {
    const dir = await temporaryDir()
    const projectDir = await gitProject(join(dir, 'project'))
    const dataDir = join(dir, 'data')
    const histories = join(dir, 'histories')
    const host = (work: HostOrder['work'], killWhenHeld?: string[]) =>
      runHost({ dataDir, agentsAtOnce: 3, work }, { dir, histories, killWhenHeld })

    const first = await host({ kind: 'start', projectDir, scenario: livesOf(dir) }, ['1'])
    const root = begunBy(first)
    const recordBytes = () =>
      bytesBelow(join(dataDir, 'sessions')) + statSync(join(dataDir, 'ledger.jsonl')).size
    const sizes = [recordBytes()]
    const selector = { by: 'task', taskId: root.slice(0, 13) } as const
    for (let n = 2; n <= kills; n++) {
      await host({ kind: 'resume', selector }, [String(n)])
      sizes.push(recordBytes())
    }
    const last = await host({ kind: 'resume', selector })
    expect(begunBy(last)).toBe(root)
    // With fewer there is no second half to compare.
    if (kills > 2) expect(growthOf(sizes)).toBeLessThan(1.3)

    const prompts = numbers(generations).map((n) => `Go on, ${n}`)
    const continued = await host({ kind: 'continue', taskId: root, prompts })
    const lineage = [
      root,
      ...continued.flatMap((one) => (one.type === 'begun' ? [one.taskId] : [])),
    ]
    const ownBytes = lineage.slice(1).map((id) => bytesBelow(join(dataDir, 'sessions', id)))
    expect(new Set(lineage).size).toBe(generations + 1)
    // What came before is followed, and not copied.
    expect(Math.max(...ownBytes)).toBeLessThan(1.1 * Math.min(...ownBytes))

    // The shell has noted each of them once: none ran again.
    expect(await wordsIn(dir)).toEqual([
      ...numbers(kills).flatMap((n) => [`turn-${n}`, `${n}-hold`]),
      ...numbers(generations).map((n) => `generation-${n}`),
    ])

    const runs = (await readFile(histories, 'utf8')).trim().split('\n')
    const given = runs.map((line) => JSON.parse(line) as NotedRun)
    expect(given.map(({ taskId }) => lineage.indexOf(taskId))).toEqual([
      ...Array(kills + 1).fill(0),
      ...numbers(generations),
    ])
    const shiplog = await open(dataDir)
    const onDisk: Entry[] = []
    const beginnings = new Map<TaskId, Entry | undefined>()
    for (const id of lineage) {
      const entries = await entriesOf(shiplog, id)
      beginnings.set(id, entries[0])
      onDisk.push(...entries)
    }
    const turns = [
      ...numbers(kills + 1).map((n) => `Turn ${n}`),
      ...numbers(generations).map((n) => `Generation ${n}`),
    ]
    for (const [index, { history, taskId }] of given.entries()) {
      // Each run before it has said one of them.
      expect(saidIn(history), `run ${index + 1}`).toEqual(turns.slice(0, index))
      const started = history.flatMap((entry) => (entry.type === 'run-start' ? [entry.run] : []))
      const before = index <= kills ? numbers(index) : numbers(kills + 1)
      expect(started, `run ${index + 1}`).toEqual([
        ...before,
        ...Array(Math.max(0, index - kills - 1)).fill(1),
      ])
      // Whatever else is recorded is given as well, in the order of the record.
      const uuids = new Set(history.map(({ uuid }) => uuid))
      const beginning =
        index > 0 && index <= kills
          ? onDisk.findIndex((entry) => isStartOf(entry, runIdOf(taskId, index + 1)))
          : onDisk.findIndex(({ uuid }) => uuid === beginnings.get(taskId)?.uuid)
      const recorded = onDisk.slice(0, beginning)
      expect(recorded.filter(({ uuid }) => !uuids.has(uuid))).toEqual([])
      const own = new Set(recorded.map(({ uuid }) => uuid))
      expect(history.filter(({ uuid }) => own.has(uuid)).map(({ uuid }) => uuid)).toEqual(
        recorded.map(({ uuid }) => uuid),
      )
    }
    expect((await taskOf(shiplog, root)).runs).toHaveLength(kills + 1)
  },
)

const isStartOf = (entry: Entry, runId: RunId) =>
  entry.type === 'run-start' && entry.runId === runId

/** By how much more the second half grew than the first: about 1 when it grows by the same each time. */
function growthOf(sizes: number[]): number {
  const [start = 0, middle = 0, end = 0] = [
    sizes[0],
    sizes[Math.floor((sizes.length - 1) / 2)],
    sizes.at(-1),
  ]
  const firstSteps = Math.floor((sizes.length - 1) / 2)
  const perStep = (middle - start) / firstSteps
  return (end - middle) / (sizes.length - 1 - firstSteps) / perStep
}
