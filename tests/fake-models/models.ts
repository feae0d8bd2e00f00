/** Which models the fake has, and what each of them is like. */
import type { Wire } from './wire.ts'

export interface Model {
  id: string
  wires: Wire[]
  /** Its context window: how long a request may be, in UTF-16 units of its JSON. */
  contextChars: number
  maxOutputTokens: number
  /** Whether it thinks unasked. */
  thinksAlways?: boolean
  /** Anthropic: its thinking is only sent to clients that ask for `display: "summarized"`. Chat: never. */
  hidesThinking?: boolean
  /** Chat: refuses `max_tokens`. */
  refusesMaxTokens?: boolean
  /** Anthropic: refuses `temperature`, `top_p` and `top_k`. */
  refusesSampling?: boolean
  /** Anthropic: refuses a conversation that ends with the assistant. */
  refusesPrefill?: boolean
  /** OpenAI: has breakpoints in its prompt cache, and reports what it writes there. */
  marksCache?: boolean
  /** Google: calls without their thought signature are refused. */
  demandsSignatures?: boolean
  /** Chat: assistant messages of a thinking model must come back with their `reasoning_content`. */
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
  { id: 'gemini-2.5-flash', wires: ['google'], contextChars, maxOutputTokens: 65_536 },
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

export function openaiModelList(catalogue: ModelCatalogue) {
  const data = catalogue
    .list(['responses', 'chat'])
    .map(({ id }) => ({ id, object: 'model', created: 1_788_000_000, owned_by: 'fake' }))
  return { object: 'list', data }
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
