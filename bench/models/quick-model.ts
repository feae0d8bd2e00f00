/**
 * A model service without latency: Chat Completions on loopback, in its own process, so that its work counts for
 * neither side. `node bench/models/quick-model.ts TURNS` prints its base URL. After each prompt it requests a file read for
 * TURNS turns and then ends; it answers a request without tools with a summary.
 */
import { createServer } from 'node:http'
import { chunk, readFileCall, serveUntilInputEnds } from './service.ts'

interface ChatRequest {
  messages: { role: string; content?: unknown; tool_calls?: unknown }[]
  tools?: unknown[]
}

const turns = Number(process.argv[2])

const server = createServer((request, response) => {
  // A server without the description of its models, which is requested once.
  if (request.method !== 'POST' || !request.url?.endsWith('/chat/completions')) {
    response.writeHead(404).end()
    return
  }
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as ChatRequest
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of answerTo(body)) response.write(`data: ${JSON.stringify(event)}\n\n`)
    response.end('data: [DONE]\n\n')
  })
})
serveUntilInputEnds(server)

function answerTo({ messages, tools = [] }: ChatRequest): object[] {
  const prompt = messages.findLastIndex(({ role }) => role === 'user')
  const taken = messages.slice(prompt).filter((one) => one.tool_calls !== undefined).length
  const usage = { prompt_tokens: Math.ceil(JSON.stringify(messages).length / 4) }
  if (tools.length === 0)
    return [text('What was done so far: files were read.'), end('stop', usage)]
  if (taken >= turns) return [text('All is read.'), end('stop', usage)]
  return [
    text('I read one more file, to see what it says.'),
    readFileCall(),
    end('tool_calls', usage),
  ]
}

const text = (content: string) => chunk({ role: 'assistant', content })

const end = (finish: string, { prompt_tokens }: { prompt_tokens: number }) =>
  chunk({}, finish, {
    usage: { prompt_tokens, completion_tokens: 20, total_tokens: prompt_tokens + 20 },
  })
