/** `shiplog` and `shiplog open`: opens the desktop app if it can run, else the same app in a browser. */
import { spawn } from 'node:child_process'
import { access } from 'node:fs/promises'
import path from 'node:path'
import { placeOfLog } from '../../desktop/arguments.ts'
import type { Action } from '../action.ts'
import type { CliContext } from '../context.ts'
import { findElectron, hasDisplay } from '../electron-runtime.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { serve } from './serve.ts'

/** `file` is a log to open without importing it. */
export function open(file?: string): Action {
  return async (context) => {
    const { host } = context
    const log = file === undefined ? undefined : await logAt(host.cwd, file)
    const electron = findElectron(host.packageDir, host.env)
    const display = hasDisplay(host.platform, host.env)
    if (electron !== null && display) {
      if (!(await isHeldByAnother(context))) return openDesktop(context, electron, log)
    } else {
      await context.say(
        `${missingText(electron !== null, display)} The app is served to a browser:`,
      )
    }
    const onListening = display ? openBrowser : undefined
    const place = log === undefined ? undefined : placeOfLog(log)
    return serve({ host: '127.0.0.1', onListening, place })(context)
  }
}

async function logAt(cwd: string, file: string): Promise<string> {
  const log = path.resolve(cwd, file)
  await access(log).catch(() => {
    throw new CliError(
      exitCodes.notFound,
      `${file} can't be read: there is no such file or folder.`,
    )
  })
  return log
}

/**
 * True if a web host or a command holds the data directory: `serve` then prints its address, while the desktop app could
 * only report a conflict. A second desktop app brings the first one to the front.
 */
async function isHeldByAnother({ host, dataDirFlag }: CliContext): Promise<boolean> {
  const dataDir = await host.resolveDataDir(dataDirFlag)
  const holder = await host.readHolder(dataDir).catch(() => null) // opening it reports the reason
  return holder !== null && holder.host !== 'desktop' && holder.endpoint !== null
}

function missingText(electron: boolean, display: boolean): string {
  if (electron) return 'There is no display (neither DISPLAY nor WAYLAND_DISPLAY is set).'
  return display
    ? 'The Electron runtime is not installed (`npx install-electron` fetches it).'
    : 'The Electron runtime is not installed, and there is no display.'
}

/** Resolves with the app's exit code once it was closed. */
async function openDesktop(
  context: CliContext,
  electron: string,
  log: string | undefined,
): Promise<number> {
  const { host } = context
  const dataDir = await host.resolveDataDir(context.dataDirFlag)
  const main = path.join(host.packageDir, 'out', 'main', 'index.js')
  const app = spawn(
    electron,
    [main, `--data-dir=${dataDir}`, ...(log ? [`--open-log=${log}`] : [])],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: withoutNodeMode(host.env),
    },
  )
  const stopListening = host.onEndSignal((signal) => {
    // The terminal sends Ctrl-C to both processes. Forwarding it would count as a second one, which exits at once.
    if (signal !== 'SIGINT' || !host.stdin.isTTY) app.kill(signal)
  })
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  app.once('error', reject)
  app.once('exit', (code) => resolve(code ?? exitCodes.failed))
  try {
    return await promise
  } finally {
    stopListening()
  }
}

/** Removes the variable that makes Electron run as plain Node, which the terminal of an editor may set. */
function withoutNodeMode({
  ELECTRON_RUN_AS_NODE: _,
  ...env
}: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return env
}

/** Ignores failures, because the URL was printed. */
async function openBrowser(url: string): Promise<void> {
  try {
    const { default: openUrl } = await import('open')
    const browser = await openUrl(url)
    browser.on('error', () => {})
  } catch {}
}
