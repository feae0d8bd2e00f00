/** `shiplog serve`: the web host, until somebody ends it. */
import path from 'node:path'
import type { LeaseHolder } from '../../../journal/index.ts'
import type { Shiplog } from '../../../shiplog.ts'
import { nameOf } from '../../local/holder.ts'
import { isLoopback } from '../../web/access.ts'
import type { WebHost } from '../../web/index.ts'
import type { CliContext } from '../context.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import type { Action } from '../program.ts'
import { withOwnShiplog } from '../with-shiplog.ts'

/** S, H, I, P on a telephone. The same each time, so that a browser keeps what was set up there. */
const usualPort = 7447

export interface ServeOptions {
  /** 0: any free one. Without it the usual one, or any when that is taken. */
  port?: number
  host: string
  /** Told the URL once it answers. */
  onListening?: (url: string) => void
}

export function serve(options: ServeOptions): Action {
  const { port, host, onListening } = options
  return async (context) => {
    if (!isLoopback(host)) await warnOfOthers(context, host)
    const whenHeld = (holder: LeaseHolder) => tellWhereItRuns(context, holder, options)
    return withOwnShiplog(context, { host: 'web', whenHeld }, async ({ shiplog, closed }) => {
      const web = await startOn(context.host, shiplog, host, port)
      try {
        // Commands come in by the same door as pages. It is gone with the lease.
        await shiplog.setEndpoint(web.url)
        await tellUrl(context, web.url)
        await context.say('Open it in a browser on this machine. Ctrl-C ends it.')
        onListening?.(web.url)
        // Not as soon as it is asked to end: open windows see how their agents ended.
        await aborted(closed)
      } finally {
        await web.close()
      }
      return exitCodes.done
    })
  }
}

async function tellUrl(context: CliContext, url: string): Promise<void> {
  if (context.json) await context.printJson({ url })
  else await context.out.write(`${url}\n`)
}

/** A web host's endpoint is the very URL that it printed. */
async function tellWhereItRuns(
  context: CliContext,
  holder: LeaseHolder,
  { port, host, onListening }: ServeOptions,
): Promise<number> {
  await checkThatItAnswers(context.host, holder)
  const url = holder.endpoint ?? ''
  if (holder.host !== 'web') {
    throw new CliError(
      exitCodes.held,
      `${nameOf(holder)} has the data directory open, so it can't be served as well. Close it first; commands such as \`shiplog tasks list\` work meanwhile.`,
    )
  }
  const isElsewhere = port !== undefined && port !== 0 && Number(new URL(url).port) !== port
  if (isElsewhere || !isLoopback(host)) {
    throw new CliError(
      exitCodes.held,
      `${nameOf(holder)} serves it already, at ${url}. End that one first to serve it elsewhere.`,
    )
  }
  await tellUrl(context, url)
  await context.say(`${nameOf(holder)} serves it already; Ctrl-C there ends it.`)
  onListening?.(url)
  return exitCodes.done
}

/** Throws HolderError when it does not. One of another version does, only not to us. */
async function checkThatItAnswers({ connectToHolder }: CliHost, holder: LeaseHolder) {
  try {
    const connection = await connectToHolder(holder)
    connection.close()
  } catch (error) {
    if ((error as { kind?: unknown }).kind !== 'holder-other-version') throw error
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

async function startOn(
  { startWebHost, packageDir, version }: CliHost,
  shiplog: Shiplog,
  address: string,
  port: number | undefined,
): Promise<WebHost> {
  const rendererDir = path.join(packageDir, 'out', 'renderer')
  const options = { shiplog, address, rendererDir, version }
  try {
    return await startWebHost({ ...options, port: port ?? usualPort })
  } catch (error) {
    const isTaken = error instanceof Error && 'kind' in error && error.kind === 'port-in-use'
    if (!isTaken || port !== undefined) throw error
    return startWebHost({ ...options, port: 0 })
  }
}

function warnOfOthers(context: CliContext, host: string): Promise<void> {
  return context.warn(
    `${host} can be reached by others. Whoever has the URL can run commands as you, and what is sent is not encrypted.`,
  )
}
