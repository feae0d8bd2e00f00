/** Shiplog in a folder without Git, with agents on strings, and all that may be done to it. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as tick } from 'node:timers/promises'
import { openShiplog, type Shiplog } from '../../../src/main/composition/shiplog.ts'
import { layoutOf } from '../../../src/main/sessions/session-files.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import type { ResumeSelector } from '../../../src/shared/records/resume.ts'
import { isRunning } from '../../../src/shared/records/tasks/task-status.ts'
import type { TaskTree } from '../../../src/shared/records/tasks/tasks.ts'
import { disownLease } from '../../crash/crash-check.ts'
import { differences, readTree, writeTree } from '../../crash/fault-fs/tree.ts'
import { eventsIn } from '../../crash/layers.ts'
import { allTasks, entriesOf, taskOf } from '../../harness.ts'
import { type BegunRun, type Order, type Stage, wordsIn } from './puppets.ts'
import { whatIsNotAllowed } from './record.ts'

/** `who` picks one of the tasks that there are. */
export type Act =
  | { kind: 'start' }
  | { kind: 'order'; who: number; order: Order['kind']; dependsOn: number }
  | {
      kind:
        | 'stop'
        | 'retry'
        | 'abandon'
        | 'anotherAttempt'
        | 'continue'
        | 'prompt'
        | 'remove'
        | 'restore'
      who: number
    }
  | { kind: 'resume'; who: number; by: ResumeSelector['by'] }
  | { kind: 'prune' }
  | { kind: 'restart' }
  /** So many turns of the event loop after the other act has begun. */
  | { kind: 'crash'; during: Act | null; ticks: number }

/** Enough for siblings, depth and generations; more only takes longer. */
const tasksMax = 10

/** A retry, a resume, and what they release: nothing needs as many. */
const roundsMax = 10

interface World {
  act(act: Act): Promise<void>
  /** What does not hold now, in words. */
  wrong(): Promise<string[]>
  /** A last crash, and then everything that can go on goes on to its end. */
  finish(): Promise<void>
  close(): Promise<void>
}

export async function createWorld(stage: Stage, place: string): Promise<World> {
  const projectDir = join(place, 'project')
  mkdirSync(projectDir, { recursive: true })
  let lives = 1
  let dataDir = join(place, 'data-1')
  let titles = 0
  /** While an act is under way in a life that ends meanwhile. */
  let crashing = false
  const wrong: string[] = []
  /** What had been said when a task was made that continues another. */
  const continuedAt = new Map<TaskId, ReadonlyMap<TaskId, string[]>>()
  const formerLives: Promise<unknown>[] = []
  let shiplog = await open()
  const { id: projectId } = await shiplog.client.projects.add({ dir: projectDir })
  await shiplog.client.retention.setSettings({
    ...(await shiplog.client.retention.settings()),
    transcriptTtlDays: 0,
  })

  function open(): Promise<Shiplog> {
    return stage.inThisLife(() => openShiplog({ dataDir, host: 'cli', agentsAtOnce: 2 }))
  }

  async function act(one: Act): Promise<void> {
    await stage.inThisLife(() => carryOut(one)).catch(refusalOnly)
  }

  /** Being told that something is not possible now is an answer; anything else is not. */
  function refusalOnly(error: unknown): void {
    const { code, message } = error as { code?: string; message: string }
    if (code !== 'REFUSED') wrong.push(`${code}: ${message}`)
  }

  async function carryOut(one: Act): Promise<void> {
    const { client } = shiplog
    if (one.kind === 'crash') return crash(one)
    if (one.kind === 'restart') return restart()
    if (one.kind === 'start') return start()
    if (one.kind === 'prune') return void (await client.retention.sweep({}))
    const tasks = await allTasks(shiplog)
    const task = tasks[one.who % tasks.length]
    if (!task) return
    const { id: taskId } = task
    switch (one.kind) {
      case 'order':
        return order(task, tasks, one)
      case 'stop':
        return void (await client.tasks.stop({ taskId }))
      case 'retry':
        await client.tasks.retry({ taskId })
        return allowed(task, ['failed'])
      case 'abandon':
        await client.tasks.abandon({ taskId })
        return allowed(task, ['interrupted', 'queued', 'blocked'])
      case 'anotherAttempt':
        if (tasks.length >= tasksMax) return
        await client.tasks.restart({ taskId })
        return allowed(task, ['interrupted'])
      case 'continue':
        if (tasks.length >= tasksMax) return
        await continueFrom(taskId)
        return allowed(task, ['completed', 'failed', 'cancelled', 'abandoned', 'blocked'])
      case 'prompt':
        // Queued, and begun by itself: `follow-ups.test.ts`. Here nobody would tell that run how to end.
        if (task.status === 'queued' || isRunning(task.status)) return
        await client.tasks.prompt({ taskId, prompt: 'And then?' })
        return allowed(task, ['completed', 'interrupted', 'failed'])
      case 'resume':
        return resume(task, one.by)
      case 'remove':
        return void (await client.workspace.remove({ workspaceId: taskId }))
      case 'restore':
        await client.workspace.restore({ workspaceId: taskId })
    }
  }

  async function continueFrom(taskId: TaskId): Promise<void> {
    const said = stage.saidSoFar()
    const continued = await shiplog.client.tasks.continueFrom({ taskId, prompt: 'Go on' })
    continuedAt.set(continued.taskId, said)
  }

  function allowed({ title, status }: TaskTree, from: TaskTree['status'][]): void {
    if (!crashing && !from.includes(status))
      wrong.push(`"${title}" is ${status}, and that was not refused`)
  }

  async function start(): Promise<void> {
    if ((await allTasks(shiplog)).length >= tasksMax) return
    await shiplog.client.tasks.start({
      projectId,
      agent: { kind: 'scripted', scenario: '', source: 'puppets' },
      prompt: `Root ${++titles}`,
    })
  }

  async function order(
    task: TaskTree,
    tasks: TaskTree[],
    { order: kind, dependsOn }: Extract<Act, { kind: 'order' }>,
  ): Promise<void> {
    const [puppet] = stage.on(task.id)
    if (!puppet || puppet.busy) return
    if (kind === 'spawn') {
      if (tasks.length >= tasksMax) return
      const siblings = tasks.filter(({ parentId }) => parentId === task.id)
      // Now and then on nothing.
      const on = siblings[dependsOn % (siblings.length + 1)]
      return puppet.order({ kind, title: `Task ${++titles}`, dependsOn: on ? [on.id] : [] })
    }
    const done = puppet.order({ kind })
    if (kind === 'speak') await done
    // It waits as long as it takes its sub-agents.
    if (kind === 'speak' || kind === 'await') return
    await shiplog.client.tasks.resumeEnded({ taskIds: [task.id] })
  }

  async function resume(task: TaskTree, by: ResumeSelector['by']): Promise<void> {
    const { id: taskId, title, status } = task
    const selector: ResumeSelector =
      by === 'task' || by === 'tree'
        ? { by, taskId }
        : by === 'group'
          ? { by, group: taskId }
          : { by }
    const { refused, accepted } = await shiplog.client.tasks.resume({ selector })
    if (crashing) return
    wrong.push(...refused.map(({ message }) => `"${title}" could not be resumed: ${message}`))
    if (by === 'task') {
      allowed(task, ['interrupted', 'queued'])
      if (accepted.length !== 1) wrong.push(`"${title}", ${status}, was not resumed`)
    }
  }

  async function restart(): Promise<void> {
    const before = await standingOf(shiplog)
    await shiplog.close()
    shiplog = await open()
    wrong.push(...changedBy('a restart', before, await allTasks(shiplog)))
  }

  async function crash({ during, ticks }: Extract<Act, { kind: 'crash' }>): Promise<void> {
    crashing = true
    const meanwhile = during && carryOut(during).catch(() => undefined)
    for (let n = 0; n < ticks; n++) await tick()
    const copy = join(place, `data-${++lives}`)
    const tree = treeAtRest(dataDir)
    const before = during ? null : await standingOf(shiplog)
    stage.crash()
    writeTree(copy, tree)
    await disownLease(copy)
    // What is left of the former life ends by itself, in its own directory, and says what it likes.
    const former = shiplog
    formerLives.push(Promise.all([former.close(), meanwhile]))
    dataDir = copy
    shiplog = await open()
    // Nothing more is reported by a former life.
    await Promise.all(formerLives)
    crashing = false
    if (before) wrong.push(...changedBy('a crash', before, await allTasks(shiplog)))
  }

  async function whatIsWrong(): Promise<string[]> {
    const running = shiplog.runningAgents().map(({ taskId }) => taskId)
    const tasks = await allTasks(shiplog)
    const alive = new Set([...running, ...shiplog.runningAgents().map(({ taskId }) => taskId)])
    wrong.push(...whatIsNotAllowed(await eventsIn(layoutOf(dataDir).ledger)))
    for (const { id, title, status } of tasks)
      if (isRunning(status) && !alive.has(id)) wrong.push(`"${title}" is ${status}: a ghost`)
    for (const run of stage.begun.splice(0)) wrong.push(...oddAbout(run, tasks, continuedAt))
    wrong.push(...(await lostReports(tasks)), ...(await lostTranscripts(tasks)))
    const { notices } = await shiplog.client.app.info()
    for (const { tone, text, details } of notices)
      if (tone === 'error') wrong.push(`${text}: ${details.join()}`)
    return wrong.splice(0)
  }

  /** A7, and X2: retention takes transcripts, and never a report. */
  async function lostReports(tasks: TaskTree[]): Promise<string[]> {
    const lost: string[] = []
    for (const { id, title, status, parentId } of tasks) {
      if (status !== 'completed' || parentId === null) continue
      const report = await shiplog.client.tasks.report({ taskId: id }).catch(String)
      if (typeof report === 'string') lost.push(`the report of "${title}": ${report}`)
    }
    return lost
  }

  /** X1: what may go on keeps its transcript, with every word that was durable. */
  async function lostTranscripts(tasks: TaskTree[]): Promise<string[]> {
    const lost: string[] = []
    for (const { id, title, status } of tasks) {
      if (status !== 'interrupted' && status !== 'queued') continue
      // Asked first: one that was queued may begin to speak meanwhile.
      const owed = stage.saidSoFar().get(id) ?? []
      const words = wordsIn(await entriesOf(shiplog, id))
      const missing = owed.filter((word) => !words.includes(word))
      if (missing.length > 0) lost.push(`the transcript of "${title}" has lost ${missing.join()}`)
    }
    return lost
  }

  async function finish(): Promise<void> {
    stage.letGo()
    await act({ kind: 'crash', during: null, ticks: 0 })
    await stage.inThisLife(untilNothingCanGoOn)
    await act({ kind: 'crash', during: null, ticks: 0 })
    const { problems } = await shiplog.client.doctor.check({ repair: false })
    // Copies have the modes that the test's own process gives them.
    const found = problems.filter(({ kind }) => kind !== 'file-mode')
    wrong.push(...found.map(({ kind, path, detail }) => `${kind} ${path}: ${detail}`))
  }

  async function untilNothingCanGoOn(): Promise<void> {
    const { client } = shiplog
    for (let rounds = 0; ; rounds++) {
      if (rounds > roundsMax) return void wrong.push(`it takes more than ${roundsMax} rounds`)
      const tasks = (await allTasks(shiplog)).filter(canStillRun)
      if (tasks.length === 0) return
      for (const { id, rootId, status } of tasks) {
        for (const workspaceId of [rootId, id]) {
          const { archived } = await taskOf(shiplog, workspaceId)
          if (archived) await client.workspace.restore({ workspaceId })
        }
        if (status === 'failed') await client.tasks.retry({ taskId: id })
      }
      await client.tasks.resume({ selector: { by: 'all' } }).catch(refusalOnly)
      await client.tasks.resumeEnded({ taskIds: tasks.map(({ id }) => id) })
    }
  }

  return {
    act,
    wrong: whatIsWrong,
    finish,
    async close() {
      stage.crash()
      await shiplog.close()
      await Promise.all(formerLives)
      rmSync(place, { recursive: true, force: true })
    },
  }
}

/** An agent that had ended before, and was not about to continue, is unchanged. */
function changedBy(what: string, before: Standing, after: TaskTree[]): string[] {
  return before.tasks.flatMap(({ id, title, status }) => {
    const now = after.find((task) => task.id === id)?.status
    const mayChange = before.active.has(id) || isRunning(status)
    return now === status || mayChange ? [] : [`${what} made "${title}", ${status}, ${now}`]
  })
}

interface Standing {
  tasks: TaskTree[]
  /** They run, or wait for their turn. */
  active: Set<TaskId>
}

async function standingOf(shiplog: Shiplog): Promise<Standing> {
  const active = new Set(shiplog.runningAgents().map(({ taskId }) => taskId))
  return { tasks: await allTasks(shiplog), active }
}

/**
 * S3: who begins is given its own turns, each once and in order; and those that it continues as far as they
 * were when it was made. What one of them says later, it is given at its next run.
 */
function oddAbout(
  { taskId, given, asked, said, besideAnother }: BegunRun,
  tasks: TaskTree[],
  continuedAt: ReadonlyMap<TaskId, ReadonlyMap<TaskId, string[]>>,
): string[] {
  const odd: string[] = []
  const owed: string[] = []
  const known = new Set<string>()
  let from = tasks.find(({ id }) => id === taskId)
  const { title, prompt } = from ?? { title: taskId, prompt: '' }
  if (!asked.some((text) => text.includes(prompt)))
    odd.push(`"${title}" was never asked ${prompt}, but ${asked.join()}`)
  let then: ReadonlyMap<TaskId, string[]> = said
  while (from) {
    const { id, resumedFrom } = from
    const words = said.get(id) ?? []
    for (const word of words) known.add(word)
    const least = then.get(id)?.length ?? 0
    const found = words.filter((word) => given.includes(word))
    owed.unshift(...(found.length < least ? words.slice(0, least) : found))
    if (found.join() !== words.slice(0, found.length).join()) odd.push(`${id} with a gap`)
    then = continuedAt.get(id) ?? new Map()
    from = tasks.find((task) => task.id === resumedFrom?.taskId)
  }
  const found = given.filter((word) => known.has(word))
  if (found.join() !== owed.join())
    odd.push(`${taskId} was given ${given.join()}, and there had been ${owed.join()}`)
  if (besideAnother) odd.push(`two runs of ${taskId} at once`)
  return odd
}

/** A failed one whose transcript has expired does not: its history would be missing, and a retry is refused. */
const canStillRun = ({ status, transcriptExpired }: TaskTree): boolean =>
  ['interrupted', 'queued', 'failed'].includes(status) && transcriptExpired === null

/** The files as they are between two writes, so that nothing is seen half in one place and half in another. */
function treeAtRest(dir: string): ReturnType<typeof readTree> {
  for (;;) {
    try {
      const tree = readTree(dir)
      if (differences(tree, readTree(dir)).length === 0) return tree
    } catch (error) {
      // A file went while it was looked at.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}
