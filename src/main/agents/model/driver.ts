/** The driver of agents that are models: Shiplog's own loop on the providers' interfaces, loaded with the first run. */

import { type AgentSpec, definitionFile, withModelRef } from '../../../shared/agents/agent-specs.ts'
import type { AgentDrivers, KeptFiles } from '../../../shared/agents/driver/agent-driver.ts'
import type { Masker } from '../../../shared/agents/driver/masker.ts'
import {
  type ModelRef,
  modelNameOf,
  modelProviderSchema,
  modelRefSchema,
  parseModelName,
} from '../../../shared/agents/model-refs.ts'
import { builtInDefinition, createDefinitions, definitionFrom } from '../definitions/index.ts'
import { onInstalledAgent } from '../definitions/narrow.ts'
import { createFilesInside } from '../tools/inside/index.ts'
import { withInstalledAgents } from '../tools/offered-agents.ts'
import type { OfferedAgent } from '../tools/tool-definitions.ts'
import { type ModelAccess, obstacleTo } from './access.ts'
import type { StreamTimeouts } from './answer.ts'
import { ownBaseUrls } from './base-urls.ts'
import type { ProjectFacts } from './instructions.ts'

/** The definition of an agent that a user starts without naming one. */
const rootAgent = 'lead'

type ModelSpec = Extract<AgentSpec, { kind: 'model' }>

/** The names of the parts of a model reference in messages. */
const partNames: Record<string, string> = {
  baseUrl: 'The base URL',
  keyEnv: 'What --key-env names',
}

export function createModelDriver({
  access,
  resolve = parseModelName,
  providerNames = () => modelProviderSchema.options,
  subAgentModel = () => null,
  otherAgents = async () => [],
  facts,
  mask,
  onNotice,
  clock = Date.now,
  random = Math.random,
  delayFactor = 1,
  timeouts,
  stepsMax,
  contextTokens,
}: {
  access: ModelAccess
  /** Parses `PROVIDER/MODEL`; null if there is no such provider. */
  resolve?: (text: string) => Pick<ModelRef, 'provider' | 'model' | 'baseUrl'> | null
  /** Names of the providers that a model reference may use. */
  providerNames?: () => readonly string[]
  /** Returns the user's model for built-in sub-agents, as `PROVIDER/MODEL`; null stands for their parent's. */
  subAgentModel?: () => string | null
  /** Agents without a definition that may be started as sub-agents. */
  otherAgents?: () => Promise<readonly OfferedAgent[]>
  /** Facts about the folder that an agent works in. */
  facts: (cwd: string, signal: AbortSignal) => Promise<ProjectFacts>
  /** Removes the secrets from instructions that a project's files give to agents. */
  mask: Masker
  /** Reports sentences to the user, about a project's agent definitions or a model's context. */
  onNotice: (text: string) => void
  clock?: () => number
  random?: () => number
  delayFactor?: number
  /** Default: `streamTimeouts`. */
  timeouts?: StreamTimeouts | undefined
  /** Turns of a run before the user is asked whether to continue. Default: 100. */
  stepsMax?: number | undefined
  /** Tokens at which a conversation is summarised. Default: depends on the model's context window. */
  contextTokens?: number | undefined
}): AgentDrivers['model'] {
  const inside = createFilesInside()
  const definitions = createDefinitions({
    inside,
    mask,
    onNotice,
    subAgentModel,
    resolveModel: resolve,
    isSetUp: async (model) => (await obstacleTo(model, access)) === null,
  })

  const contextsReported = new Set<string>()
  /** Reports at most one notice for each task. */
  const noticeOfContext = (taskId: string) => (text: string) => {
    if (contextsReported.has(taskId)) return
    contextsReported.add(taskId)
    onNotice(text)
  }

  return {
    async prepare({ kind, model, baseUrl, keyEnv, agent: name = rootAgent }, dir) {
      const named = resolve(model)
      if (!named) throw new Error(unknownModel(model, providerNames()))
      const ref = modelRefSchema.safeParse({
        ...named,
        ...(baseUrl !== undefined && { baseUrl }),
        ...(keyEnv !== undefined && { keyEnv }),
      })
      if (!ref.success) {
        const [issue] = ref.error.issues
        throw new Error(`${partNames[String(issue?.path[0])] ?? 'The model'} ${issue?.message}.`)
      }
      const place = { dir, parent: null, isRoot: true, model: ref.data }
      const { definition, defined } = await definitions.resolve(name, place)
      return {
        spec: { kind, ...ref.data, agent: name, definition: defined },
        files: [{ name: definitionFile(defined), text: definition.text }],
        title: modelNameOf(ref.data),
      }
    },
    withModel(spec, model) {
      const named = resolve(model)
      if (!named) throw new Error(unknownModel(model, providerNames()))
      // A provider without a fixed address keeps the one that the agent was started with.
      const { baseUrl = ownBaseUrls[named.provider] === null ? spec.baseUrl : undefined } = named
      // A key may be sent to its own address only.
      const isSamePlace = named.provider === spec.provider && baseUrl === spec.baseUrl
      const keyEnv = isSamePlace ? spec.keyEnv : undefined
      return withModelRef(spec, {
        ...named,
        ...(baseUrl !== undefined && { baseUrl }),
        ...(keyEnv !== undefined && { keyEnv }),
      })
    },
    filesOf: ({ definition }) => (definition ? [definitionFile(definition)] : []),
    async check(spec, files) {
      const cause = await obstacleTo(spec, access)
      if (cause) return { state: 'unavailable', cause }
      try {
        await promptOf(spec, files)
        return { state: 'ready' }
      } catch (error) {
        const detail = (error as Error).message
        return { state: 'unavailable', cause: { kind: 'not-started', step: 'run', detail } }
      }
    },
    defines: (_, name, { dir }) => definitions.has(name, dir),
    async subAgent({ kind, agent: _, definition: parent = null, ...parentModel }, name, { dir }) {
      const place = { dir, parent, isRoot: false, model: parentModel }
      const { definition, defined, model } = await definitions.resolve(name, place)
      const installed = onInstalledAgent(name, { definition, defined }, parent)
      return {
        spec: installed ?? { kind, ...model, agent: name, definition: defined },
        files: [{ name: definitionFile(defined), text: definition.text }],
      }
    },
    async open(spec, place, files) {
      const { openModelSession } = await import('./session.ts')
      return openModelSession(spec, place, {
        access,
        facts,
        inside,
        clock,
        random,
        delayFactor,
        timeouts,
        stepsMax,
        contextTokens,
        prompt: await promptOf(spec, files),
        agents: async () =>
          withInstalledAgents(await definitions.of(place.cwd), await otherAgents()),
        onCramped: noticeOfContext(place.taskId),
      })
    },
  }
}

/** Reads the definition that the agent was started with, even if the project changed it since. */
async function promptOf({ agent, definition }: ModelSpec, files: KeptFiles): Promise<string> {
  if (!definition) return builtInDefinition(agent)?.prompt ?? ''
  const text = await files.read(definitionFile(definition))
  return definitionFrom(definition.source, text).prompt
}

const unknownModel = (text: string, providers: readonly string[]): string =>
  `There is no model ${JSON.stringify(text)}: name its provider and the model, such as anthropic/claude-opus-5-5. Providers: ${providers.join(', ')}.`
