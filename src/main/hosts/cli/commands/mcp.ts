/** `shiplog mcp`: tasks and the record for a client of the Model Context Protocol, over standard input and output. */
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
  /** Only what is below this task can be read. */
  task?: TaskId
}

/** Serves until the client closes standard input, or a signal ends it: both are a normal end. */
export function mcp(given: ParsedOptions): Action {
  const { task, read = false } = given as McpOptions
  return async (context) => {
    if (task !== undefined && !read) return bridgeOf(context)
    const { stdin, stdout, version, onEndSignal } = context.host
    const transport = new StdioServerTransport(stdin as Readable, stdout as unknown as Writable)
    const ended = Promise.withResolvers<void>()
    const stopListening = onEndSignal(() => ended.resolve())
    const shiplog = read ? oneByOne(context) : whileUsed(context)
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

/** Serves an agent that Shiplog runs: its own task tools, from the process that runs it. */
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

/** How the tools reach the services. */
interface OpenedOnDemand {
  callServices: CallServices
  /** Keeps the data directory open until the task is over. Null: no task can be started. */
  hold: ((taskId: TaskId) => void) | null
  close(): Promise<void>
}

/**
 * Opens the data directory for each call and releases it, so that a client that stays connected all day does not
 * keep the app from opening it. Calls wait for each other.
 */
function oneByOne(context: CliContext): OpenedOnDemand {
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
 * Opens the data directory with the first call, and gives it back when there is no call and none of the started agents
 * is at work. Calls are made side by side. What still runs in this process at its end is interrupted, and can be
 * resumed; if another process holds the data directory, its agents continue.
 */
function whileUsed(context: CliContext): OpenedOnDemand {
  let current: Promise<Opened> | null = null
  let closed: Promise<unknown> = Promise.resolve()

  function open(): Promise<Opened> {
    const opened = Promise.withResolvers<Opened>()
    closed = closed.then(() =>
      withShiplog(context, { host: 'cli', reachable: true }, async (session) => {
        const over = Promise.withResolvers<void>()
        opened.resolve({ session, users: 0, release: over.resolve })
        session.ending.addEventListener('abort', () => over.resolve(), { once: true })
        await over.promise
        return exitCodes.done
      }).catch(opened.reject),
    )
    return opened.promise
  }

  async function using<Answer>(work: (session: CliSession) => Promise<Answer>): Promise<Answer> {
    const opening = current ?? open()
    current = opening
    // The next call tries again.
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
