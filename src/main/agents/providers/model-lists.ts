/** Fetches the list of a provider's models. */
import { z } from 'zod'
import type { ModelProvider } from '../../../shared/agents/model-refs.ts'
import { assertNever } from '../../../shared/assert-never.ts'
import { refused } from '../../../shared/failure.ts'
import { answerText } from './answer-text.ts'
import { explainNetworkError } from './explain-network-error.ts'

const timeoutMs = 15_000

const byId = z.object({ data: z.array(z.object({ id: z.string() })) })
const byName = z.object({
  models: z.array(
    z.object({ name: z.string(), supportedGenerationMethods: z.array(z.string()).optional() }),
  ),
})

interface ListRequest {
  provider: ModelProvider
  baseUrl: string
  /** Null sends none. */
  key: string | null
  fetch?: typeof globalThis.fetch
}

/** Resolves with the names as specs contain them, sorted and distinct. Rejects with FailureError `refused`. */
export async function listModels(request: ListRequest): Promise<string[]> {
  const { url, headers } = listRequestOf(request)
  const answer = await ask(url, headers, request.fetch ?? globalThis.fetch)
  const names = modelNamesIn(request.provider, answer)
  if (names === null)
    return refused('provider-answer', `${url.origin} answered, but not with a list of models.`)
  return [...new Set(names)].sort()
}

function listRequestOf({ provider, baseUrl, key }: ListRequest): {
  url: URL
  headers: Record<string, string>
} {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/models`)
  switch (provider) {
    case 'anthropic':
      url.searchParams.set('limit', '1000')
      return {
        url,
        headers: { 'anthropic-version': '2023-06-01', ...(key ? { 'x-api-key': key } : {}) },
      }
    case 'google':
      url.searchParams.set('pageSize', '1000')
      return { url, headers: key ? { 'x-goog-api-key': key } : {} }
    case 'openai':
    case 'openai-compatible':
      return { url, headers: key ? { authorization: `Bearer ${key}` } : {} }
    default:
      return assertNever(provider)
  }
}

async function ask(
  url: URL,
  headers: Record<string, string>,
  fetch: typeof globalThis.fetch,
): Promise<unknown> {
  let response: Response
  let text: string
  try {
    // A redirect would send the key to another address.
    response = await fetch(url, {
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    text = await answerText(response)
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const why =
      error instanceof Error && error.name === 'TimeoutError'
        ? `no answer within ${timeoutMs / 1000} seconds`
        : (explainNetworkError(error) ?? (cause instanceof Error ? cause.message : String(cause)))
    return refused('provider-answer', `${url.origin} can’t be reached: ${why}.`)
  }
  if (response.status === 401 || response.status === 403)
    return refused('provider-answer', `${url.origin} refused the key (${response.status}).`)
  if (noListStatuses.has(response.status))
    return refused(
      'no-model-list',
      `${url.origin} has no list of models (${response.status}): type a model’s name and test it. If none answers, check the address, which usually ends in /v1.`,
    )
  if (!response.ok)
    return refused('provider-answer', `${url.origin} answered with the status ${response.status}.`)
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Servers that do not list their models answer with one of these. */
const noListStatuses = new Set([404, 405, 501])

/** Returns null if the answer is not a list of models. */
function modelNamesIn(provider: ModelProvider, answer: unknown): string[] | null {
  if (provider !== 'google') {
    const list = byId.safeParse(answer)
    return list.success ? list.data.data.map(({ id }) => id) : null
  }
  const list = byName.safeParse(answer)
  if (!list.success) return null
  return list.data.models
    .filter(
      ({ supportedGenerationMethods: methods }) => methods?.includes('generateContent') ?? true,
    )
    .map(({ name }) => name.replace(/^models\//, ''))
}
