/** Prints a line on standard error when a task starts and when it ends. */
import prettyMs from 'pretty-ms'
import { sleepOf } from '../../../../shared/projections/ledger/sleep.ts'
import { formatCause } from '../../../../shared/records/causes.ts'
import type { Entry } from '../../../../shared/records/entries.ts'
import { shortId, type TaskId } from '../../../../shared/records/ids.ts'
import type { Task, TaskTree } from '../../../../shared/records/tasks/tasks.ts'
import { counted } from '../../../../shared/text/counted.ts'
import { sleepText } from '../../../../shared/text/sleep-text.ts'
import type { Output } from '../terminal/output.ts'
import { safeLine } from '../terminal/safe-text.ts'
import { padEnd } from '../terminal/text-width.ts'
import { elapsed, sleepingWording, statusWording } from '../terminal/wording.ts'
import type { RunWatcher, Silence } from './follow-trees.ts'

type RetryingEntry = Extract<Entry, { type: 'retrying' }>

/** The width of the longest state, `❚❚ interrupted`. */
export const stateWidth = 14

/** For several agents, whose output would be too much: prints their states and retries. */
export function createStateLines(err: Output, now: () => number): RunWatcher {
  const shown = new Map<TaskId, string>()
  const tasks = new Map<TaskId, TaskTree>()
  const writeLine = (text: string) => err.write(`${text}\n`).catch(() => {})
  return {
    async task(task) {
      tasks.set(task.id, task)
      const line = stateLine(task, err, now())
      const key = stateKey(task)
      if (shown.get(task.id) === key) return
      shown.set(task.id, key)
      await writeLine(line)
    },
    async stillRunning(running) {
      await writeLine(
        `The agent's run has ended; waiting for ${counted(running.length, 'sub-agent')} still running.`,
      )
    },
    silent: (task, doing) => writeLine(silenceLine(task, doing, err, now())),
    session: {
      async entries(taskId, entries) {
        const task = tasks.get(taskId)
        for (const entry of entries)
          if (task && entry.type === 'retrying') await writeLine(retryLine(task, entry, err))
      },
      async progress() {},
    },
  }
}

/** A shorter wait is over before a user has typed the command that ends it. */
const endedByHandMsMin = 15_000

/** `Trying again in 4s: …` */
export function retryText(entry: RetryingEntry): string {
  const waitMs = waitMsOf(entry)
  const wait = waitMs > 0 ? `in ${prettyMs(wholeSeconds(waitMs), { compact: true })}` : 'now'
  return `Trying again ${wait}: ${safeLine(formatCause(entry.cause))}`
}

/** How to end a long wait; null for a short one. */
export const tryNowHint = (taskId: TaskId, entry: RetryingEntry): string | null =>
  waitMsOf(entry) < endedByHandMsMin ? null : `To try now: shiplog tasks try-now ${shortId(taskId)}`

const waitMsOf = ({ at, untilMs }: RetryingEntry): number => (untilMs === null ? 0 : untilMs - at)

/** Rounded up, because 1.9 seconds would be printed as 1. */
const wholeSeconds = (ms: number): number => Math.ceil(ms / 1000) * 1000

const retryLine = (task: TaskTree, entry: RetryingEntry, err: Output): string =>
  [
    err.style('yellow', padEnd('↻ waiting', stateWidth)),
    `${'  '.repeat(task.depth)}${safeLine(task.title)}`,
    err.style('dim', `(${safeLine(task.agent)}, ${shortId(task.id)}): ${retryText(entry)}`),
    ...[tryNowHint(task.id, entry) ?? []].flat(),
  ].join(' ')

/** `… silent   Fix the test (codex, 01ab12cd): Starting Codex… still nothing for 1m. To stop it: …` */
function silenceLine(
  { id, title, agent, depth }: Task,
  { text, since, isStarting }: Silence,
  err: Output,
  now: number,
): string {
  const lasting = prettyMs(Math.max(1, Math.floor((now - since) / minuteMs)) * minuteMs, {
    compact: true,
  })
  const silence = isStarting
    ? `${safeLine(text)}… still nothing for ${lasting}`
    : `${safeLine(text)}: silent for ${lasting}`
  return [
    err.style('yellow', padEnd('… silent', stateWidth)),
    `${'  '.repeat(depth)}${safeLine(title)}`,
    err.style('dim', `(${safeLine(agent)}, ${shortId(id)}): ${silence}.`),
    `To stop it: shiplog tasks stop ${shortId(id)}`,
  ].join(' ')
}

const minuteMs = 60_000

const stateKey = (task: TaskTree): string =>
  task.archived && task.status === 'completed'
    ? 'cleaned-up'
    : `${task.status} ${task.runs.length} ${isAsleep(task) ? task.sleep?.until : ''}`

/** True for the root of a sleeping tree only. */
const isAsleep = (task: TaskTree): boolean => sleepOf(task, task) !== null

function stateLine(task: TaskTree, err: Output, now: number): string {
  const sleep = sleepOf(task, task)
  const { sign, word, style } = sleep ? sleepingWording : statusWording[task.status]
  const cleanedUp = stateKey(task) === 'cleaned-up'
  const state = cleanedUp ? `✓ ${'cleaned up'}` : `${sign} ${word}`
  const run = task.runs.at(-1)
  // A queued task's next run has no number and time yet, and those of the last run would be misleading.
  const runText = run && run.run > 1 && task.status !== 'queued' ? `, run ${run.run}` : ''
  const hasEnded = run?.endedAt && run.status === task.status
  const took = hasEnded && !cleanedUp ? ` after ${elapsed(run.startedAt, run.endedAt, now)}` : ''
  const why = sleep ? sleepText(sleep) : task.cause && formatCause(task.cause)
  const cause = why && !cleanedUp ? `: ${safeLine(why)}` : ''
  return [
    err.style(cleanedUp ? 'gray' : style, padEnd(state, stateWidth)),
    `${'  '.repeat(task.depth)}${safeLine(task.title)}`,
    err.style('dim', `(${safeLine(task.agent)}, ${shortId(task.id)}${runText})${took}`) + cause,
  ].join(' ')
}
