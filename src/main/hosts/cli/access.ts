/** A command's access to the data directory, which its own process or another process holds. */

import type { AskedQuestion } from '../../../shared/agents/permissions.ts'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import { messageOf } from '../../../shared/error-message.ts'
import type { ClosedHow } from '../../../shared/records/causes.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import { counted } from '../../../shared/text/counted.ts'
import type { OpenShiplogOptions, Shiplog } from '../../composition/shiplog.ts'
import type { LeaseHolder } from '../../lease/lease-holder.ts'
import type { HolderConnection } from '../local/holder.ts'
import type { CliContext } from './context.ts'
import type { EndSignal } from './host.ts'
import { askPerson, canAskIn } from './terminal/person-prompts.ts'
import { safeLine } from './terminal/safe-text.ts'

export interface Access {
  client: ShiplogClient
  /** Whether calls that need a user's decision are allowed (K7). A holder refuses them. */
  mayDecide: boolean
  /** Whether the holding process has already reported the app's notices. */
  noticesAreReported: boolean
  /** Resolves with the reason once calls are no longer possible. */
  lost: Promise<Error>
  /** Resolves with the cause of a call's error. */
  explain(error: unknown): Promise<unknown>
  /** Makes a call that starts agents, which end with this command; `agentsOf` extracts their ids from its answer. */
  starting<Started>(
    start: () => Promise<Started>,
    agentsOf: (started: Started) => TaskId[],
  ): Promise<Started>
  /** Allows the repositories' configuration of these tasks' agents, once for each task, and prints it (K8). */
  trustConfiguration(trusts: (question: AskedQuestion) => boolean): void
  /** Resolves once no other command needs this process. */
  stayForOthers(): Promise<void>
  /** Interrupts this command's runs and prints them. */
  end(signal: EndSignal): Promise<void>
  /** Releases everything that was opened. Idempotent, also after `end`. */
  close(): Promise<void>
}

interface OwnAccess extends Access {
  shiplog: Shiplog
}

/** Time for connected commands to print the last records. */
const lastRecordsMsMax = 2_000

const closedHow: Record<EndSignal, ClosedHow> = {
  SIGINT: 'interrupt',
  SIGTERM: 'terminate',
  SIGHUP: 'hang-up',
}

/**
 * Opens the data directory in this process. `reachable`: other commands can call it, for a command that takes long.
 * Rejects with LeaseHeldError if another process has it.
 */
export async function holdDataDir(
  context: CliContext,
  options: Pick<OpenShiplogOptions, 'dataDir' | 'host' | 'sweepAtStart'> & { reachable?: boolean },
): Promise<OwnAccess> {
  const { dataDir, host, sweepAtStart } = options
  const asks = options.reachable === true && host === 'cli' && canAskIn(context)
  const trust = createTrust()
  const canAsk =
    host === 'cli'
      ? { canAsk: (asked?: AskedQuestion) => asks || (asked !== undefined && trust.has(asked)) }
      : {}
  const shiplog = await context.host.openShiplog({ dataDir, host, sweepAtStart, ...canAsk })
  const questionsController = new AbortController()
  let isAnswering = false
  const answerQuestions = () => {
    if (!isAnswering)
      void askPerson(context, shiplog.client, { trust, signal: questionsController.signal })
    isAnswering = true
  }
  if (asks) answerQuestions()
  const endpoint = options.reachable ? await endpointOf(context, shiplog) : null
  const unpublish = async () => {
    // A lost lease belongs to another process, or to none.
    await endpoint?.unpublish().catch(() => {})
  }
  return {
    shiplog,
    client: shiplog.client,
    mayDecide: true,
    noticesAreReported: false,
    lost: shiplog.displaced,
    explain: async (error) => error,
    starting: (start) => start(),
    trustConfiguration(trusts) {
      trust.add(trusts)
      answerQuestions()
    },
    async stayForOthers() {
      if (!endpoint?.isUsed()) return
      await context.say(
        'Done. Other commands are still running in this process; it ends with them, or with Ctrl-C.',
      )
      await endpoint.unused()
      // Clients that read the endpoint before are awaited as well; new ones can't find it.
      await unpublish()
      await endpoint.unused()
    },
    async end(signal) {
      const running = shiplog.runningAgents()
      if (running.length > 0) {
        await context.say(
          `Interrupting ${counted(running.length, 'agent')}… (again to leave at once)`,
        )
        for (const { title } of running) await context.say(`  ${safeLine(title)}`)
      }
      await unpublish()
      await shiplog.close(closedHow[signal])
    },
    async close() {
      questionsController.abort()
      await unpublish()
      try {
        await shiplog.close()
        if (endpoint) await within(lastRecordsMsMax, endpoint.unused())
      } finally {
        await endpoint?.close().catch(() => {})
      }
    },
  }
}

function createTrust() {
  let trusts = (_: AskedQuestion): boolean => false
  const used = new Set<TaskId>()
  return {
    has: (question: AskedQuestion) =>
      question.kind === 'configuration' && !used.has(question.taskId) && trusts(question),
    used: (taskId: TaskId) => void used.add(taskId),
    add(more: typeof trusts) {
      const before = trusts
      trusts = (question) => before(question) || more(question)
    },
  }
}

/** Opens the endpoint. A failure is not fatal: other commands then wait for this one. */
async function endpointOf(context: CliContext, shiplog: Shiplog) {
  try {
    return await context.host.openLocalEndpoint(shiplog)
  } catch (error) {
    const why = messageOf(error)
    await context.warn(`Other commands can't be answered until this one has ended: ${why}`)
    return null
  }
}

/** Connects to the process that holds the data directory and executes the calls. Rejects with HolderError. */
export async function callHolder(
  context: CliContext,
  holder: LeaseHolder,
  dataDir: string,
): Promise<Access> {
  const connection: HolderConnection = await context.host.connectToHolder(holder, dataDir)
  const { client, lost } = connection
  const starts: Promise<TaskId[]>[] = []
  let startedCount = 0

  async function stopStarted(): Promise<void> {
    const started = await Promise.all(starts)
    // All together, so that no parent continues after the end of a child.
    await Promise.all(started.flat().map((taskId) => client.tasks.stop({ taskId })))
  }

  return {
    client,
    // Agents can read the token in lease.json, so it does not grant decisions.
    mayDecide: false,
    noticesAreReported: true,
    lost,
    explain: async (error) => (connection.isOpen() ? error : lost),
    starting(start, agentsOf) {
      const started = start()
      // The caller reports the failure of `started`.
      const agents = started.then(agentsOf).catch(() => [])
      starts.push(agents)
      void agents.then((ids) => {
        startedCount += ids.length
      })
      return started
    },
    // The user decides in the process that has the data directory open.
    trustConfiguration() {},
    async stayForOthers() {},
    async end() {
      if (starts.length === 0) return
      const what = startedCount > 1 ? counted(startedCount, 'agent') : 'the agent'
      await context.say(`Interrupting ${what}… (again to leave at once)`)
      const stopped = stopStarted().catch((error) =>
        context.warn(`The agent keeps running: ${messageOf(error)}`),
      )
      await Promise.race([stopped, lost])
    },
    async close() {
      connection.close()
    },
  }
}

/** Resolves once the work is settled or the time has passed. Ignores a failure of the work. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([work.catch(() => {}), late])
  clearTimeout(timer)
}
