/** The scripted program, which notes what each run is given before it plays it. */
import { appendFileSync } from 'node:fs'
import * as scripted from '../../../src/main/agents/scripted/scripted-program.ts'
import type { AgentPlace } from '../../../src/shared/agents/driver/agent-place.ts'
import type { PromptPart } from '../../../src/shared/agents/driver/prompt-parts.ts'
import type { Entry } from '../../../src/shared/records/entries.ts'

const historiesVariable = 'SHIPLOG_TEST_HISTORIES'

export type NotedRun = Pick<AgentPlace, 'taskId'> & { prompt: PromptPart[]; history: Entry[] }

export const createScriptedProgram: typeof scripted.createScriptedProgram = (scenario) => {
  const program: scripted.ScriptedProgram = scripted.createScriptedProgram(scenario)
  return {
    ...program,
    agent(name) {
      const open = program.agent(name)
      if (!open) return null
      return async (place) => {
        const session = await open(place)
        const history: Entry[] = []
        for await (const entry of place.history.entries()) history.push(entry)
        return {
          ...session,
          run(prompt, host) {
            const noted: NotedRun = { taskId: place.taskId, prompt, history }
            appendFileSync(process.env[historiesVariable] ?? '', `${JSON.stringify(noted)}\n`)
            return session.run(prompt, host)
          },
        }
      }
    },
  }
}
