import type { AgentEvent } from '../../../shared/agents/driver/agent-events.ts'
import type { AgentPlace } from '../../../shared/agents/driver/agent-place.ts'
import type { AgentSession, OpenAgent } from '../../../shared/agents/driver/agent-session.ts'
import type { PromptPart } from '../../../shared/agents/driver/prompt-parts.ts'
import { noUsage } from '../../../shared/records/usage.ts'
import { playTurn, type TurnEnd } from './play-turn.ts'
import { progressOf } from './progress.ts'
import { createReplay } from './replay.ts'
import type { Scenario, ScenarioAgent } from './scenario.ts'
import { inPieces } from './speech.ts'

/** The agents of a scenario, ready to play. */
export interface ScriptedProgram {
  /** The title of a task without a prompt; absent: derived from the scenario's file. */
  name?: string
  /** The agent that receives the user's prompt. */
  rootAgent: string
  /** The agent of that name; null if there is none. */
  agent(name: string): OpenAgent | null
}

/** Makes the agents of a scenario: each plays its turns with the tools that its run is given. */
export function createScriptedProgram(scenario: Scenario): ScriptedProgram {
  return {
    name: scenario.name,
    rootAgent: scenario.rootAgent,
    agent(name) {
      const agent = scenario.agents.get(name)
      return agent ? async (place) => openScriptedSession(agent, place) : null
    },
  }
}

/**
 * Opens a session that continues after the turns that the history has completed, beginning with the interrupted one.
 * A run ends with a report, a `fail` or the last turn; a later prompt continues from there.
 */
function openScriptedSession({ turns }: ScenarioAgent, place: AgentPlace): AgentSession {
  return {
    ref: null,
    // Its turns obey the signal of their host, and every process that it starts is ended by one of Shiplog's tools.
    cancel: async () => undefined,
    close: async () => undefined,
    async *run(promptParts, host) {
      const given = textOf(promptParts)
      const progress = await progressOf(place.history)
      const prompt = given || (progress.prompt ?? '')
      const left = turns.slice(progress.completedTurns)
      if (left.length === 0) {
        yield* sendEndNotice(place)
        // A retry has nothing to try: ending well would pass for the work that failed.
        if (progress.failed && given === '') yield failedWith(overText)
      }
      let { lastOutput } = progress
      let replay = createReplay(progress.interruptedTurn)
      for (const turn of left) {
        const { isLast } = await host.nextTurn()
        const steps = isLast ? reportAmong(left.slice(left.indexOf(turn))) : turn
        if (steps === null) return
        yield { type: 'turn-started' }
        const end: TurnEnd = yield* playTurn({ steps, place, host, prompt, lastOutput, replay })
        yield { type: 'turn-ended', usage: noUsage }
        if (end.failure !== null) yield failedWith(end.failure)
        if (end.failure !== null || end.runEnds || isLast) return
        lastOutput = end.lastOutput
        replay = createReplay([])
      }
    },
  }
}

/** The report that a script still plays when asked to wrap up; null if it has none. */
function reportAmong(turns: ScenarioAgent['turns']): ScenarioAgent['turns'][number] | null {
  const reports = turns
    .flat()
    .filter((step) => step.kind === 'call' && step.name === 'agent_report')
  const last = reports.at(-1)
  return last ? [last] : null
}

const textOf = (prompt: PromptPart[]): string =>
  prompt.map((part) => (part.type === 'text' ? part.text : '')).join('')

const failedWith = (text: string): AgentEvent => ({
  type: 'failed',
  cause: { kind: 'said', text },
})

const overText = 'This scenario has no turns left.'

async function* sendEndNotice({ signal }: AgentPlace): AsyncGenerator<AgentEvent> {
  yield { type: 'turn-started' }
  for await (const text of inPieces(overText, signal))
    yield { type: 'part-delta', part: 'part-1', kind: 'text', text }
  yield { type: 'turn-ended', usage: noUsage }
}
