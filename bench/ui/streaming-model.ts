/**
 * A model service at the rate of a fast model: Chat Completions on loopback, in its own process. `node
 * bench/ui/streaming-model.ts` prints its base URL. Every turn is several paragraphs in small pieces, followed by a
 * file read; a conversation never ends by itself.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** About 100 tokens a second. */
const piecesPerSecond = 20
const pieceCharacters = 20
const piecesATurn = 300

const text =
  'The pilot reads the **tide** and writes it down: `ebb`, then flood.\n\n- a list of what is under way\n- and a second item\n\n```ts\nconst bearing = 42\n```\n\nThen the next paragraph begins, '
let calls = 0

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => void answer(response))
})
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`)
})
// The bench ends this process by closing its input, which also happens if the bench is killed.
process.stdin.on('end', () => process.exit()).resume()

async function answer(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (event: object) => response.write(`data: ${JSON.stringify(event)}\n\n`)
  for (let n = 0; n < piecesATurn && !response.destroyed; n++) {
    send(chunk({ role: 'assistant', content: piece(n) }))
    await sleep(1_000 / piecesPerSecond)
  }
  const named = { name: 'read_file', arguments: JSON.stringify({ path: 'a.txt' }) }
  send(
    chunk({ tool_calls: [{ index: 0, id: `call-${++calls}`, type: 'function', function: named }] }),
  )
  send({
    ...chunk({}, 'tool_calls'),
    usage: { prompt_tokens: 1_000, completion_tokens: piecesATurn, total_tokens: 1_300 },
  })
  response.end('data: [DONE]\n\n')
}

function piece(n: number): string {
  const from = (n * pieceCharacters) % text.length
  return (text + text).slice(from, from + pieceCharacters)
}

const chunk = (delta: object, finish: string | null = null) => ({
  id: 'answer',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'quick',
  choices: [{ index: 0, delta, finish_reason: finish }],
})
