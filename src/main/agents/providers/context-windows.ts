/**
 * Reads the context windows with which servers run their models. OpenAI's chat interface has no field for it: vLLM and
 * OpenRouter add one to its list of models, LM Studio and Ollama have interfaces of their own.
 */
import { z } from 'zod'
import type { ModelRef } from '../../../shared/agents/model-refs.ts'
import { type ContextWindow, unknownWindow as unknown } from '../model/context-window.ts'
import { answerText } from './answer-text.ts'

interface ContextWindows {
  /** Resolves with the window that the model's server reports. Never rejects; takes `timeoutMs` at most. */
  of(ref: Pick<ModelRef, 'provider' | 'model' | 'baseUrl' | 'keyEnv'>): Promise<ContextWindow>
}

/** For all requests to one server together, because a run waits for them. */
const timeoutMs = 3_000
/** A server may be restarted with another window. */
const keptMs = 10 * 60_000
/** LM Studio and Ollama report the window once the first request has loaded the model. */
const keptUnknownMs = 60_000

export function createContextWindows({
  keyOf,
  fetch = globalThis.fetch,
  clock = Date.now,
}: {
  keyOf(ref: Pick<ModelRef, 'provider' | 'baseUrl' | 'keyEnv'>): Promise<string | null>
  fetch?: typeof globalThis.fetch
  clock?: () => number
}): ContextWindows {
  const known = new Map<string, { window: Promise<ContextWindow>; untilMs: number }>()

  async function read(ref: Parameters<ContextWindows['of']>[0], baseUrl: string) {
    try {
      const key = await keyOf(ref)
      const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {}
      const signal = AbortSignal.timeout(timeoutMs)
      const ask: Ask = async (url, body) => {
        // A redirect would send the key to another address.
        const response = await fetch(url, {
          headers,
          redirect: 'error',
          signal,
          ...(body && {
            method: 'POST',
            body: JSON.stringify(body),
            headers: { ...headers, 'content-type': 'application/json' },
          }),
        })
        const text = await answerText(response)
        return response.ok ? JSON.parse(text) : null
      }
      return await windowOf(ask, baseUrl, ref.model)
    } catch {
      return unknown
    }
  }

  return {
    async of(ref) {
      const { provider, model } = ref
      const baseUrl = ref.baseUrl?.replace(/\/+$/, '')
      if (provider !== 'openai-compatible' || baseUrl === undefined) return unknown
      const place = `${baseUrl} ${model}`
      const before = known.get(place)
      if (before && clock() < before.untilMs) return before.window
      const window = read(ref, baseUrl)
      const entry = { window, untilMs: clock() + keptMs }
      known.set(place, entry)
      if ((await window).tokens === null) entry.untilMs = clock() + keptUnknownMs
      return window
    },
  }
}

/** Resolves with null if the server lacks the endpoint. Rejects if further requests are pointless. */
type Ask = (url: string, body?: object) => Promise<unknown>

async function windowOf(ask: Ask, baseUrl: string, model: string): Promise<ContextWindow> {
  const listed = inList(await ask(`${baseUrl}/models`), model)
  if (listed) return listed
  // LM Studio and Ollama have the chat interface below /v1, and their own ones beside it.
  const root = baseUrl.replace(/\/v1$/, '')
  if (root === baseUrl) return unknown
  const studio = await fromStudio(ask, root, model)
  return studio ?? fromOllama(ask, root, model)
}

const tokens = z.number().int().positive()

const listSchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      max_model_len: tokens.nullish(),
      context_length: tokens.nullish(),
      top_provider: z.object({ context_length: tokens.nullish() }).nullish(),
    }),
  ),
})

/** Reads vLLM's `max_model_len` or OpenRouter's `context_length`. Null if the list has neither. */
function inList(answer: unknown, model: string): ContextWindow | null {
  const found = listSchema.safeParse(answer).data?.data.find(({ id }) => id === model)
  const { max_model_len, context_length, top_provider } = found ?? {}
  const reported = [max_model_len, context_length, top_provider?.context_length].filter(isTokens)
  return reported.length > 0 ? { ...unknown, tokens: Math.min(...reported) } : null
}

const studioSchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      loaded_context_length: tokens.nullish(),
      max_context_length: tokens.nullish(),
    }),
  ),
})

/** Resolves with null if the server is not LM Studio, or has no such model. */
async function fromStudio(ask: Ask, root: string, model: string): Promise<ContextWindow | null> {
  const answer = await ask(`${root}/api/v0/models`)
  const found = studioSchema.safeParse(answer).data?.data.find(({ id }) => id === model)
  if (!found) return null
  return {
    tokens: found.loaded_context_length ?? null,
    tokensMax: found.max_context_length ?? null,
  }
}

const loadedSchema = z.object({
  models: z.array(z.object({ name: z.string(), context_length: tokens.nullish() })),
})
const shownSchema = z.object({
  parameters: z.string().nullish(),
  model_info: z.record(z.string(), z.unknown()).nullish(),
})

/** Adds the tag that Ollama assumes for a name without one. */
const tagged = (model: string) => (/:[^/]*$/.test(model) ? model : `${model}:latest`)

async function fromOllama(ask: Ask, root: string, model: string): Promise<ContextWindow> {
  const loaded = loadedSchema.safeParse(await ask(`${root}/api/ps`)).data
  if (!loaded) return unknown
  const running = loaded.models.find(({ name }) => name === tagged(model))
  if (running?.context_length) return { ...unknown, tokens: running.context_length }
  const shown = shownSchema.safeParse(await ask(`${root}/api/show`, { model })).data
  const set = /^num_ctx\s+(\d+)\s*$/m.exec(shown?.parameters ?? '')?.[1]
  // The field's name begins with the architecture, as in `qwen3.context_length`.
  const ofModel = Object.entries(shown?.model_info ?? {}).find(([name]) =>
    name.endsWith('.context_length'),
  )?.[1]
  return {
    tokens: set ? Number(set) : null,
    tokensMax: typeof ofModel === 'number' && isTokens(ofModel) ? ofModel : null,
  }
}

const isTokens = (value: number | null | undefined): value is number =>
  typeof value === 'number' && value > 0
