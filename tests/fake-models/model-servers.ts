/** How servers with the Chat Completions API report the context windows of their models. */
import type { IncomingMessage } from 'node:http'
import type { Model, ModelCatalogue } from './models.ts'
import { Refusal } from './refusal.ts'

/** `plain`: it does not report them. */
export type ModelServer = 'vllm' | 'openrouter' | 'lm-studio' | 'ollama' | 'plain'

const tokensOf = ({ contextChars }: Model): number => Math.floor(contextChars / 4)

export function openaiModelList(catalogue: ModelCatalogue, server: ModelServer) {
  const data = catalogue.list(['responses', 'chat']).map((model) => ({
    id: model.id,
    object: 'model',
    created: 1_788_000_000,
    owned_by: 'fake',
    ...lengthInList(model, server),
  }))
  return { object: 'list', data }
}

/** What its list of models says beside their names. */
function lengthInList(model: Model, server: ModelServer): object {
  // OpenAI's own list, which is the same one here, has no such field.
  if (model.wires.includes('responses')) return {}
  if (server === 'vllm') return { max_model_len: tokensOf(model) }
  if (server !== 'openrouter') return {}
  // The model could have more than its usual provider gives it.
  return {
    context_length: 2 * tokensOf(model),
    top_provider: { context_length: tokensOf(model), is_moderated: false },
  }
}

type Answer = (catalogue: ModelCatalogue, loaded: ReadonlySet<unknown>, text: string) => object

/**
 * What answers a request beside the chat API; null: the server has no such path. LM Studio and Ollama load a model for
 * the first request, and know only then what it runs with.
 */
export function besideChat(
  { method, url = '' }: IncomingMessage,
  { pathname }: URL,
  server: ModelServer,
): Answer | null {
  const asked = `${method} ${pathname}`
  if (server === 'lm-studio' && asked === 'GET /api/v0/models') return studioList
  if (server !== 'ollama') return null
  if (url.startsWith('/v1/')) return null
  if (asked === 'GET /api/ps') return ollamaLoaded
  return asked === 'POST /api/show' ? ollamaShown : null
}

const chatModels = (catalogue: ModelCatalogue) => catalogue.list(['chat'])

const studioList: Answer = (catalogue, loaded) => ({
  object: 'list',
  data: chatModels(catalogue).map((model) => ({
    id: model.id,
    object: 'model',
    type: 'llm',
    publisher: 'fake',
    arch: 'qwen3',
    state: loaded.has(model.id) ? 'loaded' : 'not-loaded',
    max_context_length: 4 * tokensOf(model),
    ...(loaded.has(model.id) && { loaded_context_length: tokensOf(model) }),
  })),
})

/** Every name has a tag. */
const ollamaName = (id: string) => (id.includes(':') ? id : `${id}:latest`)

const ollamaLoaded: Answer = (catalogue, loaded) => ({
  models: chatModels(catalogue)
    .filter(({ id }) => loaded.has(id))
    .map((model) => ({
      name: ollamaName(model.id),
      model: ollamaName(model.id),
      size: 1,
      digest: 'f00',
      context_length: tokensOf(model),
    })),
})

const ollamaShown: Answer = (catalogue, _, text) => {
  const asked = JSON.parse(text) as { model?: unknown }
  const model = chatModels(catalogue).find(
    ({ id }) => ollamaName(id) === ollamaName(`${asked.model}`),
  )
  if (!model) throw new Refusal(404, `model '${asked.model}' not found`)
  return {
    parameters: 'stop                           "<|im_end|>"\ntemperature                    0.7',
    model_info: {
      'general.architecture': 'qwen3',
      'qwen3.context_length': 4 * tokensOf(model),
      'qwen3.embedding_length': 2048,
    },
  }
}
