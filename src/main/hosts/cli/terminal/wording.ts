/** How states, times and sizes are printed in a terminal: a sign, always with the word. */
import prettyBytes from 'pretty-bytes'
import prettyMs from 'pretty-ms'
import type { TaskStatus } from '../../../../shared/records/tasks/task-status.ts'
import type { TextStyle } from './output.ts'

interface StatusWording {
  sign: string
  word: string
  style: TextStyle
}

/** Signs and colours are those of the app. `spawned` and `resumed` are both running. */
export const statusWording: Record<TaskStatus, StatusWording> = {
  queued: { sign: '◌', word: 'queued', style: 'gray' },
  spawned: { sign: '◐', word: 'running', style: 'blue' },
  resumed: { sign: '◐', word: 'running', style: 'blue' },
  blocked: { sign: '⊘', word: 'blocked', style: 'gray' },
  completed: { sign: '✓', word: 'completed', style: 'green' },
  interrupted: { sign: '❚❚', word: 'interrupted', style: 'yellow' },
  failed: { sign: '✕', word: 'failed', style: 'red' },
  cancelled: { sign: '–', word: 'cancelled', style: 'gray' },
  abandoned: { sign: '–', word: 'abandoned', style: 'gray' },
}

/** An interrupted agent that waits for a spent quota and continues by itself. */
export const sleepingWording: StatusWording = { sign: '☾', word: 'sleeping', style: 'blue' }

/** `12m ago`; `''` for never. */
export function ago(at: string | null, now: number): string {
  if (at === null) return ''
  const elapsedMs = now - Date.parse(at)
  if (Number.isNaN(elapsedMs)) return ''
  return elapsedMs < 1000 ? 'just now' : `${prettyMs(elapsedMs, { compact: true })} ago`
}

/** `4.2s`, `3m 20s`: the duration of a run, up to now while it continues; `''` before it began. */
export function elapsed(startedAt: string | null, endedAt: string | null, now: number): string {
  if (startedAt === null) return ''
  const ms = (endedAt === null ? now : Date.parse(endedAt)) - Date.parse(startedAt)
  return prettyMs(Math.max(0, ms), { unitCount: 2, secondsDecimalDigits: ms < 10_000 ? 1 : 0 })
}

export const size = (bytes: number): string => prettyBytes(bytes)

/** Commands to type, indented and aligned, each with what it does. */
export function commandLines(commands: [command: string, does: string][]): string[] {
  const width = Math.max(...commands.map(([command]) => command.length))
  return commands.map(([command, does]) => `  ${command.padEnd(width)}   ${does}`)
}
