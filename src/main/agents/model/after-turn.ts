/** Decides how a run with a model continues after a turn that has not ended it. */
import type { Cause } from '../../../shared/records/causes.ts'
import type { Answer } from './answer.ts'

export interface FinishedTurn {
  /** Number of calls that the model made. */
  calls: number
  finishReason: Answer['finishReason']
  /** Consecutive answers that reached the output limit, including this one. */
  truncatedAnswers: number
  /** Whether the run needs a report. */
  mustReport: boolean
  /** Whether the model was asked for the report since the last message. */
  wasAskedForReport: boolean
}

export type AfterTurn =
  /** `note`: the text that the model gets first; null: the results of its calls say enough. */
  | { kind: 'continue'; note: string | null; asksForReport: boolean }
  /** The run ends unless a message is waiting. */
  | { kind: 'done' }
  | { kind: 'failed'; cause: Cause }

/** Limit of consecutive answers that reach the output limit. */
const truncatedAnswersMax = 3

const reportWanted =
  'You stopped without a report. Call agent_report now: what you did and found, what you checked, and what is left.'
const cutOff =
  'Your answer reached the limit of its length and was cut off here. Go on, in smaller steps: write long files in several calls.'

export function afterTurn(turn: FinishedTurn): AfterTurn {
  const { calls, finishReason, truncatedAnswers, mustReport, wasAskedForReport } = turn
  if (calls > 0) return { kind: 'continue', note: null, asksForReport: false }
  if (finishReason === 'stop')
    return mustReport && !wasAskedForReport
      ? { kind: 'continue', note: reportWanted, asksForReport: true }
      : { kind: 'done' }
  if (finishReason === 'length' && truncatedAnswers <= truncatedAnswersMax)
    return { kind: 'continue', note: cutOff, asksForReport: false }
  return { kind: 'failed', cause: causeOfEnd(finishReason) }
}

const causeOfEnd = (finishReason: Answer['finishReason']): Cause => ({
  kind: 'refused',
  detail:
    finishReason === 'content-filter'
      ? 'the provider’s content filter stopped the answer'
      : `the model’s answers reached its output limit ${truncatedAnswersMax + 1} times in a row`,
})
