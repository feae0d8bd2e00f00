/**
 * Opens the data directory for one command and gives it back, also when the person interrupts. While
 * another process of this machine holds it, the command is carried out there.
 */
import type { Notice } from '../../../shared/contract/app.ts'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import type { LeaseHolder } from '../../lease/lease.ts'
import type { OpenShiplogOptions, Shiplog } from '../../shiplog.ts'
import { holderIn, patiently } from '../local/patience.ts'
import { type Access, callHolder, holdDataDir, within } from './access.ts'
import type { CliContext } from './context.ts'
import { exitCodes } from './exit-codes.ts'
import type { EndSignal } from './host.ts'
import { safeLine } from './terminal/safe-text.ts'

export interface CliSession {
  client: ShiplogClient
  /** Whether calls that only a person may make are carried out (K7). */
  mayDecide: boolean
  /** Aborted when a signal asks to end: everything is being closed, and calls may be refused. */
  ending: AbortSignal
  /** Aborted once all is closed: what was recorded can still be read, and nothing more will come. */
  closed: AbortSignal
  /** Calls what starts agents. When the person interrupts, they are stopped wherever they run. */
  starting: Access['starting']
}

/** For a command that runs agents: others are answered meanwhile, and what has expired is cleaned up as in the app. */
export const runsAgents = { host: 'cli', reachable: true, sweepAtStart: true } as const

/** Once all is closed, a command gets this long to print what was recorded last. */
const lastWordsMsMax = 2_000

/**
 * Runs `use` and answers its exit code. The first signal says what it interrupts and closes cleanly,
 * with partial turns kept; the second leaves at once. `reachable`: for a command that takes long, so that
 * others are answered while it holds the data directory.
 */
export async function withShiplog(
  context: CliContext,
  options: { host: OpenShiplogOptions['host']; reachable?: boolean; sweepAtStart?: boolean },
  use: (session: CliSession) => Promise<number>,
): Promise<number> {
  const dataDir = await context.host.resolveDataDir(context.dataDirFlag)
  const reach = () =>
    unlessHeld<Access>(
      () => holdDataDir(context, { ...options, dataDir }),
      (holder) => callHolder(context, holder),
    )
  const access = await patiently(reach, mayPass)
  return runWith(context, access, {}, use)
}

/**
 * For a server, which has to hold the data directory itself; being told to end is how it ends, so that
 * is no failure. `whenHeld` answers the exit code when another process has it.
 */
export async function withOwnShiplog(
  context: CliContext,
  options: {
    host: OpenShiplogOptions['host']
    whenHeld: (holder: LeaseHolder) => Promise<number>
  },
  use: (session: CliSession & { shiplog: Shiplog }) => Promise<number>,
): Promise<number> {
  const { host, whenHeld } = options
  const dataDir = await context.host.resolveDataDir(context.dataDirFlag)
  const hold = () => unlessHeld(() => holdDataDir(context, { host, dataDir }), whenHeld)
  const access = await patiently(hold, mayPass)
  if (typeof access === 'number') return access
  const { shiplog } = access
  return runWith(context, access, { signalIsTheEnd: true }, (session) =>
    use({ ...session, shiplog }),
  )
}

async function runWith(
  context: CliContext,
  access: Access,
  options: { signalIsTheEnd?: boolean },
  use: (session: CliSession) => Promise<number>,
): Promise<number> {
  const asked = Promise.withResolvers<'ending'>()
  const ending = new AbortController()
  const closed = new AbortController()
  let endedBy: EndSignal | undefined
  let closing: Promise<void> | undefined

  const stopListening = context.host.onEndSignal((signal) => {
    if (endedBy) return context.host.exitNow(codeOf(signal))
    endedBy = signal
    ending.abort()
    asked.resolve('ending')
    closing = access.end(signal)
  })

  const { client, mayDecide, starting } = access
  const tellNotices = createNoticeTeller(context, access)
  const begin = async () => {
    await tellNotices()
    return use({ client, mayDecide, starting, ending: ending.signal, closed: closed.signal })
  }
  const work = begin()
  // What goes wrong where nobody waits for an answer, on a full disk for example, is told while it lasts.
  const telling = setInterval(() => void tellNotices().catch(() => {}), noticeIntervalMs).unref()
  const lost = access.lost.then((error) => Promise.reject(error))
  lost.catch(() => {}) // once the work is done it is no news
  try {
    const first = await Promise.race([work, asked.promise, lost])
    if (first !== 'ending') {
      await tellNotices().catch(() => {}) // a holder that has ended since
      await Promise.race([access.stayForOthers(), asked.promise])
      return first
    }
    await closing
    // What it answers after the end, errors included, is no news: the signal is why it ended.
    closed.abort()
    await within(lastWordsMsMax, work)
    return options.signalIsTheEnd ? exitCodes.done : codeOf(endedBy ?? 'SIGINT')
  } catch (error) {
    // What was refused may have had effects that only a notice reports, such as a project's move.
    await Promise.race([tellNotices(), lost]).catch(() => {})
    throw await access.explain(error)
  } finally {
    clearInterval(telling)
    work.catch(() => {}) // told above, or beside the point
    try {
      await closing
    } finally {
      await access.close()
      stopListening()
    }
  }
}

/** What `open` gives, or what `otherwise` gives when another process holds the data directory. */
async function unlessHeld<Opened, Other = Opened>(
  open: () => Promise<Opened>,
  otherwise: (holder: LeaseHolder) => Promise<Other>,
): Promise<Opened | Other> {
  try {
    return await open()
  } catch (error) {
    const holder = holderIn(error)
    if (!holder) throw error
    return otherwise(holder).catch((failure) => {
      // Which file to delete when that machine is gone for good: the lease's own error says it.
      throw kindOf(failure) === 'holder-elsewhere' ? error : failure
    })
  }
}

/** It starts or ends right now, or is the next one already: the lease is read once more. */
function mayPass(error: unknown): boolean {
  return kindOf(error) === 'holder-not-listening' || kindOf(error) === 'holder-refused'
}

const kindOf = (error: unknown): unknown =>
  error instanceof Error && 'kind' in error ? error.kind : undefined

/** Soon enough for somebody who waits, and nothing to a process. */
const noticeIntervalMs = 2_000

/** Tells what was found or healed at start, and later what went wrong since; each once. */
function createNoticeTeller(
  context: CliContext,
  { client, noticesAreTold }: Access,
): () => Promise<void> {
  const told = new Set<string>()
  let isQuiet = noticesAreTold
  return async () => {
    const { notices } = await client.app.info()
    const fresh = notices.filter((notice) => !told.has(notice.id))
    for (const { id } of fresh) told.add(id)
    if (!isQuiet) for (const notice of fresh) await tell(context, notice)
    isQuiet = false
  }
}

async function tell(context: CliContext, { tone, text, details }: Notice): Promise<void> {
  await (tone === 'info' ? context.say(safeLine(text)) : context.warn(text))
  for (const detail of details)
    await context.say(context.err.style('dim', `  ${safeLine(detail.split('\n', 1)[0] ?? '')}`))
}

const codeOf = (signal: EndSignal): number =>
  signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated
