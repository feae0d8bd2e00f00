/** `app`: its life from the entry's evaluation to the exit, and one instance for each profile. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Chromium, closeChromium, killChromium, startChromium } from './cdp.ts'
import { EventEmitter, emitPreventable } from './events.ts'
import { claimProfile, type ProfileClaim } from './single-instance.ts'

/** What a window is to the end of the app. */
interface Closable {
  /** False: a listener of its `close` event prevented it. */
  requestClose(): boolean
}

const readiness = Promise.withResolvers<void>()
const paths = new Map<string, string>()
const windows = new Set<Closable>()
let ready = false
let quitting = false
let exiting = false
let claim: ProfileClaim | undefined
let chromium: Chromium | undefined

class App extends EventEmitter {
  name = 'electron'
  readonly isPackaged = false

  whenReady(): Promise<void> {
    return readiness.promise
  }

  isReady(): boolean {
    return ready
  }

  setName(name: string): void {
    this.name = name
  }

  getVersion(): string {
    return '0.0.0'
  }

  getAppPath(): string {
    return process.cwd()
  }

  getPath(name: string): string {
    const appData = process.env.XDG_CONFIG_HOME || join(homedir(), '.config')
    if (name === 'appData') return appData
    if (name === 'userData') return paths.get(name) ?? join(appData, this.name)
    throw new Error(`The stand-in knows no path '${name}'`)
  }

  setPath(name: string, path: string): void {
    paths.set(name, path)
  }

  requestSingleInstanceLock(): boolean {
    claim ??= claimProfile(this.getPath('userData'), (argv, workingDirectory) => {
      this.emit('second-instance', {}, argv, workingDirectory, null)
    })
    return claim.isFirst
  }

  quit(): void {
    if (exiting || quitting) return
    quitting = true
    if (!emitPreventable(this, 'before-quit')) {
      quitting = false
      return
    }
    for (const window of [...windows]) {
      if (window.requestClose()) continue
      quitting = false
      return
    }
    if (windows.size === 0) this.#quitWithoutWindows()
  }

  exit(exitCode = 0): void {
    if (exiting) return
    exiting = true
    // A second instance has told the first one before it is gone, however soon that is.
    void (claim?.told ?? Promise.resolve()).then(async () => {
      this.emit('quit', {}, exitCode)
      await closeChromium()
      process.exit(exitCode)
    })
  }

  // Asked of the system, and taken note of by nobody here.
  enableSandbox(): void {
    if (ready) throw new Error('app.enableSandbox() must be called before the app is ready')
  }
  setAboutPanelOptions(): void {}
  setAsDefaultProtocolClient(): boolean {
    return true
  }

  /** Called by the windows. */
  windowOpened(window: Closable): void {
    windows.add(window)
  }

  windowClosed(window: Closable): void {
    windows.delete(window)
    if (windows.size > 0 || exiting) return
    if (quitting) return this.#quitWithoutWindows()
    if (this.listenerCount('window-all-closed') > 0) this.emit('window-all-closed')
    else this.quit()
  }

  #quitWithoutWindows(): void {
    if (emitPreventable(this, 'will-quit')) this.exit(0)
    else quitting = false
  }
}

export const app = new App()
process.on('exit', killChromium)

/** Once the app's entry has been evaluated. Does nothing when that ended the app already. */
export async function startApp(options: { printDevToolsAddress: boolean }): Promise<void> {
  if (exiting) return
  chromium = await startChromium()
  if (options.printDevToolsAddress) {
    process.stderr.write(`DevTools listening on ${chromium.address}\n`)
  }
  ready = true
  app.emit('ready', {})
  readiness.resolve()
}

/** For what may only be used once the app is ready. `what`: as the error names it. */
export function chromiumFor(what: string): Chromium {
  if (!ready || !chromium) throw new Error(`${what} before app is ready`)
  return chromium
}

export const isReady = (): boolean => ready
