/** A command's access to the data directory, which its own process or another process holds. */

import type { AskedQuestion } from '../../../shared/agents/permissions.ts'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
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
  /** Whether calls that only a person may make are carried out (K7). A holder refuses them. */
  mayDecide: boolean
  /** Whether the holding process has already reported the app's notices. */
  noticesAreTold: boolean
  /** Resolves with the reason when no call is possible any more. */
  lost: Promise<Error>
  /** The cause of a call's error. */
  explain(error: unknown): Promise<unknown>
  /** Makes a call that starts agents, which end with this command; `agentsOf` extracts their ids from its answer. */
  starting<Started>(
    start: () => Promise<Started>,
    agentsOf: (started: Started) => TaskId[],
  ): Promise<Started>
  /** From now on allows what repositories configure for the agents of these tasks, once each; it is shown (K8). */
  trustConfiguration(trusts: (question: AskedQuestion) => boolean): void
  /** Resolves once no other command needs this process. */
  stayForOthers(): Promise<void>
  /** Interrupts this command's runs, and reports that. */
  end(signal: EndSignal): Promise<void>
  /** Gives back what was opened. May be called twice, and after `end`. */
  close(): Promise<void>
}

interface OwnAccess extends Access {
  shiplog: Shiplog
}

/** How long connected commands may print the last records. */
const lastWordsOfOthersMsMax = 2_000

const closedHow: Record<EndSignal, ClosedHow> = {
  SIGINT: 'interrupt',
  SIGTERM: 'terminate',
  SIGHUP: 'hang-up',
}

/**
 * This process holds the data directory. `reachable`: for longer than a moment, so others can call it.
 * Throws LeaseHeldError when another process has it.
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
  const asking = new AbortController()
  let isAnswering = false
  const answerQuestions = () => {
    if (!isAnswering) void askPerson(context, shiplog.client, { trust, signal: asking.signal })
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
    noticesAreTold: false,
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
      asking.abort()
      await unpublish()
      try {
        await shiplog.close()
        if (endpoint) await within(lastWordsOfOthersMsMax, endpoint.unused())
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
    const why = error instanceof Error ? error.message : String(error)
    await context.warn(`Other commands can't be answered until this one has ended: ${why}`)
    return null
  }
}

/** Another process holds the data directory and executes the calls. Throws HolderError. */
export async function callHolder(
  context: CliContext,
  holder: LeaseHolder,
  dataDir: string,
): Promise<Access> {
  const connection: HolderConnection = await context.host.connectToHolder(holder, dataDir)
  const { client, lost } = connection
  const starts: Promise<TaskId[]>[] = []
  let begun = 0

  async function stopStarted(): Promise<void> {
    const started = await Promise.all(starts)
    // All at once, so that no parent reacts to the end of a child and continues.
    await Promise.all(started.flat().map((taskId) => client.tasks.stop({ taskId })))
  }

  return {
    client,
    // Agents can read the token in lease.json, so it grants no decisions.
    mayDecide: false,
    noticesAreTold: true,
    lost,
    explain: async (error) => (connection.isOpen() ? error : lost),
    starting(start, agentsOf) {
      const started = start()
      // The caller reports the failure of `started`.
      const agents = started.then(agentsOf).catch(() => [])
      starts.push(agents)
      void agents.then((ids) => {
        begun += ids.length
      })
      return started
    },
    // The person decides in the process that has the data directory open.
    trustConfiguration() {},
    async stayForOthers() {},
    async end() {
      if (starts.length === 0) return
      const what = begun > 1 ? counted(begun, 'agent') : 'the agent'
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

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/** Resolves when the work is done or the time is over; the work's failure is not reported. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([work.catch(() => {}), late])
  clearTimeout(timer)
}
