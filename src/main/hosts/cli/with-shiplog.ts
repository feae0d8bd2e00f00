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
  /** Whether calls that need a user's decision are allowed (K7). */
  mayDecide: boolean
  /** Aborted when a signal ends the command. Calls may be refused from then on. */
  ending: AbortSignal
  /** Aborted once everything is closed. The record is still readable, and no more events follow. */
  closed: AbortSignal
  /** Makes a call that starts agents. An interrupt stops them, in whichever process they run. */
  starting: Access['starting']
  trustConfiguration: Access['trustConfiguration']
}

/** Options of a command that runs agents: other clients can call it, and expired transcripts are removed as in the app. */
export const runsAgents = { host: 'cli', reachable: true, sweepAtStart: true } as const

/** Time for a command to print the last records once everything is closed. */
const lastRecordsMsMax = 2_000

/**
 * Runs `use` and resolves with its exit code. The first signal prints what it interrupts and closes cleanly, keeping
 * partial turns; the second exits at once. `reachable`: other clients can call a command that takes long.
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
  const access = await retryUntilFree(reach, isTransient)
  return runWith(context, access, {}, use)
}

/**
 * For a server, which must hold the data directory itself, and whose normal end is a signal. `whenHeld` resolves with the
 * exit code if another process holds the directory.
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
  const access = await retryUntilFree(hold, isTransient)
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
  const signalled = Promise.withResolvers<'ending'>()
  const ending = new AbortController()
  const closed = new AbortController()
  let endedBy: EndSignal | undefined
  let closing: Promise<void> | undefined

  const stopListening = context.host.onEndSignal((signal) => {
    if (endedBy) return context.host.exitNow(codeOf(signal))
    endedBy = signal
    ending.abort()
    signalled.resolve('ending')
    closing = access.end(signal)
  })

  const { client, mayDecide, starting, trustConfiguration } = access
  const reportNotices = createNoticeReporter(context, access)
  const run = async () => {
    await reportNotices()
    return use({
      client,
      mayDecide,
      starting,
      trustConfiguration,
      ending: ending.signal,
      closed: closed.signal,
    })
  }
  const work = run()
  // Notices report errors for which no caller waits, on a full disk for example.
  const noticeTimer = setInterval(
    () => void reportNotices().catch(() => {}),
    noticeIntervalMs,
  ).unref()
  const lost = access.lost.then((error) => Promise.reject(error))
  lost.catch(() => {}) // not reported once the work is done
  try {
    const first = await Promise.race([work, signalled.promise, lost])
    if (first !== 'ending') {
      await reportNotices().catch(() => {}) // a holder that has ended since
      await Promise.race([access.stayForOthers(), signalled.promise])
      return first
    }
    await closing
    // Later results and errors are ignored, because the signal is the cause of the end.
    closed.abort()
    await within(lastRecordsMsMax, work)
    return options.signalIsTheEnd ? exitCodes.done : codeOf(endedBy ?? 'SIGINT')
  } catch (error) {
    // A refused call may have had effects that only a notice reports, such as a project's move.
    await Promise.race([reportNotices(), lost]).catch(() => {})
    throw await access.explain(error)
  } finally {
    clearInterval(noticeTimer)
    work.catch(() => {}) // reported above, or irrelevant
    try {
      await closing
    } finally {
      await access.close()
      // A server waits for it, and keeps the process alive as long as it listens.
      closed.abort()
      await within(lastRecordsMsMax, work)
      stopListening()
    }
  }
}

/** Resolves with the result of `open`, or of `otherwise` if another process holds the data directory. */
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

/** Reports whether the holder is starting, ending or replaced, so that another attempt may succeed. */
function isTransient(error: unknown): boolean {
  return kindOf(error) === 'holder-not-listening' || kindOf(error) === 'holder-refused'
}

const kindOf = (error: unknown): unknown =>
  error instanceof Error && 'kind' in error ? error.kind : undefined

/** Interval between checks for new notices. */
const noticeIntervalMs = 2_000

/** Returns a function that prints new notices: problems found or repaired at start, and later ones. */
function createNoticeReporter(
  context: CliContext,
  { client, noticesAreReported }: Access,
): () => Promise<void> {
  const reportedIds = new Set<string>()
  let isQuiet = noticesAreReported
  return async () => {
    const { notices } = await client.app.info()
    const newNotices = notices.filter((notice) => !reportedIds.has(notice.id))
    for (const { id } of newNotices) reportedIds.add(id)
    if (!isQuiet) for (const notice of newNotices) await printNotice(context, notice)
    isQuiet = false
  }
}

async function printNotice(context: CliContext, { tone, text, details }: Notice): Promise<void> {
  await (tone === 'info' ? context.say(safeLine(text)) : context.warn(text))
  for (const detail of details)
    await context.say(context.err.style('dim', `  ${safeLine(detail.split('\n', 1)[0] ?? '')}`))
}

const codeOf = (signal: EndSignal): number =>
  signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated
