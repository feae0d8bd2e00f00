/** Agent specs: their drivers, and the files that are stored beside the session for them. */
import { createHash } from 'node:crypto'
import { dirname, join, parse } from 'node:path'
import {
  type AgentChoice,
  type AgentKind,
  type AgentSpec,
  definitionOfSpec,
} from '../../../shared/agents/agent-specs.ts'
import type {
  AgentDriver,
  AgentDrivers,
  Availability,
  KeptFiles,
  PreparedAgent,
} from '../../../shared/agents/driver/agent-driver.ts'
import type { AgentPlace } from '../../../shared/agents/driver/agent-place.ts'
import type { AgentSession } from '../../../shared/agents/driver/agent-session.ts'
import { isAgentPreset } from '../../../shared/agents/installed-agents.ts'
import { messageOf } from '../../../shared/error-message.ts'
import { invalid, refused } from '../../../shared/failure.ts'
import { formatCause } from '../../../shared/records/causes.ts'
import { makeDirDurable, readDataFile, writeFileDurable } from '../../journal/index.ts'

/** `sessionDir` is that of the root, which contains the files of all specs of its tree. */
export interface AgentSpecs {
  /**
   * Checks the choice and removes secrets from it. `dir` is the project's. Stores nothing. Rejects
   * with an Error that describes what is wrong.
   */
  prepare(choice: AgentChoice, dir: string): Promise<PreparedAgent>
  /** Returns the same agent on another model. Throws an Error that describes what is wrong. */
  withModel(spec: AgentSpec, model: string): AgentSpec
  /** Reports whether a spec that is not saved yet could begin. */
  checkPrepared(agent: Pick<PreparedAgent, 'spec' | 'files'>): Promise<Availability>
  /** Durable when it resolves. */
  save(sessionDir: string, agent: Pick<PreparedAgent, 'files'>): Promise<void>
  /** Loads a saved spec. Throws an Error that names the missing or changed part. */
  read(sessionDir: string, spec: AgentSpec): Promise<Pick<PreparedAgent, 'spec' | 'files'>>
  check(sessionDir: string, spec: AgentSpec): Promise<Availability>
  /**
   * `dir` is the working directory of the calling agent. Stores nothing. Rejects with an Error for
   * the agent to read.
   */
  subAgent(
    sessionDir: string,
    spec: AgentSpec,
    name: string,
    dir: string,
  ): Promise<Pick<PreparedAgent, 'spec' | 'files'>>
  open(sessionDir: string, spec: AgentSpec, place: AgentPlace): Promise<AgentSession>
}

export function createAgentSpecs(drivers: AgentDrivers): AgentSpecs {
  // Each driver takes the specs of its own kind: the table's type guarantees it, which a lookup loses.
  const driverOf = (kind: AgentKind) => drivers[kind] as AgentDriver
  const filesIn = (sessionDir: string): KeptFiles => ({
    async read(name) {
      const file = join(sessionDir, name)
      const content = await readDataFile(file)
      const sum = createHash('sha256').update(content).digest('hex')
      if (parse(file).name !== sum)
        throw new Error(
          `${file} was changed after it was started: its name is the hash of its text`,
        )
      return content.toString('utf8')
    },
  })
  const check: AgentSpecs['check'] = (sessionDir, spec) =>
    driverOf(spec.kind).check(spec, filesIn(sessionDir))

  async function refuseUnlessInstalled(
    spec: Extract<AgentSpec, { kind: 'acp' }>,
    files: KeptFiles,
  ): Promise<void> {
    const available = await drivers.acp.check(spec, files)
    if (available.state === 'unavailable') throw new Error(formatCause(available.cause))
  }

  return {
    prepare: (choice, dir) => driverOf(choice.kind).prepare(choice, dir),
    withModel: (spec, model) => driverOf(spec.kind).withModel(spec, model),
    checkPrepared: ({ spec, files }) =>
      driverOf(spec.kind).check(spec, {
        async read(name) {
          const file = files.find((one) => one.name === name)
          if (!file) throw new Error(`${name} is missing`)
          return file.text
        },
      }),
    async save(sessionDir, { files }) {
      for (const { name, text } of files) {
        const file = join(sessionDir, name)
        await makeDirDurable(dirname(file))
        await writeFileDurable(file, text)
      }
    },
    async read(sessionDir, spec) {
      const { read } = filesIn(sessionDir)
      const names = driverOf(spec.kind).filesOf(spec)
      const files = await Promise.all(names.map(async (name) => ({ name, text: await read(name) })))
      return { spec, files }
    },
    check,
    async subAgent(sessionDir, spec, name, dir) {
      const files = filesIn(sessionDir)
      if (!isAgentPreset(name) || (await driverOf(spec.kind).defines(spec, name, { dir, files }))) {
        const prepared = await driverOf(spec.kind).subAgent(spec, name, { dir, files })
        // The definition may refer to an installed agent that this machine lacks.
        if (prepared.spec.kind === 'acp') await refuseUnlessInstalled(prepared.spec, files)
        return prepared
      }
      // Shiplog can't take tools away from an installed agent.
      if (definitionOfSpec(spec)?.tools !== undefined)
        throw new Error(
          `Your tools are limited by your definition, and those of ${name} can't be: start an agent with a definition instead.`,
        )
      const prepared = await drivers.acp.prepare({ kind: 'acp', program: name }, dir)
      await refuseUnlessInstalled(prepared.spec, files)
      return prepared
    },
    open: (sessionDir, spec, place) => driverOf(spec.kind).open(spec, place, filesIn(sessionDir)),
  }
}

/** Throws FailureError, with the reason and the remedy, if such an agent can't begin (G7). */
export function refuseUnlessReady(availability: Availability): void {
  if (availability.state === 'ready') return
  const { cause } = availability
  const why = 'detail' in cause ? cause.detail : formatCause(cause)
  refused('not-set-up', `${why.charAt(0).toUpperCase()}${why.slice(1).replace(/\.$/, '')}.`)
}

/**
 * Prepares the choice. Throws FailureError (invalid) if it can't be used; a scenario's error has
 * file, line and key.
 */
export async function prepareChoice(
  agentSpecs: Pick<AgentSpecs, 'prepare'>,
  choice: AgentChoice,
  dir: string,
): ReturnType<AgentSpecs['prepare']> {
  try {
    return await agentSpecs.prepare(choice, dir)
  } catch (error) {
    return invalid(choiceFields[choice.kind], messageOf(error))
  }
}

/** The field that an unusable choice is reported for. */
const choiceFields = { scripted: 'scenario', model: 'model', acp: 'command' } as const

/** The same agent on another model. Throws FailureError for a model that can't be used. */
export function onModel(
  agentSpecs: Pick<AgentSpecs, 'withModel'>,
  spec: AgentSpec,
  model: string,
): AgentSpec {
  try {
    return agentSpecs.withModel(spec, model)
  } catch (error) {
    return invalid('model', messageOf(error))
  }
}
