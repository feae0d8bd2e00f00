/** The thread that reads other tools' logs, as calls. It is started for an import and ended with it. */
import { MessageChannel, Worker } from 'node:worker_threads'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { RouterClient } from '@orpc/server'
import type { ImportWorkerRouter } from './worker.ts'

export interface ImportThread {
  /** Given `ended` as a signal, each rejects when the thread ends. */
  readonly calls: RouterClient<ImportWorkerRouter>
  /** Aborted when the thread has ended, by itself as well: for want of memory for example. */
  readonly ended: AbortSignal
  end(): Promise<void>
}

/** In the sources it is beside this file, in the build beside what this file became a part of. */
const program = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './import-worker.js',
  import.meta.url,
)

/** Of the thread's heap: a session of gigabytes must not take the memory of the agents at work. */
const heapMb = 512

export function startImportThread(): ImportThread {
  const { port1, port2 } = new MessageChannel()
  const worker = new Worker(program, {
    workerData: { port: port2 },
    transferList: [port2],
    // Not this process's: a loader or an inspector must not run in there.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  })
  const ending = new AbortController()
  const ended = () => {
    ending.abort(new Error('The thread that reads the logs ended.'))
    port1.close()
  }
  worker.on('error', ended)
  worker.on('exit', ended)
  const calls = createORPCClient<RouterClient<ImportWorkerRouter>>(new RPCLink({ port: port1 }))
  port1.start()
  return {
    calls,
    ended: ending.signal,
    async end() {
      ended()
      await worker.terminate()
    },
  }
}
