import { MessageChannel, Worker } from 'node:worker_threads'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { RouterClient } from '@orpc/server'
import { expect, onTestFinished, test } from 'vitest'
import { rpcPort } from '../../src/main/threads/rpc-port.ts'
import type { AnsweringRouter } from './answering-thread.ts'

function startThread() {
  const { port1, port2 } = new MessageChannel()
  const worker = new Worker(new URL('./answering-thread.ts', import.meta.url), {
    workerData: { port: port2 },
    transferList: [port2],
    execArgv: [],
  })
  onTestFinished(async () => {
    port1.close()
    await worker.terminate()
  })
  const calls = createORPCClient<RouterClient<AnsweringRouter>>(
    new RPCLink({ port: rpcPort(port1) }),
  )
  port1.start()
  return { calls, port: port1 }
}

test('A thread that answers calls does not load Node’s HTTP client', async () => {
  const { calls } = startThread()
  await calls.loaded()
  const loaded = await calls.loaded()
  expect(loaded.length).toBeGreaterThan(50)
  expect(loaded.filter((name) => name.includes('undici'))).toEqual([])
})

test('A call whose port closes is rejected', async () => {
  const { calls, port } = startThread()
  const call = calls.loaded()
  port.close()
  await expect(call).rejects.toThrow()
})
