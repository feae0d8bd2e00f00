/** `BrowserWindow`: a tab of the headless Chromium, with the bounds and the focus that it is told to have. */
import { app, chromiumFor } from './app.ts'
import type { CdpSession } from './cdp.ts'
import { EventEmitter, emitPreventable } from './events.ts'
import { type OpenPage, WebContents } from './web-contents.ts'

interface Options {
  x?: number
  y?: number
  width?: number
  height?: number
  title?: string
  webPreferences?: {
    preload?: string
    contextIsolation?: boolean
    nodeIntegration?: boolean
    zoomFactor?: number
  }
}

const windows = new Set<BrowserWindow>()

export class BrowserWindow extends EventEmitter {
  readonly webContents: WebContents
  #bounds: { x: number; y: number; width: number; height: number }
  #visible = false
  #minimized = false
  #maximized = false
  #fullScreen = false

  constructor(options: Options = {}) {
    super()
    const { browser } = chromiumFor('Cannot create BrowserWindow')
    const { x = 0, y = 0, width = 800, height = 600, webPreferences = {} } = options
    if (webPreferences.contextIsolation === false || webPreferences.nodeIntegration) {
      throw new Error('the stand-in has only isolated windows without Node')
    }
    this.#bounds = { x, y, width, height }
    windows.add(this)
    app.windowOpened(this)
    this.webContents = new WebContents(openPage(browser, this.#bounds), webPreferences.preload)
    this.webContents.setZoomFactor(webPreferences.zoomFactor ?? 1)
    this.webContents.on('destroyed', () => this.#onClosed())
  }

  static getAllWindows(): BrowserWindow[] {
    return [...windows]
  }

  static fromWebContents(contents: WebContents): BrowserWindow | null {
    return [...windows].find((window) => window.webContents === contents) ?? null
  }

  async loadURL(url: string): Promise<void> {
    await this.webContents.loadURL(url)
    this.emit('ready-to-show')
  }

  reload(): void {
    this.webContents.reload()
  }

  close(): void {
    this.requestClose()
  }

  destroy(): void {
    this.webContents.close()
  }

  isDestroyed(): boolean {
    return !windows.has(this)
  }

  /** False: a listener prevented it. */
  requestClose(): boolean {
    if (!emitPreventable(this, 'close')) return false
    this.destroy()
    return true
  }

  show(): void {
    this.#visible = true
  }

  isVisible(): boolean {
    return this.#visible
  }

  focus(): void {
    this.emit('focus')
  }

  minimize(): void {
    this.#minimized = true
  }

  restore(): void {
    this.#minimized = false
  }

  isMinimized(): boolean {
    return this.#minimized
  }

  maximize(): void {
    this.#maximized = true
  }

  isMaximized(): boolean {
    return this.#maximized
  }

  setFullScreen(flag: boolean): void {
    this.#fullScreen = flag
  }

  isFullScreen(): boolean {
    return this.#fullScreen
  }

  setBounds(bounds: { x: number; y: number; width: number; height: number }): void {
    this.#bounds = bounds
  }

  getNormalBounds(): { x: number; y: number; width: number; height: number } {
    return this.#bounds
  }

  setBackgroundColor(): void {}

  #onClosed(): void {
    if (!windows.delete(this)) return
    this.emit('closed')
    app.windowClosed(this)
  }
}

/** Sessions by target, of pages that were asked for and of those that pages opened. */
const attached = new Map<string, PromiseWithResolvers<CdpSession>>()
const askedFor = new Set<string>()
let watched: Promise<unknown> | undefined
let creating: Promise<unknown> = Promise.resolve()

function openPage(
  browser: CdpSession,
  { width, height }: { width: number; height: number },
): Promise<OpenPage> {
  watched ??= watchTargets(browser)
  const opened = creating.then(async () => {
    await watched
    const { targetId } = await browser.send('Target.createTarget', {
      url: 'about:blank',
      width,
      height,
      newWindow: true,
    })
    askedFor.add(targetId)
    return { browser, page: await sessionOf(targetId).promise, targetId }
  })
  creating = opened.catch(() => {})
  return opened
}

/** Attaches to every new page while it stands still, before its first request. */
function watchTargets(browser: CdpSession): Promise<unknown> {
  browser.on('Target.attachedToTarget', ({ sessionId, targetInfo: { targetId, type } }) => {
    const session = browser.child(sessionId)
    if (type !== 'page') return void session.send('Runtime.runIfWaitingForDebugger')
    sessionOf(targetId).resolve(session)
    void creating.then(() => {
      if (!askedFor.has(targetId)) closeUnasked(browser, session, targetId)
    })
  })
  browser.on('Target.targetDestroyed', ({ targetId }) => {
    attached.delete(targetId)
    for (const { webContents } of windows) {
      if (webContents.targetId === targetId) webContents.closed()
    }
  })
  return Promise.all([
    browser.send('Target.setDiscoverTargets', { discover: true }),
    browser.send('Target.setAutoAttach', {
      autoAttach: true,
      waitForDebuggerOnStart: true,
      flatten: true,
    }),
  ])
}

/**
 * Chromium opens what a page asks for before the app can deny it. It gets no further than this: it
 * asks the network for nothing. While it stands still its opener may too, so it goes on before it closes.
 */
function closeUnasked(browser: CdpSession, session: CdpSession, targetId: string): void {
  const asked = [
    session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }),
    session.send('Runtime.runIfWaitingForDebugger'),
    browser.send('Target.closeTarget', { targetId }),
  ]
  // Its opener may be closed meanwhile, and it with its opener.
  void Promise.allSettled(asked)
}

function sessionOf(targetId: string): PromiseWithResolvers<CdpSession> {
  const known = attached.get(targetId) ?? Promise.withResolvers<CdpSession>()
  attached.set(targetId, known)
  return known
}
