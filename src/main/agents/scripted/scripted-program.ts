import type { Agent, AgentEvent, AgentProgram, AgentRunInput } from '../../../shared/agent.ts'
import { noUsage } from '../../../shared/usage.ts'
import { playTurn, type TurnEnd } from './play-turn.ts'
import { progressOf } from './progress.ts'
import { createReplay } from './replay.ts'
import type { Scenario, ScenarioAgent } from './scenario.ts'
import { inPieces } from './speech.ts'

/** Makes the agents of a scenario: each plays its turns with the tools that its run is given. */
export function createScriptedProgram(scenario: Scenario): AgentProgram {
  return {
    name: scenario.name,
    rootAgent: scenario.rootAgent,
    create(name) {
      const agent = scenario.agents.get(name)
      return agent ? createScriptedAgent(agent) : null
    },
  }
}

/**
 * Goes on after the turns that the history has completed, and first takes up the one that was cut
 * short. A run ends with a report, a `fail` or the last turn; a later prompt goes on from there.
 */
function createScriptedAgent({ turns }: ScenarioAgent): Agent {
  return {
    async *run(input) {
      const progress = progressOf(input.history)
      const prompt = input.prompt || (progress.prompt ?? '')
      const left = turns.slice(progress.completedTurns)
      if (left.length === 0) {
        yield* sayThatItIsOver(input)
        // A retry has nothing to try: ending well would pass for the work that failed.
        if (progress.failed && input.prompt === '') yield { type: 'failed', message: overText }
      }
      let { lastOutput } = progress
      let replay = createReplay(progress.cutShort)
      for (const steps of left) {
        yield { type: 'turn-started' }
        const end: TurnEnd = yield* playTurn({ steps, run: input, prompt, lastOutput, replay })
        yield { type: 'turn-ended', usage: noUsage }
        if (end.failure !== null) yield { type: 'failed', message: end.failure }
        if (end.failure !== null || end.runEnds) return
        lastOutput = end.lastOutput
        replay = createReplay([])
      }
    },
  }
}

const overText = 'This scenario has no turns left.'

async function* sayThatItIsOver({ signal }: AgentRunInput): AsyncGenerator<AgentEvent> {
  yield { type: 'turn-started' }
  for await (const text of inPieces(overText, signal)) yield { type: 'text-delta', text }
  yield { type: 'turn-ended', usage: noUsage }
}
