/** What holds after a kill: looked at by the next commands, as a user would. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { crashResidue } from '../../../src/main/doctor/problems.ts'
import type { Examination, Problem } from '../../../src/shared/contract/doctor.ts'
import type { TranscriptPage, TranscriptSummary } from '../../../src/shared/contract/workspace.ts'
import type { TaskId } from '../../../src/shared/records/ids.ts'
import { isRunning } from '../../../src/shared/records/tasks/task-status.ts'
import type { TaskTree } from '../../../src/shared/records/tasks/tasks.ts'
import type { Sandbox } from '../../cli/processes/shiplog-process.ts'
import { type Fact, whatIsLost } from '../facts.ts'
import type { Random } from '../fault-fs/random.ts'
import { differences, readTree } from '../fault-fs/tree.ts'
import { flatten, reopenServices } from '../services.ts'
import type { Played, Told } from './play.ts'

interface Place {
  box: Sandbox
  project: string
  /** A short scenario, to go on with. */
  next: string
}

/** In words; empty when all is as it should be. */
export async function whatIsWrong(
  place: Place,
  played: Played[],
  random: Random,
): Promise<string[]> {
  const { box, project } = place
  const told = played.flatMap((one) => one.told)
  const wrong: string[] = []
  const first = await examine(box)
  wrong.push(...first.problems.filter(({ kind }) => !crashResidue.includes(kind)).map(problemIn))
  // A Git that outlived its process may have been at work while that command started.
  for (const one of played) await one.noneLeft()
  const locks = sharedLocks(project)
  for (const lock of locks) rmSync(lock)
  const residue = first.problems.length > 0 || locks.length > 0
  if (residue || played.some(({ killed, alone }) => killed && alone)) {
    const { problems } = await examine(box, '--repair')
    wrong.push(...problems.filter(({ repaired }) => !repaired).map(problemIn))
  }
  wrong.push(...(await repositoryFaults(box, project)))
  const settled = await everything(box, project)

  const tasks = await listed(box)
  wrong.push(...lostTasks(told, tasks))
  wrong.push(...(await lostTranscripts(box, told, random)))
  const opened = await reopenServices(box.dataDir)
  wrong.push(...(await whatIsLost(box.dataDir, opened, factsOf(told))))
  for (const { id, title, hasReport } of opened.tasks()) {
    if (!hasReport) continue
    const run = tasks.find((task) => task.id === id)?.runs.at(-1)?.run ?? 1
    await opened.report(id, run).catch((error) => wrong.push(`the report of "${title}": ${error}`))
  }
  await opened.close()
  wrong.push(...changesSince(settled, await everything(box, project)))

  wrong.push(...(await goOn(place, tasks, random)))
  return wrong
}

/** Exit codes as CLI.md has them: 0, or 7 where something was found. */
async function examine(box: Sandbox, ...options: string[]): Promise<Examination> {
  const { code, stdout, stderr } = await box.run('doctor', '--json', ...options)
  if (code !== 0 && code !== 7) throw new Error(`doctor ended with ${code}: ${stderr}`)
  const found = JSON.parse(stdout) as Examination
  if (found.ok !== (code === 0)) throw new Error(`doctor says ${found.ok} and ends with ${code}`)
  return found
}

const problemIn = ({ kind, path, detail }: Problem): string => `${kind} ${path}: ${detail}`

async function listed(box: Sandbox): Promise<TaskTree[]> {
  const { tasks } = await box.json<{ tasks: TaskTree[] }>('tasks', 'list', '--all')
  return flatten(tasks)
}

function lostTasks(told: Told[], tasks: TaskTree[]): string[] {
  const wrong: string[] = []
  for (const { title, status } of tasks)
    if (isRunning(status)) wrong.push(`"${title}" is ${status}, and nobody runs it`)
  for (const event of told) {
    if (event.type !== 'task') continue
    const before = event.task
    const after = tasks.find(({ id }) => id === before.id)
    if (!after) {
      wrong.push(`lost: the task "${before.title}"`)
      continue
    }
    if (after.parentId !== before.parentId || after.prompt !== before.prompt)
      wrong.push(`"${before.title}" is another task`)
    if (before.archived && !after.archived) wrong.push(`"${before.title}" is back from the archive`)
    if (before.hasReport && !after.hasReport) wrong.push(`lost: the report of "${before.title}"`)
    for (const run of before.runs) {
      const same = after.runs.find((one) => one.run === run.run)
      // What was running has ended, one way or another; what had ended has not changed its mind.
      const fine =
        run.status === 'running' ? same?.status !== 'running' : same?.status === run.status
      if (!same || !fine)
        wrong.push(`run ${run.run} of "${before.title}" was ${run.status}, is ${same?.status}`)
    }
  }
  return wrong
}

async function lostTranscripts(box: Sandbox, told: Told[], random: Random): Promise<string[]> {
  const ids = [...new Set(told.flatMap((one) => (one.type === 'entry' ? [one.taskId] : [])))]
  if (ids.length === 0) return []
  const { transcripts } = await box.json<{ transcripts: TranscriptSummary[] }>(
    'transcripts',
    'list',
  )
  const missing = ids.filter((id) => !transcripts.some(({ taskId }) => taskId === id))
  const wrong = missing.map((id) => `the transcript of ${id} is not listed`)
  // One a time: the others are read in this process, by the same code and faster.
  const id = random.pick(ids)
  const shown = await box.run('transcripts', 'show', id, '--json')
  if (shown.code !== 0)
    return [...wrong, `transcripts show ended with ${shown.code}: ${shown.stderr}`]
  const { entries } = JSON.parse(shown.stdout) as TranscriptPage
  for (const one of told) {
    if (one.type !== 'entry' || one.taskId !== id) continue
    const found = entries.find(({ seq }) => seq === one.entry.seq)
    if (JSON.stringify(found) !== JSON.stringify(one.entry))
      wrong.push(`entry ${one.entry.seq}, a ${one.entry.type}, is not shown as it was told`)
  }
  return wrong
}

const factsOf = (told: Told[]): Fact[] =>
  told.flatMap((one): Fact[] => {
    if (one.type === 'entry')
      return [{ what: 'entry', taskId: one.taskId as TaskId, entry: one.entry }]
    if (one.type === 'result' && one.report) {
      const { taskId, run, reportMarkdown } = one.report
      return [{ what: 'report', taskId, run, markdown: reportMarkdown }]
    }
    return []
  })

/**
 * A Git that is killed in the wrong millisecond leaves one of these, and they may as well be a user's:
 * Shiplog says to delete them, and it is done here. Any other must not be in the way.
 */
const sharedLocks = (project: string): string[] =>
  ['packed-refs.lock', 'config.lock']
    .map((name) => join(project, '.git', name))
    .filter((lock) => existsSync(lock))

async function repositoryFaults(box: Sandbox, project: string): Promise<string[]> {
  return box.git(project, 'fsck', '--no-dangling', '--no-progress').then(
    (said) => (said ? [`git fsck: ${said}`] : []),
    (error) => [`git fsck: ${error}`],
  )
}

/**
 * Worktrees are compared by name; agent history is an output, which a later start may complete from Git; each start
 * writes to its log.
 */
const notCompared = [/^worktrees\/.*\/.*\//, /^projects\/[^/]+\/agent-history\.json$/, /^logs\//]

/** All that a start must leave alone once another has been over it. */
async function everything(box: Sandbox, project: string) {
  const files = [...readTree(box.dataDir)].filter(
    ([path]) => !notCompared.some((one) => one.test(path)),
  )
  const repository = await Promise.all([
    box.git(project, 'for-each-ref'),
    box.git(project, 'worktree', 'list'),
    box.git(project, 'status', '--porcelain'),
  ])
  return { files: new Map(files), repository: repository.join('\n') }
}

type Everything = Awaited<ReturnType<typeof everything>>

function changesSince(before: Everything, after: Everything): string[] {
  const changed = differences(before.files, after.files)
  if (before.repository !== after.repository) changed.push(`the repository: ${after.repository}`)
  return changed.map((one) => `a later start changed: ${one}`)
}

/** A further agent works, and what was left can be removed. */
async function goOn(
  { box, project, next }: Place,
  tasks: TaskTree[],
  random: Random,
): Promise<string[]> {
  const run = ['agent', 'run', 'Go on', '--project', project, '--scenario', next, '--json']
  const further = await box.run(...run)
  const wrong: string[] = []
  if (further.code !== 0) wrong.push(`a further run ended with ${further.code}: ${further.stderr}`)
  const roots = tasks.filter(({ parentId }) => parentId === null)
  const root = roots.length > 0 ? random.pick(roots) : null
  if (root) {
    const removed = await box.run('workspaces', 'remove', root.id)
    if (removed.code !== 0) wrong.push(`the removal ended with ${removed.code}: ${removed.stderr}`)
  }
  wrong.push(...(await examine(box)).problems.map((one) => `at the end, ${problemIn(one)}`))
  return wrong
}
