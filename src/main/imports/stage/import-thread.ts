/** The thread that reads other tools' logs, as calls. It is started for an import and ended with it. */
import { MessageChannel, Worker } from 'node:worker_threads'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { RouterClient } from '@orpc/server'
import type { ImportWorkerRouter } from './worker.ts'

export interface ImportThread {
  /** Each rejects when the thread ends. */
  readonly calls: RouterClient<ImportWorkerRouter>
  /** It ended by itself, for want of memory for example. */
  hasEnded(): boolean
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
  let isEnded = false
  const ended = () => {
    isEnded = true
    port1.close()
  }
  // Calls that wait for an answer reject when the port closes.
  worker.on('error', ended)
  worker.on('exit', ended)
  const calls = createORPCClient<RouterClient<ImportWorkerRouter>>(new RPCLink({ port: port1 }))
  port1.start()
  return {
    calls,
    hasEnded: () => isEnded,
    async end() {
      port1.close()
      await worker.terminate()
    },
  }
}
