/**
 * Carries the lines of standard input and output to the tools of one running agent, which the agent's run serves. It
 * holds no more than the token of that task (K7).
 */
import { type ClientRequest, request } from 'node:http'
import type { Duplex, Readable, Writable } from 'node:stream'
import {
  type BridgeAccess,
  bridgeProtocol,
  bridgeVariables,
} from '../../../shared/agents/mcp-bridge.ts'

/** The URL and token of this process's task; null if the process was not started by an agent of Shiplog. */
export function bridgeAccess(env: NodeJS.ProcessEnv): BridgeAccess | null {
  const { [bridgeVariables.url]: url, [bridgeVariables.token]: token } = env
  return url && token ? { url, token } : null
}

/** Resolves once either side has ended. Rejects with an Error for the user if the run can't be reached. */
export async function runBridge(
  { url, token }: BridgeAccess,
  { input, output }: { input: Readable; output: Writable },
): Promise<void> {
  const socket = await upgradedSocket(
    request(url, {
      headers: {
        authorization: `Bearer ${token}`,
        connection: 'Upgrade',
        upgrade: bridgeProtocol,
      },
    }),
  )
  const ended = new Promise<void>((resolve) => {
    socket.once('close', resolve)
    socket.once('end', resolve)
    socket.on('error', () => resolve())
    output.on('error', () => resolve())
    input.once('end', resolve)
    input.once('close', resolve)
  })
  input.pipe(socket)
  socket.pipe(output, { end: false })
  await ended
  input.unpipe(socket)
  socket.destroy()
}

function upgradedSocket(upgradeRequest: ClientRequest): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const refuse = (why: string) =>
      reject(new Error(`The task that this serves can't be reached: ${why}.`))
    upgradeRequest.once('upgrade', (_, socket: Duplex, head: Buffer) => {
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
    upgradeRequest.once('response', (response) => {
      response.resume()
      refuse(response.statusCode === 401 ? 'its token was refused' : 'its run has ended')
    })
    upgradeRequest.once('error', ({ message }) => refuse(message))
    upgradeRequest.end()
  })
}
