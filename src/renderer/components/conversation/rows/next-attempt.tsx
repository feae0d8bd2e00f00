/** Below a failed attempt: when the next one follows, or how long it waited, and what a user can do meanwhile. */
import { useContext } from 'react'
import { duration } from '../../primitives/format.ts'
import { TextButton, useClockText } from '../../primitives/index.ts'
import { TaskActionsContext, TaskLookupContext } from '../task-lookup.ts'
import type { Row } from './row.ts'

type AttemptRow = Extract<Row, { kind: 'attempt' }>

export function NextAttemptText({ row }: { row: AttemptRow }) {
  const waitsUntilMs = useWaitsUntil(row)
  const text = useClockText((now) =>
    waitsUntilMs === null ? endText(row, now) : `Trying again in ${duration(waitsUntilMs - now)}.`,
  )
  return <span className="tabular text-faint"> {text}</span>
}

/** A user may end the wait, or first put the connection right. */
export function NextAttemptActions({ row, className }: { row: AttemptRow; className?: string }) {
  const { onTryNow, unreachable } = useContext(TaskActionsContext)
  const isWaiting = useWaitsUntil(row) !== null
  const isOfProvider = ['network', 'refused', 'sign-in'].includes(row.retry?.cause.kind ?? '')
  if (!isWaiting || (!onTryNow && !isOfProvider)) return null
  return (
    <span className={`inline-flex gap-3 ${className ?? ''}`}>
      {onTryNow ? (
        <TextButton disabled={unreachable !== undefined} title={unreachable} onClick={onTryNow}>
          Try now
        </TextButton>
      ) : null}
      {isOfProvider ? (
        <a className="text-accent hover:underline" href="#/settings/models">
          Model settings
        </a>
      ) : null}
    </span>
  )
}

/** Returns when the next attempt is due, in milliseconds since the epoch; null if the task does not wait for it. */
function useWaitsUntil({ retry, next }: AttemptRow): number | null {
  const { isRetrying } = useContext(TaskLookupContext)
  const untilMs = retry?.untilMs ?? null
  // The wait may have been ended early, by a user or with the run.
  const mayWait = next === null && (isRetrying?.() ?? true)
  const isAhead = useClockText((now) => String(untilMs !== null && untilMs > now)) === 'true'
  return mayWait && isAhead ? untilMs : null
}

function endText({ retry, earlier, next }: AttemptRow, now: number): string {
  if (next?.kind === 'run-end') return 'Not tried again.'
  const since = earlier[0]?.at ?? retry?.at
  const untilMs = retry?.untilMs ?? null
  if (since === undefined || untilMs === null) return 'Tried again.'
  // Where the wait was ended early, its length is not known.
  const knownEndMs = next?.at == null ? now : Date.parse(next.at)
  const waitedMs = untilMs - Date.parse(since)
  if (waitedMs <= 0 || knownEndMs < untilMs) return 'Tried again.'
  return `Tried again. Waited ${duration(waitedMs)}.`
}
