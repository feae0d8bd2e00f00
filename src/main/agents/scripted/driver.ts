/** Agents that play a scenario: no network, the same every time. */
import { createHash } from 'node:crypto'
import { type AgentSpec, scenarioFile } from '../../../shared/agents/agent-specs.ts'
import type { AgentDrivers, KeptFiles } from '../../../shared/agents/driver/agent-driver.ts'
import type { Masker } from '../../../shared/agents/driver/masker.ts'
import { messageOf } from '../../../shared/error-message.ts'
import { maskScenario } from './mask-scenario.ts'
import { parseScenario } from './parse-scenario.ts'
import { createScriptedProgram, type ScriptedProgram } from './scripted-program.ts'

type ScriptedSpec = Extract<AgentSpec, { kind: 'scripted' }>

/**
 * Size of the cache of parsed scenarios. One can take several megabytes; a tree plays one, and few
 * trees run at once. Any other is read and parsed again.
 */
export const programsMax = 8

export function createScriptedDriver(mask: Masker): AgentDrivers['scripted'] {
  /** By the hash of the scenario, the least recently used first. */
  const loaded = new Map<string, ScriptedProgram>()

  function keep(scenario: string, program: ScriptedProgram): ScriptedProgram {
    loaded.delete(scenario)
    loaded.set(scenario, program)
    const [oldest] = loaded.keys()
    if (loaded.size > programsMax && oldest !== undefined) loaded.delete(oldest)
    return program
  }

  async function load(spec: ScriptedSpec, files: KeptFiles): Promise<ScriptedProgram> {
    const known = loaded.get(spec.scenario)
    if (known) return keep(spec.scenario, known)
    return keep(spec.scenario, programOf(await files.read(scenarioFile(spec)), spec.source))
  }

  return {
    async prepare({ kind, scenario: given, source }) {
      programOf(given, source)
      const text = maskScenario(given, mask)
      const program = programOf(text, source)
      const spec = { kind, scenario: sha256(text), source, agent: program.rootAgent }
      keep(spec.scenario, program)
      return { spec, files: [{ name: scenarioFile(spec), text }], title: program.name ?? source }
    },
    withModel() {
      throw new Error('A scripted agent plays its scenario and asks no model.')
    },
    filesOf: (spec) => [scenarioFile(spec)],
    async check(spec, files) {
      try {
        if ((await load(spec, files)).agent(spec.agent)) return { state: 'ready' }
        throw new Error(noSuchAgent(spec.agent))
      } catch (error) {
        const detail = messageOf(error)
        return { state: 'unavailable', cause: { kind: 'not-started', step: 'run', detail } }
      }
    },
    defines: async (spec, name, { files }) => (await load(spec, files)).agent(name) !== null,
    async subAgent(spec, name, { files }) {
      if (!(await load(spec, files)).agent(name)) throw new Error(noSuchAgent(name))
      // The root keeps the scenario of its whole tree.
      return { spec: { ...spec, agent: name }, files: [] }
    },
    async open(spec, place, files) {
      const open = (await load(spec, files)).agent(spec.agent)
      if (!open) throw new Error(noSuchAgent(spec.agent))
      return open(place)
    },
  }
}

const programOf = (text: string, source: string): ScriptedProgram =>
  createScriptedProgram(parseScenario(text, source))

const noSuchAgent = (name: string): string => `There is no agent "${name}" in this scenario.`

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
