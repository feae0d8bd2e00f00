/** The default models and their properties. */

export type Wire = 'anthropic' | 'responses' | 'chat' | 'google'

export interface Model {
  id: string
  wires: Wire[]
  /** Context window: maximum length of the request JSON, in UTF-16 units. */
  contextChars: number
  maxOutputTokens: number
  /** Thinks even if the request does not enable it. */
  thinksAlways?: boolean
  /** Anthropic: sends thinking text only with `display: "summarized"`. Chat: never sends it. */
  hidesThinking?: boolean
  /** Chat: refuses `max_tokens`. */
  refusesMaxTokens?: boolean
  /** Anthropic: refuses `temperature`, `top_p` and `top_k`. */
  refusesSampling?: boolean
  /** Anthropic: refuses a conversation that ends with the assistant. */
  refusesPrefill?: boolean
  /** Anthropic: accepts system messages in the middle of a conversation. */
  takesSystemMessages?: boolean
  /** OpenAI: supports cache breakpoints and reports cache writes. */
  marksCache?: boolean
  /** Google: refuses calls without their thought signature. */
  demandsSignatures?: boolean
  /** Google: sends calls without ids, so that clients make up their own. */
  omitsCallIds?: boolean
  /** Chat: refuses tool calls of the current turn without their `reasoning_content`. */
  demandsReasoning?: boolean
}

export interface ModelCatalogue {
  find(wire: Wire, id: string): Model | undefined
  list(wires: Wire[]): Model[]
}

const contextChars = 800_000

export const defaultModels: Model[] = [
  {
    id: 'claude-opus-5-5',
    wires: ['anthropic'],
    contextChars,
    maxOutputTokens: 128_000,
    thinksAlways: true,
    hidesThinking: true,
    refusesSampling: true,
    refusesPrefill: true,
    takesSystemMessages: true,
  },
  { id: 'claude-sonnet-4-5', wires: ['anthropic'], contextChars, maxOutputTokens: 64_000 },
  {
    id: 'gpt-6.1-sol',
    marksCache: true,
    wires: ['responses', 'chat'],
    contextChars,
    maxOutputTokens: 128_000,
    thinksAlways: true,
    hidesThinking: true,
    refusesMaxTokens: true,
  },
  {
    id: 'gpt-5.2',
    wires: ['responses', 'chat'],
    contextChars,
    maxOutputTokens: 128_000,
    thinksAlways: true,
    hidesThinking: true,
    refusesMaxTokens: true,
  },
  { id: 'qwen3-coder', wires: ['chat'], contextChars, maxOutputTokens: 32_000, thinksAlways: true },
  {
    id: 'deepseek-reasoner',
    wires: ['chat'],
    contextChars,
    maxOutputTokens: 32_000,
    thinksAlways: true,
    demandsReasoning: true,
  },
  {
    id: 'gemini-3.5-flash',
    wires: ['google'],
    contextChars,
    maxOutputTokens: 65_536,
    thinksAlways: true,
    demandsSignatures: true,
  },
  {
    id: 'gemini-2.5-flash',
    wires: ['google'],
    contextChars,
    maxOutputTokens: 65_536,
    omitsCallIds: true,
  },
]

export function createCatalogue(models: Model[]): ModelCatalogue {
  return {
    find: (wire, id) => models.find((model) => model.id === id && model.wires.includes(wire)),
    list: (wires) => models.filter((model) => model.wires.some((wire) => wires.includes(wire))),
  }
}

export function anthropicModelList(catalogue: ModelCatalogue) {
  const data = catalogue.list(['anthropic']).map(({ id }) => ({
    type: 'model',
    id,
    display_name: id,
    created_at: '2026-09-01T00:00:00Z',
  }))
  return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
}

export function googleModelList(catalogue: ModelCatalogue) {
  const models = catalogue.list(['google']).map(({ id, contextChars: chars, maxOutputTokens }) => ({
    name: `models/${id}`,
    version: '001',
    displayName: id,
    inputTokenLimit: Math.floor(chars / 4),
    outputTokenLimit: maxOutputTokens,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  }))
  return { models }
}
