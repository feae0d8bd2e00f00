/** The thread that owns the search index, as calls. */
import { MessageChannel, Worker } from 'node:worker_threads'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { RouterClient } from '@orpc/server'
import { newRecordingSignal, noteRecorded, waitForIndex } from './recording-signal.ts'
import type { SearchWorkerRouter } from './worker.ts'

export interface IndexThread {
  /** Each rejects when the thread ends. */
  readonly calls: RouterClient<SearchWorkerRouter>
  /** Resolves with the reason when it ended by itself. */
  readonly failed: Promise<Error>
  /** Something is being recorded: indexing pauses. */
  noteRecorded(): void
  /** Somebody waits for the index: it does not give way until the returned function is called. */
  hurry(): () => void
  /** Closes the index first. */
  close(): Promise<void>
  /** Ends at once, in the middle of its work. */
  end(): Promise<void>
}

/** In the sources it is beside this file, in the build beside what this file became a part of. */
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
    // Not this process's: a loader or an inspector must not run in there.
    execArgv: [],
  })
  const failed = Promise.withResolvers<Error>()
  worker.on('error', failed.resolve)
  worker.on('exit', () => failed.resolve(new Error('The thread of the search index ended.')))
  const calls = createORPCClient<RouterClient<SearchWorkerRouter>>(new RPCLink({ port: port1 }))
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
