/**
 * Loaded into the built command line with `node --import`: ends it at the moment that its plan names.
 * `process.kill` with SIGKILL leaves no time for anything, as if it came from outside.
 */
import childProcess, { type ChildProcess } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import { patternOf } from '../explore.ts'
import { type Attempt, record } from '../fault-fs/record.ts'
import { type KillPlan, planVariable } from './plan.ts'

export interface HookOrder extends KillPlan {
  watched: Watched
  /** Where it notes the process groups that it starts and that end, `+<id>` and `-<id>`, a line each. */
  groupsFile: string
}

/** The folder below which calls count; the paths of a plan are relative to it. */
export interface Watched {
  root: string
  /** Folders in which they don't: what Git writes is not seen. */
  ignored: string[]
}

const order = JSON.parse(process.env[planVariable] ?? '') as HookOrder
// What it starts runs without it.
delete process.env[planVariable]
const { moment } = order
// A launcher would start Git, unseen by this hook, once the process is large.
process.memoryUsage.rss = () => 0

function die(): never {
  process.kill(order.dies === 'alone' ? process.pid : 0, 'SIGKILL')
  throw new Error('still alive')
}

if (moment.kind === 'file-call' || moment.kind === 'call-class') {
  const isMeant = ({ call, path }: Attempt): boolean =>
    moment.kind === 'file-call' || moment.call === `${call} ${patternOf(path)}`
  let calls = 0
  let chosen = 0
  const { root, ignored } = order.watched
  record(root, {
    ignore: (path) => ignored.some((dir) => path === dir || path.startsWith(`${dir}/`)),
    inject(attempt) {
      if (!attempt.changes || !isMeant(attempt) || ++calls !== moment.n) return null
      chosen = attempt.n
      if (moment.when === 'after') return null
      // Only a write has a half.
      if (moment.when === 'before' || !attempt.call.startsWith('write')) die()
      return { code: 'EKILLED', tear: 0.5, torn: die }
    },
    ended({ n }) {
      if (n === chosen) die()
    },
  })
}

/** Those of Shiplog's Git commands that change more than the object database. */
const changing = ['worktree', 'update-ref', 'branch', 'checkout-index']
let gitCommands = 0

/** When to die around this command; null if it is not the chosen one. */
function chosenMoment(
  file: string,
  args: readonly string[],
): 'before' | 'meanwhile' | 'after' | null {
  if (basename(file) !== 'git' || (moment.kind !== 'git-command' && moment.kind !== 'git-class'))
    return null
  const first = args.findIndex((arg, at) => !arg.startsWith('-') && args[at - 1] !== '-c')
  const command = args.slice(first).join(' ')
  const isMeant =
    moment.kind === 'git-class'
      ? command.startsWith(moment.command)
      : changing.includes(args[first] ?? '')
  return isMeant && ++gitCommands === moment.n ? moment.when : null
}

const { spawn } = childProcess
type Spawn = (
  file: string,
  args: readonly string[],
  options: { detached?: boolean },
) => ChildProcess
const watchedSpawn: Spawn = (file, args, options) => {
  const when = chosenMoment(file, args)
  if (when === 'before') die()
  const child = (spawn as Spawn)(file, args, options)
  if (options.detached && child.pid) {
    const note = (sign: string) => appendFileSync(order.groupsFile, `${sign}${child.pid}\n`)
    note('+')
    child.once('exit', () => note('-'))
  }
  if (when === 'after') child.once('exit', die)
  if (when === 'meanwhile') setTimeout(die, moment.kind === 'git-command' ? moment.delayMs : 3)
  return child
}
childProcess.spawn = watchedSpawn as typeof spawn
syncBuiltinESMExports()
