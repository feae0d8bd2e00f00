/** A client of the thread that reads other tools' logs. The thread lives as long as an import. */
import { MessageChannel, Worker } from 'node:worker_threads'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { RouterClient } from '@orpc/server'
import { rpcPort } from '../../threads/rpc-port.ts'
import type { ImportWorkerRouter } from './worker.ts'

export interface ImportThread {
  /** Calls reject at the thread's end only if `ended` is passed as their signal. */
  readonly calls: RouterClient<ImportWorkerRouter>
  /** Aborted when the thread has ended, including by a crash such as out of memory. */
  readonly ended: AbortSignal
  end(): Promise<void>
}

/** In the sources the worker is next to this file, in the build next to the bundle that contains this file. */
const program = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './import-worker.js',
  import.meta.url,
)

/** Limit for the thread's heap: a session of gigabytes must not take the memory of the running agents. */
const heapMb = 512
/** Objects are short-lived, so a larger young generation only grows the process, by 130 MB with the default. */
const newObjectsMb = 16

export function startImportThread(): ImportThread {
  const { port1, port2 } = new MessageChannel()
  const worker = new Worker(program, {
    workerData: { port: port2 },
    transferList: [port2],
    // Not inherited: the worker must not run this process's loaders or inspector.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: newObjectsMb },
  })
  const ending = new AbortController()
  const ended = () => {
    ending.abort(new Error('The thread that reads the logs ended.'))
    port1.close()
  }
  worker.on('error', ended)
  worker.on('exit', ended)
  const calls = createORPCClient<RouterClient<ImportWorkerRouter>>(
    new RPCLink({ port: rpcPort(port1) }),
  )
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

/** Combines a signal with the thread's end, because a call to an ended thread is never answered. */
export const orThreadEnd = (thread: ImportThread, signal: AbortSignal): AbortSignal =>
  AbortSignal.any([signal, thread.ended])

/** Threads of one import. */
export interface ImportThreads {
  /** Returns the least busy thread, which counts as busy until `release`. */
  take(): { thread: ImportThread; release(): void }
  end(): Promise<void>
}

/**
 * A pool of at most `max` threads, started on demand: an import without new sessions needs only one. A session that
 * exhausts the memory ends only its thread, which is replaced.
 */
export function createThreads(start: () => ImportThread, max: number): ImportThreads {
  const threads: { thread: ImportThread; sessions: number }[] = []

  function leastBusy() {
    const running = threads.filter(({ thread }) => !thread.ended.aborted)
    const [first] = running.sort((a, b) => a.sessions - b.sessions)
    if (first && (first.sessions === 0 || running.length >= max)) return first
    const added = { thread: start(), sessions: 0 }
    threads.push(added)
    return added
  }

  return {
    take() {
      const taken = leastBusy()
      taken.sessions++
      return { thread: taken.thread, release: () => void taken.sessions-- }
    },
    async end() {
      await Promise.all(threads.map(({ thread }) => thread.end()))
    },
  }
}
