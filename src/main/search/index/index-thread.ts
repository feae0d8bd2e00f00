/** A client of the thread that owns the search index. */
import { MessageChannel, Worker } from 'node:worker_threads'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { RouterClient } from '@orpc/server'
import { rpcPort } from '../../threads/rpc-port.ts'
import { newRecordingSignal, noteRecorded, waitForIndex } from './recording-signal.ts'
import type { SearchWorkerRouter } from './worker.ts'

export interface IndexThread {
  /** Pending calls reject when the thread ends. */
  readonly calls: RouterClient<SearchWorkerRouter>
  /** Resolves with the reason when the thread ends unexpectedly. */
  readonly failed: Promise<Error>
  /** Signals that an entry is being recorded, which slows indexing down. */
  noteRecorded(): void
  /** Runs indexing at full speed for a waiting caller until the returned function is called. */
  hurry(): () => void
  /** Closes the index, then ends the thread. */
  close(): Promise<void>
  /** Terminates the thread immediately, without closing the index. */
  end(): Promise<void>
}

/** In the sources the worker is next to this file, in the build next to the bundle that contains this file. */
const program = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './search-worker.js',
  import.meta.url,
)

/** Starts the thread for the index in `file`. It keeps the process running until it is closed. */
export function startIndexThread(file: string): IndexThread {
  const { port1, port2 } = new MessageChannel()
  const recording = newRecordingSignal()
  const worker = new Worker(program, {
    workerData: { file, port: port2, recording },
    transferList: [port2],
    // Not inherited: the worker must not run this process's loaders or inspector.
    execArgv: [],
  })
  const failed = Promise.withResolvers<Error>()
  worker.on('error', failed.resolve)
  worker.on('exit', () => failed.resolve(new Error('The thread of the search index ended.')))
  const calls = createORPCClient<RouterClient<SearchWorkerRouter>>(
    new RPCLink({ port: rpcPort(port1) }),
  )
  port1.start()
  const end = async () => {
    port1.close()
    await worker.terminate()
  }
  return {
    calls,
    failed: failed.promise,
    noteRecorded: () => noteRecorded(recording),
    hurry: () => waitForIndex(recording),
    async close() {
      await calls.close().catch(() => {})
      await end()
    },
    end,
  }
}
