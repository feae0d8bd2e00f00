/**
 * The desktop host: windows of the built renderer, the contract over MessagePorts, one instance for
 * each data directory. Everything that must happen before `app` is ready happens in the call itself.
 */
import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { app, dialog, session, shell } from 'electron'
import { openLocalEndpoint } from '../local/endpoint.ts'
import { isHeldBriefly, retryUntilFree } from '../local/retry-until-free.ts'
import { registerAppScheme, serveRenderer } from './app-scheme.ts'
import { fragmentOfLog } from './arguments.ts'
import {
  fragmentOfArguments,
  fragmentOfLink,
  fragmentOfTranscript,
  linkScheme,
} from './deep-links.ts'
import { keychain } from './keychain.ts'
import { denyPermissions, lockDownPages } from './lockdown.ts'
import { setMenu } from './menu.ts'
import { servePorts } from './ports.ts'
import { createQuitting, type Quitting } from './quitting.ts'
import type { DesktopServices, OpenDesktopServices } from './services.ts'
import { failedStartOf } from './start-failure.ts'
import { createWindows, type Windows } from './windows.ts'

interface DesktopOptions {
  dataDir: string
  /** The folder with `index.html` of the built renderer. */
  rendererDir: string
  preloadFile: string
  /** The program's version, for commands that connect. */
  version: string
  openServices(options: OpenDesktopServices): Promise<DesktopServices>
}

/** Agents get this long to be interrupted and flushed; then the app exits, and the next start recovers. */
const closeMsMax = 10_000

/** Returns at once: Electron is ready only after its entry file has been evaluated. */
export function startDesktop(options: DesktopOptions): void {
  app.setName('Shiplog')
  chooseProfileOf(options.dataDir)
  app.enableSandbox()
  registerAppScheme()
  lockDownPages()

  const links = createLinkInbox()
  app.on('open-url', (event, link) => {
    event.preventDefault()
    links.open(fragmentOfLink(link))
  })
  if (!app.requestSingleInstanceLock()) {
    app.quit() // the other instance has received the request, link included
    return
  }
  app.on('second-instance', (_event, argv) =>
    links.open(fragmentOfLog(argv) ?? fragmentOfArguments(argv)),
  )
  // Behind `--` nothing of a link is a switch, neither Chromium's nor ours.
  if (app.isPackaged) app.setAsDefaultProtocolClient(linkScheme, process.execPath, ['--'])

  app
    .whenReady()
    .then(() => run(options, links))
    .catch(exitWithError)
}

async function run(options: DesktopOptions, links: LinkInbox): Promise<void> {
  denyPermissions(session.defaultSession)
  serveRenderer(options.rendererDir)
  const open = () =>
    options.openServices({
      dataDir: options.dataDir,
      host: 'desktop',
      pickFolder: () => pickFolder(windows),
      openWindow: (place) => windows.open(fragmentOfTranscript(place)),
      keychain,
    })
  const services = await retryUntilFree(open, isHeldBriefly)
  const endpoint = await endpointFor(services, options.version)
  let displaced: Error | null = null

  const quitting = createQuitting({
    running: () => services.runningAgents().map((agent) => agent.title),
    ask: (titles) => askToQuit(windows, titles),
    async close() {
      await endpoint?.unpublish().catch(() => {}) // the lease is released in any case
      await services.close('quit')
      stopServing()
      await endpoint?.close()
    },
    leave(problem) {
      if (displaced) return exitWithError(displaced)
      if (problem) console.error(`Quitting: ${problem.message}`)
      if (problem) app.exit(1)
      else app.quit()
    },
    closeMsMax,
  })
  const windows = createWindows({
    preloadFile: options.preloadFile,
    stateFile: join(app.getPath('userData'), 'window.json'),
    onGone(reason) {
      console.error(`The window's process ended: ${reason}`)
      services.log.error('window.gone', { reason })
    },
    // Closing the last window ends the app (except on macOS). It must stay open during the confirmation.
    mayCloseLast() {
      if (process.platform === 'darwin' || quitting.isOver()) return true
      app.quit()
      return false
    },
  })
  void services.displaced.then((error) => {
    displaced = error
    void quitting.begin('without-asking')
  })
  const stopServing = servePorts(services.router, windows.isOwn)

  quitThrough(quitting)
  setMenu({
    openWindow: () => windows.open(),
    show: (fragment) => windows.show(fragment),
    go: (where) => windows.go(where),
    showDataFolder: () => void shell.openPath(options.dataDir),
  })
  app.on('activate', () => {
    if (windows.current() === null) windows.open()
  })
  windows.open(fragmentOfLog(process.argv) ?? fragmentOfArguments(process.argv) ?? undefined)
  links.deliverTo((fragment) => windows.show(fragment))
}

/** The app is useful without it: commands then report that they can't reach it. */
async function endpointFor(services: DesktopServices, version: string) {
  try {
    return await openLocalEndpoint({ shiplog: services, version })
  } catch (error) {
    console.error("The command line can't be answered while the app runs:", error)
    services.log.error('endpoint.failed', { error })
    return null
  }
}

function quitThrough(quitting: Quitting): void {
  app.on('before-quit', (event) => {
    if (quitting.isOver()) return
    event.preventDefault()
    void quitting.begin('ask')
  })
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })
  // Ctrl-C in the terminal it was started from: once ends it well, twice at once.
  let signalled = false
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (signalled) app.exit(signal === 'SIGINT' ? 130 : 143)
      signalled = true
      void quitting.begin('without-asking')
    })
  }
}

async function askToQuit(windows: Windows, titles: string[]): Promise<boolean> {
  const shownMax = 5
  const more = titles.length - shownMax
  const question = {
    type: 'warning' as const,
    message: titles.length === 1 ? 'An agent is running' : `${titles.length} agents are running`,
    detail: [
      ...titles.slice(0, shownMax).map((title) => `• ${title}`),
      ...(more > 0 ? [`• and ${more} more`] : []),
      '',
      'They will be listed as interrupted. What they have written so far is kept.',
    ].join('\n'),
    buttons: ['Interrupt and quit', 'Cancel'],
    defaultId: 1,
    cancelId: 1,
    noLink: true,
  }
  const window = windows.current()
  const { response } = await (window
    ? dialog.showMessageBox(window, question)
    : dialog.showMessageBox(question))
  return response === 0
}

async function pickFolder(windows: Windows): Promise<string | null> {
  const window = windows.current()
  const options = { properties: ['openDirectory' as const, 'createDirectory' as const] }
  const { canceled, filePaths } = await (window
    ? dialog.showOpenDialog(window, options)
    : dialog.showOpenDialog(options))
  return canceled ? null : (filePaths[0] ?? null)
}

/** Links may come before there is a window. */
interface LinkInbox {
  /** null if the window only comes to the front. */
  open(fragment: string | null): void
  deliverTo(show: (fragment: string | null) => void): void
}

function createLinkInbox(): LinkInbox {
  let waiting: { fragment: string | null } | null = null
  let deliver = (fragment: string | null): void => {
    waiting = { fragment }
  }
  return {
    open: (fragment) => deliver(fragment),
    deliverTo(show) {
      deliver = show
      if (waiting) show(waiting.fragment)
    },
  }
}

/** Reports why it can't start, on the screen and on standard error, and ends. */
export function exitWithError(error: unknown): void {
  const { title, message, exitCode } = failedStartOf(error)
  console.error(`${title}: ${message}`)
  dialog.showErrorBox(title, message)
  app.exit(exitCode)
}

/**
 * Electron keeps one instance for each profile. Named after the data directory, an instance on another
 * one is no second instance; and its caches stay out of the data that people move and back up.
 */
function chooseProfileOf(dataDir: string): void {
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  const profile = join(app.getPath('appData'), 'shiplog', 'desktop', name)
  mkdirSync(profile, { recursive: true, mode: 0o700 }) // Electron refuses a path that is not there
  app.setPath('userData', profile)
}
