/** `shiplog serve`: runs the web host until it is ended. */
import path from 'node:path'
import { whenAborted } from '../../../../shared/async/until-aborted.ts'
import type { Shiplog } from '../../../composition/shiplog.ts'
import type { LeaseHolder } from '../../../lease/lease-holder.ts'
import { layoutOf } from '../../../sessions/session-files.ts'
import { nameOf } from '../../local/holder.ts'
import { isLoopback } from '../../web/access.ts'
import type { WebHost } from '../../web/index.ts'
import type { Action } from '../action.ts'
import type { CliContext } from '../context.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import { withOwnShiplog } from '../with-shiplog.ts'

export interface ServeOptions {
  /** 0 stands for any free port. Default: the last port, so that open pages find it, or any if that is taken. */
  port?: number
  host: string
  /** Called once the host answers, with a URL that opens one page and may be an argument of a command. */
  onListening?: ((url: string) => void) | undefined
  /** The place in the app to which the URLs lead. Default: its start. */
  place?: string | undefined
}

export function serve(options: ServeOptions): Action {
  const { port, host, onListening, place } = options
  return async (context) => {
    if (!isLoopback(host)) await warnOfAddress(context, host)
    const whenHeld = (holder: LeaseHolder, dataDir: string) =>
      reportRunningHost(context, holder, dataDir, options)
    return withOwnShiplog(context, { host: 'web', whenHeld }, async ({ shiplog, closed }) => {
      const web = await startOn(context.host, shiplog, host, port)
      try {
        // Commands connect to the same port as pages. The endpoint is deleted with the lease.
        await shiplog.setEndpoint(web.endpoint)
        await printUrl(context, place === undefined ? web.url : `${web.url}&to=${place}`)
        await context.say('Open it in a browser on this machine. Ctrl-C ends it.')
        const at = place === undefined ? '' : `&at=${encodeURIComponent(place)}`
        onListening?.(`${web.openingUrl()}${at}`)
        // Waits until everything is closed, so that open windows show how their agents ended.
        await whenAborted(closed)
      } finally {
        await web.close()
      }
      return exitCodes.done
    })
  }
}

async function printUrl(context: CliContext, url: string): Promise<void> {
  if (context.json) await context.printJson({ url })
  else await context.out.write(`${url}\n`)
}

/** Prints the address of the running host. Only that host printed the link with its token, which is on no disk (K7). */
async function reportRunningHost(
  context: CliContext,
  holder: LeaseHolder,
  dataDir: string,
  { port, host, onListening, place }: ServeOptions,
): Promise<number> {
  await assertAnswers(context.host, holder, dataDir)
  const { origin } = new URL(holder.endpoint ?? '')
  if (holder.host !== 'web') {
    throw new CliError(
      exitCodes.held,
      `${nameOf(holder)} has the data directory open, so it can't be served as well. Close it first; commands such as \`shiplog tasks list\` work meanwhile.`,
    )
  }
  const isElsewhere = port !== undefined && port !== 0 && Number(new URL(origin).port) !== port
  if (isElsewhere || !isLoopback(host)) {
    throw new CliError(
      exitCodes.held,
      `${nameOf(holder)} serves it already, at ${origin}. End that one first to serve it elsewhere.`,
    )
  }
  const url = place === undefined ? `${origin}/` : `${origin}/#${place}`
  await printUrl(context, url)
  await context.say(
    `${nameOf(holder)} serves it already; Ctrl-C there ends it. A browser in which it is open opens this address; another one needs the link that was printed there.`,
  )
  onListening?.(url)
  return exitCodes.done
}

/** Rejects with HolderError if the holder does not answer. One of another version answers, but not to this one. */
async function assertAnswers({ connectToHolder }: CliHost, holder: LeaseHolder, dataDir: string) {
  try {
    const connection = await connectToHolder(holder, dataDir)
    connection.close()
  } catch (error) {
    if ((error as { kind?: unknown }).kind !== 'holder-other-version') throw error
  }
}

async function startOn(
  { startWebHost, packageDir, version }: CliHost,
  shiplog: Shiplog,
  address: string,
  port: number | undefined,
): Promise<WebHost> {
  const rendererDir = path.join(packageDir, 'out', 'renderer')
  const pagesFile = layoutOf(shiplog.dataDir).webHost
  const options = { shiplog, address, rendererDir, version, pagesFile }
  return startWebHost({ ...options, port: port ?? 0, asBefore: port === undefined })
}

function warnOfAddress(context: CliContext, host: string): Promise<void> {
  return context.warn(
    `${host} can be reached by others. Anyone with the URL can run commands as you, and the connection is not encrypted.`,
  )
}
