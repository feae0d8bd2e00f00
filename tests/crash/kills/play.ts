/** Plays a scenario with the built command line until it is killed, and hears what it says until then. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Entry } from '../../../src/shared/records/entries.ts'
import type { Report } from '../../../src/shared/records/tasks/reports.ts'
import type { TaskTree } from '../../../src/shared/records/tasks/tasks.ts'
import type { Sandbox } from '../../cli/processes/shiplog-process.ts'
import type { HookOrder, Watched } from './hook.ts'
import { type KillPlan, planVariable } from './plan.ts'

/** What `agent run --json` prints: each is a promise that the record holds it (CLI.md). */
export type Told =
  | { type: 'task'; task: TaskTree }
  | { type: 'entry'; taskId: string; entry: Entry }
  | { type: 'result'; taskId: string; status: string; report: Report | null }

export interface Played {
  told: Told[]
  /** False: it came to its end first. */
  killed: boolean
  /** What it had started lived on. */
  alone: boolean
  /** Resolves when no process that it started is left; ends those that go on by themselves. */
  noneLeft(): Promise<void>
}

const hook = join(import.meta.dirname, 'hook.ts')
const hasGroups = process.platform !== 'win32'

export async function playUntilKilled(
  box: Sandbox,
  scenario: { project: string; file: string },
  plan: KillPlan,
): Promise<Played> {
  const run = ['agent', 'run', 'Go', '--project', scenario.project, '--scenario', scenario.file]
  // The worktrees are Git's.
  const watched = { root: box.dataDir, ignored: ['worktrees', 'turn-store', 'logs'] }
  const { output, ...ended } = await runUntilKilled(box, [...run, '--json'], plan, watched)
  return {
    ...ended,
    told: output
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Told),
  }
}

interface RunUntilKilled extends Pick<Played, 'killed' | 'alone' | 'noneLeft'> {
  output: string
}

/** Any command. Throws where it comes to its end with another exit code than 0. */
export async function runUntilKilled(
  box: Sandbox,
  argv: string[],
  plan: KillPlan,
  watched: Watched,
): Promise<RunUntilKilled> {
  const groupsFile = join(box.dir, `groups-${randomUUID()}`)
  const order: HookOrder = {
    ...plan,
    dies: hasGroups ? plan.dies : 'alone',
    watched,
    groupsFile,
  }
  const child = spawn(process.execPath, ['--import', hook, box.entry, ...argv], {
    cwd: box.dir,
    env: { ...box.env, [planVariable]: JSON.stringify(order) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: hasGroups,
  })
  const pid = child.pid ?? 0
  let output = ''
  let complaint = ''
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    const begins = output === ''
    output += piece
    if (begins && plan.moment.kind === 'time') setTimeout(kill, plan.moment.ms)
  })
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    complaint += piece
  })
  const ended = Promise.withResolvers<number | null>()
  child.on('close', ended.resolve)

  function kill(): void {
    if (child.exitCode !== null || child.signalCode !== null) return
    process.kill(order.dies === 'alone' ? pid : -pid, 'SIGKILL')
  }

  const code = await ended.promise
  if (code !== null && code !== 0) throw new Error(`it ended with ${code}: ${complaint}\n${output}`)
  // Agents' commands have groups of their own, and end with the power as well.
  if (order.dies === 'with-children') for (const group of groupsAt(groupsFile)) endGroup(group)
  return {
    output,
    killed: code === null,
    alone: order.dies === 'alone',
    async noneLeft() {
      for (const group of groupsAt(groupsFile)) endGroup(group)
      while (hasGroups && isThere(pid)) await sleep(10)
    },
  }
}

function groupsAt(file: string): number[] {
  const groups = new Set<number>()
  for (const line of existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []) {
    const group = Number(line.slice(1))
    if (line.startsWith('+')) groups.add(group)
    else groups.delete(group)
  }
  return [...groups]
}

function endGroup(group: number): void {
  try {
    process.kill(hasGroups ? -group : group, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

function isThere(group: number): boolean {
  try {
    process.kill(-group, 0)
    return true
  } catch {
    return false
  }
}
