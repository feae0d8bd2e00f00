// The import thread. A separate thread, so that reading gigabytes never blocks the thread that records.
import { setTimeout as delay } from 'node:timers/promises'
import { type MessagePort, workerData } from 'node:worker_threads'
import { eventIterator, os, type } from '@orpc/server'
import { RPCHandler } from '@orpc/server/message-port'
import { messageOf } from '../../../shared/error-message.ts'
import type { ImportTool } from '../../../shared/records/exported-tasks.ts'
import { rpcPort } from '../../threads/rpc-port.ts'
import '../../threads/without-form-data.ts'
import type { FoundSession } from '../adapters/adapter.ts'
import { adapters } from '../adapters/adapters.ts'
import type { EarlierTranscripts } from './earlier-sessions.ts'
import type { StagedSession } from './staged-session.ts'

interface StageRequest {
  session: FoundSession
  /** An empty folder. */
  dir: string
  /** The version of the session; see session-ids.ts. */
  version: number
  earlier: EarlierTranscripts[]
  /** As ISO 8601. */
  importedAt: string
}
type StageEvent =
  | { kind: 'bytes'; bytes: number }
  | { kind: 'staged'; staged: StagedSession }
  /** An event rather than a rejection, because ORPC does not transfer error messages. */
  | { kind: 'failed'; reason: string }

const router = {
  discover: os
    .input(type<{ tool: ImportTool; path: string }>())
    .output(eventIterator(type<FoundSession[]>()))
    .handler(({ input: { tool, path }, signal }) =>
      inBatches(adapters[tool].discover(path, signal ?? AbortSignal.timeout(0))),
    ),
  /** In the order of the sessions. */
  firstPrompts: os
    .input(type<FoundSession[]>())
    .output(type<(string | null)[]>())
    .handler(({ input }) =>
      Promise.all(input.map((session) => adapters[session.tool].firstPrompt?.(session) ?? null)),
    ),
  stage: os
    .input(type<StageRequest>())
    .output(eventIterator(type<StageEvent>()))
    .handler(({ input, signal }) => stage(input, signal ?? AbortSignal.timeout(0))),
}
export type ImportWorkerRouter = typeof router

/** Sessions per message: sending one costs as much as finding it. */
const foundAtOnce = 100

async function* inBatches(found: AsyncIterable<FoundSession>): AsyncGenerator<FoundSession[]> {
  let batch: FoundSession[] = []
  for await (const session of found) {
    batch.push(session)
    if (batch.length < foundAtOnce) continue
    yield batch
    batch = []
  }
  yield batch
}

/** Interval of progress events: sending one costs as much as reading a hundred lines. */
const progressMs = 100

async function* stage(
  { session, dir, version, earlier, importedAt }: StageRequest,
  signal: AbortSignal,
): AsyncGenerator<StageEvent> {
  // Loaded with the first session, which an import without new sessions never has.
  const [{ stageSession }, { idsOf }] = await Promise.all([
    import('./stage-session.ts'),
    import('../session-ids.ts'),
  ])
  let bytes = 0
  const done = stageSession(adapters[session.tool], session, {
    dir,
    signal,
    version,
    earlier,
    importedAt,
    idOf: idsOf(session.tool, session.key, version),
    onBytes(read) {
      bytes += read
    },
  })
  const ending = new AbortController()
  const ended = done.finally(() => ending.abort())
  ended.catch(() => {})
  while (!ending.signal.aborted) {
    await delay(progressMs, undefined, { signal: ending.signal }).catch(() => {})
    if (bytes > 0) yield { kind: 'bytes', bytes }
    bytes = 0
  }
  let staged: StagedSession
  try {
    staged = await done
  } catch (error) {
    signal.throwIfAborted()
    yield { kind: 'failed', reason: messageOf(error) }
    return
  }
  yield { kind: 'staged', staged }
}

const { port } = workerData as { port: MessagePort }
new RPCHandler(router).upgrade(rpcPort(port))
port.start()
