/**
 * A server on 127.0.0.1 that speaks the APIs of four model services, answers from a script, and rejects the
 * requests that the real services reject. See README.md.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { comesInStream, sendAnswer, sendError, sendFailure, sendJson } from './delivery.ts'
import { drivers } from './drivers.ts'
import { createIssuedRegistry } from './issued.ts'
import { checkKey, withoutKeys } from './keys.ts'
import { besideChat, type ModelServer, openaiModelList } from './model-servers.ts'
import {
  anthropicModelList,
  createCatalogue,
  defaultModels,
  googleModelList,
  type Model,
  type Wire,
} from './models.ts'
import { createPrefixCache } from './prefix-cache.ts'
import { Refusal } from './refusal.ts'
import {
  type Answer,
  conversationOf,
  type Failure,
  isFailure,
  type Script,
  type Turn,
} from './script.ts'
import type { WireContext } from './wire.ts'

interface RecordedRequest {
  wire: Wire
  path: string
  /** Without the API key. */
  headers: Record<string, string>
  body: Record<string, unknown>
  /** The marker of its conversation, or `main` for a script without markers. Null for a request refused before matching. */
  conversation: string | null
  /** The index of the script turn it took; null if it was refused before taking one. */
  turn: number | null
  /** The HTTP status sent; null while none has been sent. */
  status: number | null
  /** Whether the response is still open. */
  isOpen: boolean
  /** Resolves when the response is closed by either side; true if it was sent completely. */
  ended: Promise<boolean>
}

interface RefusedRequest {
  wire: Wire
  status: number
  message: string
  conversation: string | null
}

export interface FakeModels {
  /** `http://127.0.0.1:<port>`. */
  url: string
  key: string
  /** The `baseURL` for each provider package. */
  baseURLs: Record<Wire, string>
  /** All requests to a model, in order of arrival. */
  requests: RecordedRequest[]
  /** Requests that were refused without a script asking for it. */
  refused: RefusedRequest[]
  /** Requests of one conversation. */
  requestsOf(conversation: string): RecordedRequest[]
  /** Resolves when the condition holds. It is checked whenever a request arrives, is answered or ends. */
  until(condition: (requests: RecordedRequest[]) => boolean): Promise<void>
  /** The number of unused turns by conversation. Function scripts are not counted. */
  unused(): Record<string, number>
  /** Closes the server and destroys open connections. */
  stop(): Promise<void>
}

export interface FakeModelsOptions {
  script: Script
  /** Null: it asks for none, as a server of one's own does. */
  key?: string | null
  /** Added to the default models; a model with the same id replaces the default. */
  models?: Model[]
  /** Which server speaks the Chat Completions API: how it reports context windows. Absent: `vllm`. */
  server?: ModelServer
}

export async function startFakeModels({
  script,
  key = 'fake-key-0123456789abcdef',
  models = [],
  server: kind = 'vllm',
}: FakeModelsOptions): Promise<FakeModels> {
  const given = new Set(models.map(({ id }) => id))
  const context: WireContext = {
    models: createCatalogue([...models, ...defaultModels.filter(({ id }) => !given.has(id))]),
    issued: createIssuedRegistry(),
    cache: createPrefixCache(),
  }
  const requests: RecordedRequest[] = []
  const refused: RefusedRequest[] = []
  const turnsTaken = new Map<string, number>()
  const waiting = new Set<() => void>()
  const changed = () => {
    for (const check of [...waiting]) check()
  }

  const server = createServer((req, res) => void handle(req, res))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    res.on('error', () => {}) // the client disconnected
    const address = new URL(req.url ?? '/', url)
    const route = routeOf(req, address)
    const beside = besideChat(req, address, kind)
    const wire = route?.wire ?? 'chat'
    const recorded = route?.kind === 'answer' ? record(req, res, wire) : null
    try {
      const text = await readBody(req)
      if (beside) {
        if (key !== null) checkKey('chat', req.headers, address.searchParams, key)
        const loaded = new Set(requests.flatMap(({ body, status }) => (status ? [body.model] : [])))
        return sendJson(res, 200, beside(context.models, loaded, text))
      }
      // Claude Code asks whether the service can be reached.
      if (req.method === 'HEAD' && address.pathname === '/api/hello') return void res.end()
      if (!route) throw new Refusal(404, `Invalid URL (${req.method} ${req.url})`)
      if (key !== null) checkKey(wire, req.headers, address.searchParams, key)
      if (route.kind === 'models') return sendJson(res, 200, modelListOf(wire))
      if (recorded) await answer(res, recorded, route, text)
    } catch (error) {
      if (!req.complete) return // the client disconnected during the upload
      const refusal = error instanceof Refusal ? error : new Refusal(500, `[fake] ${error}`)
      const { status, message, details } = refusal
      refused.push({ wire, status, message, conversation: recorded?.conversation ?? null })
      const stream = recorded?.body.stream === true
      if (recorded) recorded.status = stream && comesInStream(wire, details) ? 200 : status
      if (res.headersSent) return void res.socket?.destroy()
      sendError(res, wire, { status, message, ...details }, { stream })
    } finally {
      changed()
    }
  }

  function record(req: IncomingMessage, res: ServerResponse, wire: Wire): RecordedRequest {
    const ended = new Promise<boolean>((resolve) => {
      res.on('close', () => {
        recorded.isOpen = false
        resolve(res.writableFinished)
        changed()
      })
    })
    const recorded: RecordedRequest = {
      wire,
      path: req.url ?? '',
      headers: withoutKeys(req.headers),
      body: {},
      conversation: null,
      turn: null,
      status: null,
      isOpen: true,
      ended,
    }
    requests.push(recorded)
    changed()
    return recorded
  }

  async function answer(
    res: ServerResponse,
    recorded: RecordedRequest,
    { wire, model, stream }: ModelRoute,
    text: string,
  ): Promise<void> {
    recorded.body = parseBody(text)
    const driver = drivers[wire]
    const betas = (recorded.headers['anthropic-beta'] ?? '').split(',').map((name) => name.trim())
    const read = driver.read(recorded.body, context, { model, stream, betas })
    const turn = await nextTurn(recorded, read.userTexts, read.model.id)
    if (isFailure(turn)) {
      const { stream, model } = read
      if ('inStream' in turn && turn.inStream && !stream)
        throw new Refusal(500, '[fake] an error comes in a stream only where there is one')
      recorded.status = statusOf(turn, wire === 'responses' && stream)
      changed()
      return sendFailure(res, wire, turn, { stream, contextChars: model.contextChars })
    }
    const given: Answer = Array.isArray(turn) ? { parts: turn } : turn
    const { parts, stop, flaw, interleaved = false } = given
    if (flaw && !read.stream) throw new Refusal(500, '[fake] only a stream can have a flaw')
    const rendered = read.render({ parts, stop, interleaved })
    recorded.status = 200
    changed()
    await sendAnswer(res, { driver, wire, rendered, answer: given, stream: read.stream })
  }

  async function nextTurn(
    recorded: RecordedRequest,
    userTexts: string[],
    model: string,
  ): Promise<Turn> {
    const meant = conversationOf(script, userTexts)
    if (!meant)
      throw new Refusal(500, `[fake] no script for a conversation that begins "${userTexts[0]}"`)
    const { conversation, turns } = meant
    const taken = turnsTaken.get(conversation) ?? 0
    recorded.conversation = conversation
    turnsTaken.set(conversation, taken + 1)
    recorded.turn = taken
    const { wire, body } = recorded
    const turn = Array.isArray(turns)
      ? turns[taken]
      : await turns({ wire, model, body, userTexts, turn: taken })
    if (!turn) throw new Refusal(500, `[fake] the script of "${conversation}" has no turn ${taken}`)
    return turn
  }

  function modelListOf(wire: Wire): object {
    if (wire === 'anthropic') return anthropicModelList(context.models)
    return wire === 'google'
      ? googleModelList(context.models)
      : openaiModelList(context.models, kind)
  }

  return {
    url,
    key: key ?? 'any',
    baseURLs: {
      anthropic: `${url}/v1`,
      responses: `${url}/v1`,
      chat: `${url}/v1`,
      google: `${url}/v1beta`,
    },
    requests,
    refused,
    requestsOf: (conversation) => requests.filter((r) => r.conversation === conversation),
    until: (condition) =>
      new Promise((resolve) => {
        const check = () => {
          if (!condition(requests)) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
    unused: () =>
      Object.fromEntries(
        Object.entries(
          Array.isArray(script) || typeof script === 'function' ? { main: script } : script,
        )
          .filter(([, turns]) => Array.isArray(turns))
          .map(([name, turns]) => [name, turns.length - (turnsTaken.get(name) ?? 0)] as const)
          .filter(([, left]) => left > 0),
      ),
    async stop() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Null where no headers are sent. */
function statusOf(failure: Failure, findsLengthLate: boolean): number | null {
  if ('status' in failure) return failure.inStream ? 200 : failure.status
  if ('promptTooLong' in failure) return findsLengthLate ? 200 : 400
  if ('html' in failure) return 200
  const place = 'disconnect' in failure ? failure.disconnect : failure.silence
  return place === 'before-headers' ? null : 200
}

interface ModelRoute {
  kind: 'answer'
  wire: Wire
  /** Empty where the model is in the body instead of the URL. */
  model: string
  stream: boolean
}

function routeOf(
  { method: verb, headers }: IncomingMessage,
  { pathname, searchParams }: URL,
): ModelRoute | { kind: 'models'; wire: Wire } | undefined {
  const named = { kind: 'answer', model: '', stream: false } as const
  if (verb === 'GET') {
    const isAnthropic = 'anthropic-version' in headers || 'x-api-key' in headers
    if (pathname === '/v1/models')
      return { kind: 'models', wire: isAnthropic ? 'anthropic' : 'responses' }
    return pathname === '/v1beta/models' ? { kind: 'models', wire: 'google' } : undefined
  }
  if (verb !== 'POST') return undefined
  if (pathname === '/v1/messages') return { ...named, wire: 'anthropic' }
  if (pathname === '/v1/responses') return { ...named, wire: 'responses' }
  if (pathname === '/v1/chat/completions') return { ...named, wire: 'chat' }
  // Without `alt=sse` the real service answers with one JSON array, which the fake does not support.
  const isSse = searchParams.get('alt') === 'sse'
  const google = /^\/v1beta\/models\/([^/:]+):(streamGenerateContent|generateContent)$/.exec(
    pathname,
  )
  const [, model, method] = google ?? []
  const stream = method === 'streamGenerateContent'
  if (!model || (stream && !isSse)) return undefined
  return { ...named, wire: 'google', model, stream }
}

async function readBody(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function parseBody(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal(400, 'The request body is not valid JSON.')
  }
}
