/** The scripted program, which notes what each run is given before it plays it. */
import { appendFileSync } from 'node:fs'
import * as scripted from '../../../src/main/agents/scripted/scripted-program.ts'
import type { AgentProgram, AgentRunInput } from '../../../src/shared/agent.ts'

export const historiesVariable = 'SHIPLOG_TEST_HISTORIES'

export type NotedRun = Pick<AgentRunInput, 'taskId' | 'prompt' | 'history'>

export const createScriptedProgram: typeof scripted.createScriptedProgram = (scenario) => {
  const program: AgentProgram = scripted.createScriptedProgram(scenario)
  return {
    ...program,
    create(name) {
      const agent = program.create(name)
      if (!agent) return null
      return {
        run(input) {
          const { taskId, prompt, history } = input
          const noted: NotedRun = { taskId, prompt, history }
          appendFileSync(process.env[historiesVariable] ?? '', `${JSON.stringify(noted)}\n`)
          return agent.run(input)
        },
      }
    },
  }
}
