/**
 * Agent definitions for the model driver: lists those of a folder, and narrows one when it is
 * started.
 */

import type { DefinedAgent } from '../../../shared/agents/agent-specs.ts'
import type { Masker } from '../../../shared/agents/driver/masker.ts'
import { type ModelRef, modelNameOf } from '../../../shared/agents/model-refs.ts'
import type { FilesInside } from '../tools/inside/index.ts'
import { type AgentDefinition, builtInSource } from './definition.ts'
import { narrowed } from './narrow.ts'
import { builtInDefinition, definitionFrom, readDefinitions } from './read-definitions.ts'

export { builtInDefinition, definitionFrom }

export interface Definitions {
  /** Returns the definitions of a folder, by name. Problems are reported once. */
  of(dir: string): Promise<AgentDefinition[]>
  /** Reports whether the folder has a definition of this name, even one that can't be used. */
  has(name: string, dir: string): Promise<boolean>
  /** Rejects with an Error that lists the existing ones. */
  resolve(
    name: string,
    place: {
      /** The folder of the definition files. Absolute. */
      dir: string
      /** The definition of the parent agent; null if there is none, or a user starts it. */
      parent: DefinedAgent | null
      /** True if a user starts it, whose choice of a model is used. */
      isRoot: boolean
      /** The model, unless its definition sets another one and may do so. */
      model: ModelRef
    },
  ): Promise<{ definition: AgentDefinition; defined: DefinedAgent; model: ModelRef }>
}

/** The limit of remembered problems; beyond it they are reported again. */
const reportedMax = 1_000

export function createDefinitions({
  inside,
  mask,
  resolveModel,
  isSetUp,
  subAgentModel,
  onNotice,
}: {
  inside: FilesInside
  mask: Masker
  /**
   * Resolves `PROVIDER/MODEL` with the address that the user set; null if there is no such
   * provider.
   */
  resolveModel: (text: string) => Pick<ModelRef, 'provider' | 'model' | 'baseUrl'> | null
  /** Reports whether a model is set up and has its key. Sends no request. */
  isSetUp: (model: ModelRef) => Promise<boolean>
  /**
   * Returns the user's model for built-in sub-agents, as `PROVIDER/MODEL`; null stands for their parent's.
   */
  subAgentModel: () => string | null
  /** Reports one sentence to the user. */
  onNotice: (text: string) => void
}): Definitions {
  const reported = new Set<string>()
  function notice(text: string): void {
    if (reported.has(text)) return
    if (reported.size >= reportedMax) reported.clear()
    reported.add(text)
    onNotice(text)
  }

  async function readAll(dir: string) {
    const found = await readDefinitions(dir, { inside, mask })
    for (const problem of found.problems) notice(`Agent definition: ${problem}`)
    for (const { source, notes } of found.byName.values())
      for (const note of notes) notice(`Agent definition ${source}: ${note}.`)
    return found
  }

  async function builtInModel(parent: ModelRef): Promise<ModelRef> {
    const set = subAgentModel()
    if (set === null) return parent
    const wanted = resolveModel(set)
    if (wanted !== null && (await isSetUp(wanted))) return wanted
    notice(
      `The model of sub-agents in the settings, ${set}, is not used, because its provider is not set up here; they run on ${modelNameOf(parent)}.`,
    )
    return parent
  }

  async function modelFor(definition: AgentDefinition, parent: ModelRef): Promise<ModelRef> {
    if (definition.source === builtInSource) return builtInModel(parent)
    if (definition.model === null) return parent
    const named = resolveModel(definition.model)
    if (named !== null) {
      const { provider, model } = named
      const isSame = provider === parent.provider
      // Only the user sets addresses. A repository can't, and an address is never used for
      // another provider.
      const baseUrl = named.baseUrl ?? (isSame ? parent.baseUrl : undefined)
      const isSamePlace = isSame && baseUrl === parent.baseUrl
      const keyEnv = isSamePlace ? parent.keyEnv : undefined
      const wanted: ModelRef = {
        provider,
        model,
        ...(baseUrl && { baseUrl }),
        ...(keyEnv && { keyEnv }),
      }
      if (isSamePlace || (await isSetUp(wanted))) return wanted
    }
    notice(
      `Agent definition ${definition.source}: ${definition.model} is not used, because its provider is not set up here; it runs on ${modelNameOf(parent)}.`,
    )
    return parent
  }

  return {
    of: async (dir) => [...(await readAll(dir)).byName.values()],
    async has(name, dir) {
      const { byName, unusable } = await readAll(dir)
      return byName.has(name) || unusable.has(name)
    },
    async resolve(name, { dir, parent, isRoot, model }) {
      const { byName, unusable } = await readAll(dir)
      const definition = byName.get(name)
      if (!definition) {
        const names = [...byName.keys()].join(', ')
        const problem = unusable.get(name)
        if (problem !== undefined)
          throw new Error(`This agent can't be used: ${problem} The agents are ${names}.`)
        throw new Error(
          `There is no agent ${JSON.stringify(name.slice(0, 100))}. The agents are ${names}.`,
        )
      }
      const builtIn = definition.source === builtInSource ? null : builtInDefinition(name)
      const { defined, notes } = narrowed(definition, { builtIn, parent })
      for (const note of notes) notice(`Agent definition ${definition.source}: without ${note}.`)
      return {
        definition,
        defined,
        model: isRoot ? model : await modelFor(definition, model),
      }
    },
  }
}
