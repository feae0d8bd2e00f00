// The thread that reads other tools' logs, so that gigabytes of them never hold up the thread that records.
import { type MessagePort, workerData } from 'node:worker_threads'
import { eventIterator, os, type } from '@orpc/server'
import { RPCHandler } from '@orpc/server/message-port'
import type { SessionTool } from '../../../shared/records/exported-tasks.ts'
import type { FoundSession } from '../adapters/adapter.ts'
import { adapters } from '../adapters/adapters.ts'
import { idsOf } from '../session-ids.ts'
import { stageSession } from './stage-session.ts'
import type { StagedSession } from './staged-session.ts'

interface StageRequest {
  session: FoundSession
  /** An empty folder. */
  dir: string
  /** Which of the ids that can be derived for it: see session-ids.ts. */
  nth: number
}
type StageEvent = { kind: 'bytes'; bytes: number } | { kind: 'staged'; staged: StagedSession }

const router = {
  discover: os
    .input(type<{ tool: SessionTool; path: string }>())
    .output(eventIterator(type<FoundSession>()))
    .handler(({ input: { tool, path }, signal }) =>
      adapters[tool].discover(path, signal ?? AbortSignal.timeout(0)),
    ),
  stage: os
    .input(type<StageRequest>())
    .output(eventIterator(type<StageEvent>()))
    .handler(({ input, signal }) => stage(input, signal ?? AbortSignal.timeout(0))),
}
export type ImportWorkerRouter = typeof router

/** Reports of progress wait in no queue: the next one has their bytes. */
async function* stage(
  { session, dir, nth }: StageRequest,
  signal: AbortSignal,
): AsyncGenerator<StageEvent> {
  let bytes = 0
  let news = Promise.withResolvers<void>()
  const done = stageSession(adapters[session.tool], session, {
    ...{ dir, signal, idOf: idsOf(session.tool, session.key, nth) },
    onBytes(read) {
      bytes += read
      news.resolve()
    },
  })
  done.then(
    () => news.resolve(),
    () => news.resolve(),
  )
  let isDone = false
  const ended = done.finally(() => {
    isDone = true
  })
  ended.catch(() => {})
  while (!isDone) {
    await Promise.race([news.promise, ended])
    news = Promise.withResolvers()
    if (bytes > 0) yield { kind: 'bytes', bytes }
    bytes = 0
  }
  yield { kind: 'staged', staged: await done }
}

const { port } = workerData as { port: MessagePort }
new RPCHandler(router).upgrade(port)
port.start()
