/** Opens the data directory for one command and gives it back, also when the person interrupts. */
import type { ShiplogClient } from '../../../shared/contract/index.ts'
import type { OpenShiplogOptions, Shiplog } from '../../shiplog.ts'
import type { CliContext } from './context.ts'
import { exitCodes } from './exit-codes.ts'
import type { EndSignal } from './host.ts'
import { safeLine } from './terminal/safe-text.ts'
import { count } from './terminal/wording.ts'

export interface CliSession {
  shiplog: Shiplog
  client: ShiplogClient
  /** Aborted when a signal asks to end: everything is being closed, and calls may be refused. */
  ending: AbortSignal
  /** Aborted once all is closed: what was recorded can still be read, and nothing more will come. */
  closed: AbortSignal
}

/** Once all is closed, a command gets this long to print what was recorded last. */
const lastWordsMsMax = 2_000

const causes: Record<EndSignal, string> = {
  SIGINT: 'interrupted with Ctrl-C',
  SIGTERM: 'the process was asked to end (SIGTERM)',
  SIGHUP: 'the terminal was closed',
}

/**
 * Runs `use` and answers its exit code. The first signal says what it interrupts and closes cleanly,
 * with partial turns kept; the second leaves at once. `signalIsTheEnd`: for a server, being told to end
 * is how it ends, so that is no failure.
 */
export async function withShiplog(
  context: CliContext,
  options: { host: OpenShiplogOptions['host']; signalIsTheEnd?: boolean },
  use: (session: CliSession) => Promise<number>,
): Promise<number> {
  const dataDir = await context.host.resolveDataDir(context.dataDirFlag)
  const shiplog = await context.host.openShiplog({ dataDir, host: options.host })
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
    closing = closeFor(context, shiplog, signal)
  })

  const { client } = shiplog
  const tellNotices = createNoticeTeller(context, client)
  const begin = async () => {
    await tellNotices()
    return use({ shiplog, client, ending: ending.signal, closed: closed.signal })
  }
  const work = begin()
  try {
    const first = await Promise.race([work, asked.promise])
    if (first !== 'ending') {
      await tellNotices()
      return first
    }
    await closing
    // What it answers after the end, errors included, is no news: the signal is why it ended.
    const lastWords = work.catch(() => {})
    closed.abort()
    await within(lastWordsMsMax, lastWords)
    return options.signalIsTheEnd ? exitCodes.done : codeOf(endedBy ?? 'SIGINT')
  } finally {
    try {
      await (closing ?? shiplog.close())
    } finally {
      stopListening()
    }
  }
}

/** Tells what was found or healed at start, and later what went wrong since; each once. */
function createNoticeTeller(context: CliContext, client: ShiplogClient): () => Promise<void> {
  const told = new Set<string>()
  return async () => {
    const { notices } = await client.app.info()
    for (const { id, tone, text, details } of notices.filter((notice) => !told.has(notice.id))) {
      told.add(id)
      await (tone === 'info' ? context.say(safeLine(text)) : context.warn(text))
      for (const detail of details)
        await context.say(context.err.style('dim', `  ${safeLine(detail.split('\n', 1)[0] ?? '')}`))
    }
  }
}

async function closeFor(context: CliContext, shiplog: Shiplog, signal: EndSignal): Promise<void> {
  const running = shiplog.runningAgents()
  if (running.length > 0) {
    await context.say(`Interrupting ${count(running.length, 'agent')}… (again to leave at once)`)
    for (const { title } of running) await context.say(`  ${safeLine(title)}`)
  }
  await shiplog.close(causes[signal])
}

const codeOf = (signal: EndSignal): number =>
  signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated

async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([promise, late])
  clearTimeout(timer)
}
