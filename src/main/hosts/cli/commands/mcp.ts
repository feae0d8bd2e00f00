/** `shiplog mcp`: serves tasks and the record by the Model Context Protocol, over standard input and output. */
import type { Readable, Writable } from 'node:stream'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { TaskId } from '../../../../shared/records/ids.ts'
import { createRecordServer } from '../../mcp/record-server.ts'
import { bridgeAccess, runBridge } from '../../mcp/task-bridge.ts'
import { addTaskTools } from '../../mcp/task-tools.ts'
import type { CallServices } from '../../mcp/text-tools.ts'
import type { Action, ParsedOptions } from '../action.ts'
import type { CliContext } from '../context.ts'
import { exitCodes, usageError } from '../exit-codes.ts'
import { safeLine } from '../terminal/safe-text.ts'
import { type CliSession, withShiplog } from '../with-shiplog.ts'

interface McpOptions extends ParsedOptions {
  read?: boolean
  /** Only descendants of this task can be read. */
  task?: TaskId
}

/** Serves until the client closes standard input or a signal arrives. Both are a normal end. */
export function mcp(given: ParsedOptions): Action {
  const { task, read = false } = given as McpOptions
  return async (context) => {
    if (task !== undefined && !read) return bridgeOf(context)
    const { stdin, stdout, version, onEndSignal } = context.host
    const transport = new StdioServerTransport(stdin as Readable, stdout as unknown as Writable)
    const ended = Promise.withResolvers<void>()
    const stopListening = onEndSignal(() => ended.resolve())
    const shiplog = read ? openForEachCall(context) : openWhileUsed(context)
    const server = serveStdio(
      () => {
        const { callServices } = shiplog
        const tools = createRecordServer({ version, scope: task, callServices })
        const { cwd } = context.host
        if (shiplog.hold) addTaskTools(tools, { callServices, onStarted: shiplog.hold, cwd })
        return tools
      },
      {
        transport,
        onerror: (error) => void context.warn(safeLine(error.message)),
      },
    )
    stdin.once('end', ended.resolve)
    stdin.once('close', ended.resolve)
    await ended.promise
    stopListening()
    await server.close()
    await shiplog.close()
    return exitCodes.done
  }
}

/** Serves an agent that Shiplog runs: connects it to its task tools in the process that runs it. */
async function bridgeOf({ host }: CliContext): Promise<number> {
  const access = bridgeAccess(host.env)
  if (!access)
    throw usageError(
      'Without --read, --task is for agents that Shiplog runs: it starts this itself, with access to that task. Add --read to limit what can be read.',
    )
  const { stdin, stdout } = host
  await runBridge(access, {
    input: stdin as Readable,
    output: stdout as unknown as Writable,
  })
  return exitCodes.done
}

/** Opens the data directory for the tools. */
interface OpenedOnDemand {
  callServices: CallServices
  /** Keeps the data directory open until the task has ended; null if no task can be started. */
  hold: ((taskId: TaskId) => void) | null
  close(): Promise<void>
}

/**
 * Opens and releases the data directory for each call, so that a client that stays connected does not block the app.
 * Calls are serialized.
 */
function openForEachCall(context: CliContext): OpenedOnDemand {
  let before: Promise<unknown> = Promise.resolve()
  const callServices: CallServices = (use) => {
    const call = before.then(async () => {
      const answers: Awaited<ReturnType<typeof use>>[] = []
      await withShiplog(context, { host: 'cli' }, async ({ client, ending }) => {
        answers.push(await use(client, ending))
        return exitCodes.done
      })
      const [answer] = answers
      if (answer === undefined) throw new Error('Shiplog is being closed.')
      return answer
    })
    before = call.catch(() => {})
    return call
  }
  return { callServices, hold: null, close: async () => {} }
}

interface Opened {
  session: CliSession
  users: number
  /** Releases the data directory. */
  release(): void
}

/**
 * Opens the data directory with the first call, and releases it once no call is pending and no started agent works. Calls
 * are concurrent. At the end of this process its agents are interrupted and can be resumed; those in another process
 * continue.
 */
function openWhileUsed(context: CliContext): OpenedOnDemand {
  let current: Promise<Opened> | null = null
  let closed: Promise<unknown> = Promise.resolve()

  function open(): Promise<Opened> {
    const opened = Promise.withResolvers<Opened>()
    closed = closed.then(() =>
      withShiplog(context, { host: 'cli', reachable: true }, async (session) => {
        const released = Promise.withResolvers<void>()
        opened.resolve({ session, users: 0, release: released.resolve })
        session.ending.addEventListener('abort', () => released.resolve(), { once: true })
        await released.promise
        return exitCodes.done
      }).catch(opened.reject),
    )
    return opened.promise
  }

  async function using<Answer>(work: (session: CliSession) => Promise<Answer>): Promise<Answer> {
    const opening = current ?? open()
    current = opening
    // After a failure, the next call opens it again.
    const opened = await opening.catch((error) => {
      if (current === opening) current = null
      throw error
    })
    opened.users += 1
    try {
      return await work(opened.session)
    } finally {
      opened.users -= 1
      if (opened.users === 0 && current === opening) {
        current = null
        opened.release()
      }
    }
  }

  return {
    callServices: (use) => using(({ client, ending }) => use(client, ending)),
    hold(taskId) {
      void using(({ client }) => client.tasks.resumeEnded({ taskIds: [taskId] })).catch(() => {})
    },
    async close() {
      await current?.then(({ release }) => release()).catch(() => {})
      await closed
    },
  }
}
