/** What a task's agent spec names: where it is kept beside the record, and the program that it stands for. */
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import type { AgentProgram } from '../../shared/agent.ts'
import type { AgentChoice, AgentSpec } from '../../shared/agents.ts'
import { makeDirDurable, readDataFile, writeFileDurable } from '../journal/index.ts'
import { scenarioPath } from '../sessions/session-files.ts'
import type { AgentKinds } from './agent-kinds.ts'

/** A spec with the text that it names by its hash. */
export interface PreparedAgent {
  spec: AgentSpec
  scenario: string
}

export interface AgentSpecs {
  /** Checks what was chosen, and takes the secrets out of it. Keeps nothing. Throws what is wrong with it. */
  prepare(choice: AgentChoice): PreparedAgent & { program: AgentProgram }
  /** Durable in the session directory of a root when it resolves. */
  save(sessionDir: string, agent: PreparedAgent): Promise<void>
  /** What `save` kept. Throws an Error that says what is missing or was changed. */
  read(sessionDir: string, spec: AgentSpec): Promise<PreparedAgent>
  program(sessionDir: string, spec: AgentSpec): Promise<AgentProgram>
}

/**
 * Programs that stay loaded, those used last. One can take several megabytes; a tree plays one, and few trees are at
 * work at once. Another one is read and parsed again.
 */
export const programsMax = 8

export function createAgentSpecs(kinds: AgentKinds): AgentSpecs {
  /** By the hash of the scenario, the least recently used first. */
  const loaded = new Map<string, AgentProgram>()

  function keep(scenario: string, program: AgentProgram): AgentProgram {
    loaded.delete(scenario)
    loaded.set(scenario, program)
    const [oldest] = loaded.keys()
    if (loaded.size > programsMax && oldest !== undefined) loaded.delete(oldest)
    return program
  }

  async function read(sessionDir: string, spec: AgentSpec): Promise<PreparedAgent> {
    const file = join(sessionDir, scenarioPath(spec.scenario))
    const scenario = (await readDataFile(file)).toString('utf8')
    if (sha256(scenario) !== spec.scenario)
      throw new Error(`${file} was changed after it was started: its name is the hash of its text`)
    return { spec, scenario }
  }

  return {
    prepare({ kind, scenario: given, source }) {
      kinds.load(kind, { text: given, name: source })
      const scenario = kinds.masked(kind, given)
      const program = kinds.load(kind, { text: scenario, name: source })
      const spec = { kind, scenario: sha256(scenario), source, agent: program.rootAgent }
      keep(spec.scenario, program)
      return { spec, scenario, program }
    },
    async save(sessionDir, { spec, scenario }) {
      const file = join(sessionDir, scenarioPath(spec.scenario))
      await makeDirDurable(dirname(file))
      await writeFileDurable(file, scenario)
    },
    read,
    async program(sessionDir, spec) {
      const known = loaded.get(spec.scenario)
      if (known) return keep(spec.scenario, known)
      const { scenario } = await read(sessionDir, spec)
      return keep(spec.scenario, kinds.load(spec.kind, { text: scenario, name: spec.source }))
    },
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
