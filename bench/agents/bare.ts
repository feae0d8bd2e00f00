/** Baseline: runs all agents under a client of the same SDK that counts their output and records nothing. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { client, methods, ndJsonStream } from '@agentclientprotocol/sdk/unstable'
import type { Sample } from '../runner/rounds.ts'
import { prepareAgents, type Streaming } from './streaming.ts'

export async function streamBare(given: Streaming): Promise<Sample> {
  const { dir, program } = given
  const streaming = await prepareAgents(given)
  let updates = 0
  const connected = await Promise.all(
    streaming.folders.map(async (folder) => {
      const child = spawn(process.execPath, [program], {
        stdio: ['pipe', 'pipe', 'inherit'],
        env: { ...process.env, SCRIPTED_ACP: folder },
      })
      const { agent } = client({ name: 'bare' })
        .onNotification(methods.client.session.update, () => {
          updates++
        })
        .connect(
          ndJsonStream(
            Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
            Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
          ),
        )
      await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} })
      const { sessionId } = await agent.request(methods.agent.session.new, {
        cwd: dir,
        mcpServers: [],
      })
      const answered = agent.request(methods.agent.session.prompt, {
        sessionId,
        prompt: [{ type: 'text', text: 'Write.' }],
      })
      return { child, answered }
    }),
  )
  await streaming.untilReady()
  const sample = await streaming.measure(() =>
    Promise.all(connected.map(({ answered }) => answered)),
  )
  if (updates === 0) throw new Error('not so: the agents have sent something')
  for (const { child } of connected) {
    const ended = once(child, 'exit')
    child.stdin.end()
    await ended
  }
  streaming.expectGone()
  return sample
}
