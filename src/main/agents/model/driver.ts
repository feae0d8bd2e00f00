/** Agents that are models: our own loop, on the providers' interfaces. What asks them is loaded when one begins. */
import type { AgentDrivers } from '../../../shared/agents/agent.ts'
import {
  type ModelRef,
  modelNameOf,
  modelProviderSchema,
  modelRefSchema,
  parseModelName,
} from '../../../shared/agents/model-refs.ts'
import { createFilesInside } from '../tools/inside/index.ts'
import { type ModelAccess, obstacleTo } from './access.ts'
import type { StreamTimeouts } from './answer.ts'
import type { ProjectFacts } from './instructions.ts'

/** The agent that gets the person's prompt. */
const rootAgent = 'lead'

export function createModelDriver({
  access,
  resolve = parseModelName,
  facts,
  clock = Date.now,
  random = Math.random,
  delayFactor = 1,
  timeouts,
  stepsMax,
}: {
  access: ModelAccess
  /** What `PROVIDER/MODEL` means; null: no such provider. */
  resolve?: (text: string) => Pick<ModelRef, 'provider' | 'model' | 'baseUrl'> | null
  /** Of the folder that an agent works in. */
  facts: (cwd: string, signal: AbortSignal) => Promise<ProjectFacts>
  clock?: () => number
  random?: () => number
  delayFactor?: number
  /** Absent: minutes. */
  timeouts?: StreamTimeouts | undefined
  /** Turns of a run before the person is asked whether it shall go on. Absent: a hundred. */
  stepsMax?: number | undefined
}): AgentDrivers['model'] {
  const inside = createFilesInside()
  return {
    prepare({ kind, model, baseUrl, agent = rootAgent }) {
      const named = resolve(model)
      if (!named) throw new Error(unknownModel(model))
      const ref = modelRefSchema.safeParse({ ...named, ...(baseUrl !== undefined && { baseUrl }) })
      if (!ref.success) {
        const [issue] = ref.error.issues
        throw new Error(
          `${issue?.path[0] === 'baseUrl' ? 'The base URL' : 'The model'} ${issue?.message}.`,
        )
      }
      return { spec: { kind, ...ref.data, agent }, files: [], title: modelNameOf(ref.data) }
    },
    filesOf: () => [],
    async check(spec) {
      const cause = await obstacleTo(spec, access)
      return cause ? { state: 'unavailable', cause } : { state: 'ready' }
    },
    // Any role: without a definition of that name it goes by its assignment alone.
    subAgent: async (spec, name) => ({ ...spec, agent: name }),
    async open(spec, place) {
      const { openModelSession } = await import('./session.ts')
      return openModelSession(spec, place, {
        ...{ access, facts, inside, clock, random, delayFactor, timeouts, stepsMax },
      })
    },
  }
}

const unknownModel = (text: string): string =>
  `There is no model ${JSON.stringify(text)}: name its provider and the model, such as anthropic/claude-opus-5-5. Providers: ${modelProviderSchema.options.join(', ')}.`
