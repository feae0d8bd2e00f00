import type { AgentEvent } from '../../../shared/agents/driver/agent-events.ts'
import type { AgentPlace } from '../../../shared/agents/driver/agent-place.ts'
import type { AgentHost } from '../../../shared/agents/driver/agent-session.ts'
import { fillText, fillValue, type PlaceholderValues } from './placeholders.ts'
import { isReconciled } from './progress.ts'
import type { Replay } from './replay.ts'
import type { Json, Step } from './scenario.ts'
import { inPieces, pause } from './speech.ts'

interface TurnInput {
  steps: Step[]
  place: AgentPlace
  host: AgentHost
  prompt: string
  lastOutput: string
  /** The steps of this very turn that an earlier run completed. */
  replay: Replay
}

export interface TurnEnd {
  lastOutput: string
  /** Whether the run ends with this turn, as after a report. */
  runEnds: boolean
  /** The message of a `fail`; null if there was none. */
  failure: string | null
}

type Call = Extract<Step, { kind: 'call' }>

/** Plays the steps of one turn; those that are known to be done are not done again. */
export async function* playTurn(turn: TurnInput): AsyncGenerator<AgentEvent, TurnEnd> {
  const { place, host, replay } = turn
  let { lastOutput } = turn
  let lastKind: 'text' | 'reasoning' | null = null
  let parts = 0
  let isAnythingDone = false

  const values = (): PlaceholderValues => ({
    prompt: turn.prompt,
    cwd: place.cwd,
    taskId: place.taskId,
    'last.output': lastOutput,
  })
  async function* sendText(kind: 'text' | 'reasoning', text: string): AsyncGenerator<AgentEvent> {
    const unsentPart = replay.unsentPart(kind, text)
    if (unsentPart === '') return
    // Two in a row become one part of the message: a paragraph each.
    const separator = lastKind === kind ? '\n\n' : ''
    if (lastKind !== kind) parts++
    lastKind = kind
    isAnythingDone = true
    const part = `part-${parts}`
    for await (const piece of inPieces(separator + unsentPart, place.signal))
      yield { type: 'part-delta', part, kind, text: piece }
  }
  async function* call({ name, input }: Call): AsyncGenerator<AgentEvent, boolean> {
    const recorded = replay.takeCall(name)
    if (recorded && recorded.outcome !== 'unknown') {
      lastOutput = recorded.output
      return name === 'agent_report' && recorded.outcome === 'ok'
    }
    if (recorded && !isReconciled(name)) {
      lastOutput = recorded.output
      yield* sendText('text', outcomeUnknown(name, input))
      return false
    }
    lastKind = null
    isAnythingDone = true
    const result = await host.callTool({
      name,
      input: fillValue(input, values()),
      callId: recorded?.callId,
    })
    lastOutput = result.output
    return result.endsRun === true
  }
  const ended = (end: Partial<TurnEnd>): TurnEnd => ({
    lastOutput,
    runEnds: false,
    failure: null,
    ...end,
  })

  for (const step of turn.steps) {
    place.signal.throwIfAborted()
    if (step.kind === 'think') yield* sendText('reasoning', fillText(step.text, values()))
    else if (step.kind === 'say') yield* sendText('text', fillText(step.text, values()))
    else if (step.kind === 'fail') return ended({ failure: fillText(step.message, values()) })
    else if (step.kind === 'wait') {
      // It was over if a later step was begun; else it starts over.
      if (!replay.isOver()) continue
      isAnythingDone = true
      await pause(step.durationMs, place.signal)
    } else if (yield* call(step)) return ended({ runEnds: true })
  }
  // The turn still has to be completed in the record, and an empty message would puzzle its readers.
  if (!isAnythingDone)
    yield {
      type: 'part-delta',
      part: 'part-1',
      kind: 'reasoning',
      text: 'All of this turn had been done before the interruption.',
    }
  return ended({})
}

function outcomeUnknown(name: string, input: Json): string {
  const subject = typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {}
  const what = subject.command ?? subject.path ?? subject.task
  const call = typeof what === 'string' ? `\`${name}\` (${what.split('\n')[0]})` : `\`${name}\``
  return `I was interrupted while ${call} was running and can't tell how it ended. I won't run it a second time.`
}
