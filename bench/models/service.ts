/** Model services on loopback for measurements: starting one in its own process, and what such a process answers. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Runs one of the programs beside this file, and resolves with the address that it prints. */
export async function startModelService(
  program: 'quick-model.ts' | 'streaming-model.ts',
  ...args: string[]
): Promise<{ baseUrl: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, program), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [baseUrl] = (await once(createInterface(child.stdout), 'line')) as [string]
  return {
    baseUrl,
    async stop() {
      const ended = once(child, 'exit')
      child.stdin.end()
      await ended
    },
  }
}

/** Prints the server's address, and ends this process when its input ends, also because the bench was killed. */
export function serveUntilInputEnds(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`)
  })
  process.stdin.on('end', () => process.exit()).resume()
}

/** An event of a streamed answer of Chat Completions. */
export const chunk = (delta: object, finish: string | null = null, more: object = {}) => ({
  id: 'answer',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'quick',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
})

let calls = 0

/** The call that reads a file which every measured project has. */
export function readFileCall() {
  const named = { name: 'read_file', arguments: JSON.stringify({ path: 'a.txt' }) }
  return chunk({
    tool_calls: [{ index: 0, id: `call-${++calls}`, type: 'function', function: named }],
  })
}
