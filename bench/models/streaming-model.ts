/**
 * A model service at the rate of a fast model: Chat Completions on loopback, in its own process. `node
 * bench/models/streaming-model.ts` prints its base URL. Every turn is several paragraphs in small pieces, followed by a
 * file read; a conversation never ends by itself.
 */
import { createServer, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { chunk, readFileCall, serveUntilInputEnds } from './service.ts'

/** About 100 tokens a second. */
const piecesPerSecond = 20
const pieceCharacters = 20
const piecesATurn = 300

const text =
  'The pilot reads the **tide** and writes it down: `ebb`, then flood.\n\n- a list of what is under way\n- and a second item\n\n```ts\nconst bearing = 42\n```\n\nThen the next paragraph begins, '

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => void answer(response))
})
serveUntilInputEnds(server)

async function answer(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (event: object) => response.write(`data: ${JSON.stringify(event)}\n\n`)
  for (let n = 0; n < piecesATurn && !response.destroyed; n++) {
    send(chunk({ role: 'assistant', content: piece(n) }))
    await sleep(1_000 / piecesPerSecond)
  }
  send(readFileCall())
  const usage = { prompt_tokens: 1_000, completion_tokens: piecesATurn, total_tokens: 1_300 }
  send(chunk({}, 'tool_calls', { usage }))
  response.end('data: [DONE]\n\n')
}

function piece(n: number): string {
  const from = (n * pieceCharacters) % text.length
  return (text + text).slice(from, from + pieceCharacters)
}
