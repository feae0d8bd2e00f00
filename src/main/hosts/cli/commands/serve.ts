/** `shiplog serve`: the web host, until somebody ends it. */
import path from 'node:path'
import type { Shiplog } from '../../../shiplog.ts'
import { isLoopback } from '../../web/access.ts'
import type { WebHost } from '../../web/index.ts'
import type { CliContext } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import type { CliHost } from '../host.ts'
import type { Action } from '../program.ts'
import { withShiplog } from '../with-shiplog.ts'

/** S, H, I, P on a telephone. The same each time, so that a browser keeps what was set up there. */
const usualPort = 7447

export interface ServeOptions {
  /** 0: any free one. Without it the usual one, or any when that is taken. */
  port?: number
  host: string
  /** Told the URL once it answers. */
  onListening?: (url: string) => void
}

export function serve({ port, host, onListening }: ServeOptions): Action {
  return async (context) => {
    if (!isLoopback(host)) await warnOfOthers(context, host)
    return withShiplog(context, { host: 'web', signalIsTheEnd: true }, async (session) => {
      const web = await startOn(context.host, session.shiplog, host, port)
      try {
        if (context.json) await context.printJson({ url: web.url })
        else await context.out.write(`${web.url}\n`)
        await context.say('Open it in a browser on this machine. Ctrl-C ends it.')
        onListening?.(web.url)
        await aborted(session.ending)
      } finally {
        await web.close()
      }
      return exitCodes.done
    })
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

async function startOn(
  { startWebHost, packageDir }: CliHost,
  shiplog: Shiplog,
  address: string,
  port: number | undefined,
): Promise<WebHost> {
  const rendererDir = path.join(packageDir, 'out', 'renderer')
  try {
    return await startWebHost({ shiplog, port: port ?? usualPort, address, rendererDir })
  } catch (error) {
    const isTaken = error instanceof Error && 'kind' in error && error.kind === 'port-in-use'
    if (!isTaken || port !== undefined) throw error
    return startWebHost({ shiplog, port: 0, address, rendererDir })
  }
}

function warnOfOthers(context: CliContext, host: string): Promise<void> {
  return context.warn(
    `${host} can be reached by others. Whoever has the URL can run commands as you, and what is sent is not encrypted.`,
  )
}
