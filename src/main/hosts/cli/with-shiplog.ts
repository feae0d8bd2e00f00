/**
 * Opens the data directory for one command and releases it, also on interruption. If another process on this machine
 * holds it, that process executes the command's calls.
 */
import type { Notice } from '../../../shared/contract/app.ts'
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import type { OpenShiplogOptions, Shiplog } from '../../composition/shiplog.ts'
import type { LeaseHolder } from '../../lease/lease-holder.ts'
import { holderIn, retryUntilFree } from '../local/retry-until-free.ts'
import { type Access, callHolder, holdDataDir, within } from './access.ts'
import type { CliContext } from './context.ts'
import { exitCodes } from './exit-codes.ts'
import type { EndSignal } from './host.ts'
import { safeLine } from './terminal/safe-text.ts'

export interface CliSession {
  client: ShiplogClient
  /** Whether calls that only a person may make are carried out (K7). */
  mayDecide: boolean
  /** Aborted when a signal ends the command: everything is being closed, and calls may be refused. */
  ending: AbortSignal
  /** Aborted once all is closed: the record is still readable, and no more events will come. */
  closed: AbortSignal
  /** Makes a call that starts agents. When the user interrupts, they are stopped in whichever process they run. */
  starting: Access['starting']
  trustConfiguration: Access['trustConfiguration']
}

/**
 * For a command that runs agents: it serves other clients in the meantime, and expired transcripts are cleaned up as
 * in the app.
 */
export const runsAgents = { host: 'cli', reachable: true, sweepAtStart: true } as const

/** Once all is closed, a command gets this long to print what was recorded last. */
const lastWordsMsMax = 2_000

/**
 * Runs `use` and returns its exit code. The first signal reports what it interrupts and closes cleanly, with partial
 * turns kept; the second exits at once. `reachable`: for a long command, which serves other clients while it holds
 * the data directory.
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
      (holder) => callHolder(context, holder, dataDir),
    )
  const access = await retryUntilFree(reach, mayPass)
  return runWith(context, access, {}, use)
}

/**
 * For a server, which has to hold the data directory itself; a signal is its normal end, and no failure. `whenHeld`
 * returns the exit code when another process holds the directory.
 */
export async function withOwnShiplog(
  context: CliContext,
  options: {
    host: OpenShiplogOptions['host']
    whenHeld: (holder: LeaseHolder, dataDir: string) => Promise<number>
  },
  use: (session: CliSession & { shiplog: Shiplog }) => Promise<number>,
): Promise<number> {
  const { host, whenHeld } = options
  const dataDir = await context.host.resolveDataDir(context.dataDirFlag)
  const hold = () =>
    unlessHeld(
      () => holdDataDir(context, { host, dataDir }),
      (holder) => whenHeld(holder, dataDir),
    )
  const access = await retryUntilFree(hold, mayPass)
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

  const { client, mayDecide, starting, trustConfiguration } = access
  const tellNotices = createNoticeTeller(context, access)
  const begin = async () => {
    await tellNotices()
    return use({
      ...{ client, mayDecide, starting, trustConfiguration },
      ...{ ending: ending.signal, closed: closed.signal },
    })
  }
  const work = begin()
  // Errors for which no caller waits, on a full disk for example, are reported while it runs.
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
    // Its results after the end, errors included, are ignored: the signal is the cause of the end.
    closed.abort()
    await within(lastWordsMsMax, work)
    return options.signalIsTheEnd ? exitCodes.done : codeOf(endedBy ?? 'SIGINT')
  } catch (error) {
    // A refused call may have had effects that only a notice reports, such as a project's move.
    await Promise.race([tellNotices(), lost]).catch(() => {})
    throw await access.explain(error)
  } finally {
    clearInterval(telling)
    work.catch(() => {}) // reported above, or irrelevant
    try {
      await closing
    } finally {
      await access.close()
      stopListening()
    }
  }
}

/** The result of `open`, or of `otherwise` when another process holds the data directory. */
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
      // The lease's own error names the file to delete when that machine is permanently gone.
      throw kindOf(failure) === 'holder-elsewhere' ? error : failure
    })
  }
}

/** Whether the holder is starting or ending, or has been replaced, so that reading the lease again may succeed. */
function mayPass(error: unknown): boolean {
  return kindOf(error) === 'holder-not-listening' || kindOf(error) === 'holder-refused'
}

const kindOf = (error: unknown): unknown =>
  error instanceof Error && 'kind' in error ? error.kind : undefined

/** Interval between checks for new notices. */
const noticeIntervalMs = 2_000

/** Reports problems found or repaired at start, and later ones; each once. */
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
