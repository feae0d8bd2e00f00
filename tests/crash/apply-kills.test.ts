/**
 * The built command line, killed in the middle of `tasks apply`, of its undo, and of the start that settles
 * what was cut short: what the user has not committed is there to the byte, and the next commands work.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Examination } from '../../src/shared/contract/doctor.ts'
import type { TaskTree } from '../../src/shared/records/tasks/tasks.ts'
import { createSandbox, type Sandbox } from '../cli/processes/shiplog-process.ts'
import { isSoak, reportFigure, tryEach } from './effort.ts'
import type { Tree } from './fault-fs/trace.ts'
import { differences, readTree } from './fault-fs/tree.ts'
import { at, describePlan, type KillPlan } from './kills/plan.ts'
import { runUntilKilled } from './kills/play.ts'

/** Above 16 MB a file goes through no memory of ours. */
const bigBytes = (isSoak ? 48 : 17) << 20
const newFiles = isSoak ? 4000 : 40
const half = newFiles / 2
const lineBytes = 1024
const lines = Math.ceil(bigBytes / lineBytes)

const scenario = `
version: 1
name: changes
agents:
  lead:
    turns:
      - call: bash
        with:
          command: "sed -i '2s/.*/AGENT/' big.txt && mkdir -p new && for n in $(seq 1 ${newFiles}); do echo $n > new/$n.txt; done && rm gone.txt"
`

/** A kind of its own for each line, so that a merge knows where it is. */
const bigText = (last: string): string =>
  Array.from({ length: lines }, (_, n) =>
    n === lines - 1 ? last : `${n} `.padEnd(lineBytes - 1, '.'),
  )
    .join('\n')
    .concat('\n')

interface Case {
  name: string
  /** What is killed: an apply, an undo of one that was completed, or both that and the start after it. */
  command: 'apply' | 'undo'
  plans: KillPlan[]
  /** Either, where nothing is named: what counts is that it is whole. */
  then?: 'before' | 'after'
}

const temporary = 'project/.shiplog-update-<id>-<n>'
const newFile = 'project/new/<n>.txt'
const caseOf = (command: Case['command'], plans: KillPlan[], then?: Case['then']): Case => ({
  name: `${command} ${plans.map(describePlan).join(', then a start ')}`,
  command,
  plans,
  ...(then ? { then } : {}),
})

const always: Case[] = [
  caseOf(
    'apply',
    [at(`link ${newFile}`, 'after', half), at(`link ${newFile}`, 'before', half / 2)],
    'after',
  ),
]
/** What a crash leaves of an undo is tried in one process as well (`applying.test.ts`). */
const moreOfThem: Case[] = [
  caseOf('undo', [at(`unlink ${newFile}`, 'after', half)], 'before'),
  caseOf('apply', [at('rename project/big.txt', 'before')], 'before'),
  caseOf('apply', [at(`open ${temporary}`, 'after')], 'before'),
  caseOf('apply', [at(`open ${temporary}`, 'after', half, 'alone')], 'before'),
  caseOf('apply', [at('rename project/big.txt', 'after')], 'after'),
  caseOf('apply', [at('rename project/big.txt', 'after', 1, 'alone')], 'after'),
  ...[1, half, newFiles].flatMap((n) =>
    (['before', 'after'] as const).map((when) => caseOf('apply', [at(`link ${newFile}`, when, n)])),
  ),
  caseOf('apply', [at('unlink project/gone.txt', 'before')], 'after'),
  caseOf('apply', [at('unlink project/gone.txt', 'after')], 'after'),
  caseOf('undo', [at('rename project/big.txt', 'before')], 'after'),
  caseOf('undo', [at('rename project/big.txt', 'after')], 'before'),
  caseOf('undo', [at(`unlink ${newFile}`, 'before', newFiles)], 'before'),
  caseOf('undo', [at('rmdir project/new', 'before')], 'before'),
  caseOf('undo', [at('link project/gone.txt', 'after')], 'before'),
]

let box: Sandbox
let project: string
let taskId: string
let before: Tree
let after: Tree

const filesNow = (): Tree =>
  new Map([...readTree(project)].filter(([path]) => !/^\.git(?:$|\/)/.test(path)))

beforeAll(async () => {
  box = await createSandbox()
  project = await box.repository('project', {
    'big.txt': bigText('last'),
    'gone.txt': 'gone\n',
  })
  const file = await box.file('scenario.yaml', scenario)
  const run = await box.run('agent', 'run', 'Go', '--project', project, '--scenario', file)
  expect(run.code, run.stderr).toBe(0)
  const { tasks } = await box.json<{ tasks: TaskTree[] }>('tasks', 'list', '--all')
  taskId = tasks[0]?.id ?? ''
  // No commit and no branch holds these.
  await writeFile(join(project, 'big.txt'), bigText('MINE'))
  await writeFile(join(project, 'untracked.txt'), 'mine\n')
  before = filesNow()
  await box.json('tasks', 'apply', taskId)
  after = filesNow()
  await box.json('tasks', 'apply', taskId, '--undo')
  expect(differences(before, filesNow())).toEqual([])
}, 120_000)

afterAll(() => box?.remove())

it('[R3][R6] keeps the user’s uncommitted work if an apply or its undo is killed, reports the outcome, and applies again', {
  timeout: isSoak ? 1_200_000 : 300_000,
}, async () => {
  const { tried, failures } = await tryEach(
    'applies and undos killed',
    isSoak ? [...always, ...moreOfThem] : always,
    check,
  )
  expect(failures).toEqual({})
  reportFigure('megabytes edited by both sides', bigBytes >> 20)
  expect(tried).toBeGreaterThan(0)
})

async function check({ command, plans, then }: Case): Promise<string[]> {
  const wrong: string[] = []
  // The undo is of an apply that was completed.
  if (command === 'undo') await box.json('tasks', 'apply', taskId)
  const argv = ['tasks', 'apply', taskId, ...(command === 'undo' ? ['--undo'] : [])]
  for (const [n, plan] of plans.entries()) {
    const watched = {
      root: box.dir,
      ignored: ['project/.git', 'data/worktrees', 'data/turn-store', 'data/logs'],
    }
    const ended = await runUntilKilled(box, n === 0 ? argv : ['tasks', 'list'], plan, watched)
    await ended.noneLeft()
    if (!ended.killed) wrong.push(`${n === 0 ? 'the command' : 'the start'} was not killed`)
    wrong.push(...neverLost(n))
  }

  const start = await box.run('tasks', 'list')
  if (start.code !== 0) wrong.push(`the next start ended with ${start.code}: ${start.stderr}`)
  const isBefore = differences(before, filesNow())
  const isAfter = differences(after, filesNow())
  const found = isBefore.length === 0 ? 'before' : isAfter.length === 0 ? 'after' : null
  if (found === null)
    wrong.push(`neither before nor after: ${isBefore.slice(0, 5)} / ${isAfter.slice(0, 5)}`)
  if (then && found !== then) wrong.push(`it is as ${found}, expected ${then}`)
  const said = /was interrupted\. (It has been completed|Every file was restored)/.exec(
    start.stderr,
  )?.[1]
  const expected =
    (found === 'after') === (command === 'apply')
      ? 'It has been completed'
      : 'Every file was restored'
  if (said !== expected) wrong.push(`the start said ${said ?? `nothing of it: ${start.stderr}`}`)

  const { problems } = await doctor()
  wrong.push(...problems.map(({ kind, path, detail }) => `${kind} ${path}: ${detail}`))
  const again = await box.run('tasks', 'apply', taskId)
  if (again.code !== 0) wrong.push(`the second apply ended with ${again.code}: ${again.stderr}`)
  wrong.push(
    ...differences(after, filesNow())
      .slice(0, 5)
      .map((one) => `applied again: ${one}`),
  )
  const undone = await box.run('tasks', 'apply', taskId, '--undo')
  if (undone.code !== 0) wrong.push(`the undo ended with ${undone.code}: ${undone.stderr}`)
  wrong.push(
    ...differences(before, filesNow())
      .slice(0, 5)
      .map((one) => `undone: ${one}`),
  )
  return wrong
}

/** Right after the kill, before anything has repaired anything. */
function neverLost(kill: number): string[] {
  const now = filesNow()
  const own = [...before].filter(([path]) => path !== 'gone.txt')
  return own.flatMap(([path, node]) => {
    const there = now.get(path)
    const whole = [node, after.get(path)].some(
      (one) => one?.kind === 'file' && there?.kind === 'file' && one.data.equals(there.data),
    )
    return whole ? [] : [`${path} was not whole after kill ${kill + 1}`]
  })
}

/** Exit codes as CLI.md has them: 0, or 7 where something was found. */
async function doctor(): Promise<Examination> {
  const { code, stdout, stderr } = await box.run('doctor', '--json')
  if (code !== 0 && code !== 7) throw new Error(`doctor ended with ${code}: ${stderr}`)
  return JSON.parse(stdout) as Examination
}
