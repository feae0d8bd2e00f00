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

/** Limit for the thread's heap: a session of gigabytes must not take the memory of the running agents. */
const heapMb = 512
/** What was just read soon is garbage: a larger space for new objects only grows the process, by 130 MB with the default. */
const newObjectsMb = 16

export function startImportThread(): ImportThread {
  const { port1, port2 } = new MessageChannel()
  const worker = new Worker(program, {
    workerData: { port: port2 },
    transferList: [port2],
    // Not this process's: a loader or an inspector must not run in there.
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

/** Also of a thread that has ended, or ends meanwhile: a call to it is never answered. */
export const endOf = (thread: ImportThread, signal: AbortSignal): AbortSignal =>
  AbortSignal.any([signal, thread.ended])

/** Threads of one import. */
export interface ImportThreads {
  /** The thread that has least to do; it counts as busy until `release`. */
  take(): { thread: ImportThread; release(): void }
  end(): Promise<void>
}

/**
 * At most `max` threads, each started when all others are busy: an import that finds nothing new needs one. A session that
 * takes too much memory ends its thread, and no session that comes later: another thread takes its place.
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
