/** `WebContents` and its frames: one page of Chromium, with the preload in a world of its own. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { app } from './app.ts'
import type { CdpSession, Params } from './cdp.ts'
import { createEvent, EventEmitter, emitPreventable } from './events.ts'
import { mainWorld } from './in-page/main-world.ts'
import { preloadWorld } from './in-page/preload-world.ts'
import { ipcMain } from './ipc-main.ts'
import { MessagePortMain } from './message-port.ts'
import { answerOf, fromChromium, toChromium } from './protocol.ts'
import { applyPermissions, session } from './session.ts'
import { createWire, type FromPage, type ToPage } from './wire.ts'

const isolatedWorld = 'Electron Isolated Context'
const { encode, decode } = createWire()
const all = new Set<WebContents>()

export const webContents = {
  getAllWebContents: (): WebContents[] => [...all],
  fromDevToolsTargetId: (id: string): WebContents | undefined =>
    [...all].find((contents) => contents.targetId === id),
}

class WebFrameMain {
  readonly parent: WebFrameMain | null
  readonly frames: WebFrameMain[] = []
  url = ''
  origin: string

  constructor(parent: WebFrameMain | null) {
    this.parent = parent
    this.origin = parent?.origin ?? 'null' // as long as it is empty it is of its parent's origin
    parent?.frames.push(this)
  }
}

export interface OpenPage {
  browser: CdpSession
  page: CdpSession
  targetId: string
}

type WindowOpenHandler = (details: { url: string; frameName: string }) => { action: string }

export class WebContents extends EventEmitter {
  readonly session = session.defaultSession
  readonly mainFrame = new WebFrameMain(null)
  targetId = ''
  readonly #frames = new Map<string, WebFrameMain>()
  readonly #ports = new Map<string, MessagePortMain>()
  readonly #loads = new Map<string, PromiseWithResolvers<void>>()
  readonly #opened: Promise<OpenPage>
  #windowOpenHandler: WindowOpenHandler = () => ({ action: 'allow' })
  /** The isolated world of the page that is shown; null between pages. */
  #context: number | null = null
  /** True while the app itself navigates, of which it is not asked. */
  #loading = false
  #destroyed = false
  #zoomFactor = 1

  constructor(opened: Promise<OpenPage>, preloadFile: string | undefined) {
    super()
    all.add(this)
    this.#opened = opened.then(async (open) => {
      this.targetId = open.targetId
      await this.#prepare(open, preloadFile)
      return open
    })
    app.emit('web-contents-created', {}, this)
  }

  setWindowOpenHandler(handler: WindowOpenHandler): void {
    this.#windowOpenHandler = handler
  }

  getURL(): string {
    return this.mainFrame.url
  }

  isDestroyed(): boolean {
    return this.#destroyed
  }

  /** Remembered, and nothing is drawn larger. */
  setZoomFactor(factor: number): void {
    this.#zoomFactor = factor
  }

  getZoomFactor(): number {
    return this.#zoomFactor
  }

  send(channel: string, ...args: unknown[]): void {
    void this.#send({ type: 'message', channel, args: args.map(encode) })
  }

  async loadURL(url: string): Promise<void> {
    const { browser, page } = await this.#opened
    await applyPermissions(browser, this, toChromium(url))
    this.#loading = true
    try {
      const { errorText, loaderId } = await page.send('Page.navigate', { url: toChromium(url) })
      if (errorText) throw new Error(`${errorText} loading '${url}'`)
      if (loaderId) await this.#loadOf(loaderId).promise // none: only the fragment changed
    } finally {
      this.#loading = false
    }
  }

  reload(): void {
    this.#loading = true
    void this.#opened.then(({ page }) => page.send('Page.reload'))
  }

  close(): void {
    void this.#opened.then(({ browser, targetId }) =>
      browser.send('Target.closeTarget', { targetId }),
    )
  }

  /** Called when Chromium has closed the page. */
  closed(): void {
    if (this.#destroyed) return
    this.#destroyed = true
    all.delete(this)
    this.#pageIsGone()
    this.emit('destroyed')
  }

  async #prepare({ page }: OpenPage, preloadFile: string | undefined): Promise<void> {
    this.#followFrames(page)
    page.on('Runtime.executionContextCreated', ({ context }) => {
      const { frameId, type } = context.auxData
      const isOurs = type === 'isolated' && context.name === isolatedWorld
      if (isOurs && this.#frames.get(frameId) === this.mainFrame) this.#context = context.id
    })
    page.on('Runtime.executionContextDestroyed', ({ executionContextId }) => {
      if (executionContextId === this.#context) this.#pageIsGone()
    })
    page.on('Runtime.executionContextsCleared', () => this.#pageIsGone())
    page.on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
      if (name === '__shiplogStandin' && executionContextId === this.#context) {
        this.#receive(JSON.parse(payload))
      }
    })
    page.on('Fetch.requestPaused', (paused) => void this.#onRequest(page, paused))
    page.on('Page.lifecycleEvent', ({ frameId, loaderId, name }) => {
      if (name !== 'load' || this.#frames.get(frameId) !== this.mainFrame) return
      this.#loadOf(loaderId).resolve()
      this.#loading = false
    })
    page.on('Page.windowOpen', ({ url, windowName }) => {
      const asked = this.#windowOpenHandler({ url: fromChromium(url), frameName: windowName })
      if (asked.action !== 'deny') console.error('the stand-in opens no windows for pages')
    })
    page.on('Inspector.targetCrashed', () => {
      this.#pageIsGone()
      this.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 })
    })

    const { frameTree } = await page.send('Page.getFrameTree')
    this.#frames.set(frameTree.frame.id, this.mainFrame)
    const exposeEvent = randomUUID()
    await Promise.all([
      page.send('Page.enable'),
      page.send('Page.setLifecycleEventsEnabled', { enabled: true }),
      page.send('Runtime.enable'),
      page.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }),
      page.send('Runtime.addBinding', {
        name: '__shiplogStandin',
        executionContextName: isolatedWorld,
      }),
      page.send('Page.addScriptToEvaluateOnNewDocument', {
        source: `(${mainWorld})(${JSON.stringify(exposeEvent)})`,
      }),
      page.send('Page.addScriptToEvaluateOnNewDocument', {
        worldName: isolatedWorld,
        source: preloadSource(exposeEvent, preloadFile),
      }),
    ])
    await page.send('Runtime.runIfWaitingForDebugger')
  }

  #followFrames(page: CdpSession): void {
    page.on('Page.frameAttached', ({ frameId, parentFrameId }) => {
      const parent = this.#frames.get(parentFrameId) ?? this.mainFrame
      this.#frames.set(frameId, new WebFrameMain(parent))
    })
    page.on('Page.frameDetached', ({ frameId }) => {
      const frame = this.#frames.get(frameId)
      this.#frames.delete(frameId)
      if (frame?.parent) frame.parent.frames.splice(frame.parent.frames.indexOf(frame), 1)
    })
    page.on('Page.frameNavigated', ({ frame: { id, url, urlFragment = '', securityOrigin } }) => {
      const frame = this.#frames.get(id)
      if (!frame) return
      frame.url = fromChromium(`${url}${urlFragment}`)
      frame.origin = url.startsWith('about:')
        ? (frame.parent?.origin ?? 'null')
        : originOf(securityOrigin)
      if (frame === this.mainFrame) this.emit('did-navigate', {}, frame.url)
    })
    page.on('Page.navigatedWithinDocument', ({ frameId, url }) => {
      const frame = this.#frames.get(frameId)
      if (!frame) return
      frame.url = fromChromium(url)
      this.emit('did-navigate-in-page', {}, frame.url, frame === this.mainFrame)
    })
  }

  /** Every request of the page comes by here: navigations to be asked about, and the app's own schemes. */
  async #onRequest(page: CdpSession, paused: Params): Promise<void> {
    const { requestId, request, frameId, resourceType } = paused
    try {
      const url = `${request.url}${request.urlFragment ?? ''}`
      if (resourceType === 'Document' && !this.#mayNavigate(url, frameId)) {
        await page.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
        return
      }
      const response = await answerOf(request)
      if (!response) {
        await page.send('Fetch.continueRequest', { requestId })
        return
      }
      await page.send('Fetch.fulfillRequest', {
        requestId,
        responseCode: response.status,
        responseHeaders: [...response.headers].map(([name, value]) => ({ name, value })),
        body: Buffer.from(await response.arrayBuffer()).toString('base64'),
      })
    } catch (error) {
      // A page that was left does not want its answers any more.
      if (!this.#destroyed && !/Invalid InterceptionId/.test(String(error))) console.error(error)
    }
  }

  #mayNavigate(chromiumUrl: string, frameId: string): boolean {
    const frame = this.#frames.get(frameId) ?? null
    const isMainFrame = frame === this.mainFrame
    if (isMainFrame && this.#loading) return true
    const details = { url: fromChromium(chromiumUrl), isMainFrame, frame, isSameDocument: false }
    if (!emitPreventable(this, 'will-frame-navigate', details)) return false
    return !isMainFrame || emitPreventable(this, 'will-navigate', details, details.url)
  }

  #receive(message: FromPage): void {
    switch (message.type) {
      case 'send':
        ipcMain.emit(message.channel, this.#ipcEvent([]), ...message.args.map(decode))
        return
      case 'post': {
        const ports = message.ports.map((id) => this.#addPort(id))
        ipcMain.emit(message.channel, this.#ipcEvent(ports), decode(message.message))
        return
      }
      case 'port-message':
        this.#ports.get(message.port)?.receive(decode(message.data))
        return
      case 'port-closed':
        this.#ports.get(message.port)?.otherEndClosed()
        this.#ports.delete(message.port)
        return
      case 'input':
        this.emit('input-event', {}, { type: message.input })
        return
      case 'preload-error':
        console.error(message.message)
        this.emit('preload-error', {}, '', new Error(message.message))
    }
  }

  /** The preload runs in the main frame alone, so that is the frame of everything that is sent. */
  #ipcEvent(ports: MessagePortMain[]): object {
    return createEvent({ sender: this, senderFrame: this.mainFrame, ports })
  }

  #addPort(id: string): MessagePortMain {
    const port = new MessagePortMain({
      post: (data) => void this.#send({ type: 'port-message', port: id, data: encode(data) }),
      close: () => {
        this.#ports.delete(id)
        void this.#send({ type: 'port-closed', port: id })
      },
    })
    this.#ports.set(id, port)
    return port
  }

  async #send(message: ToPage): Promise<void> {
    const contextId = this.#context
    if (contextId === null) return
    const { page } = await this.#opened
    const expression = `__shiplogReceive(${JSON.stringify(message)})`
    // The page may be gone by then, and with it the recipient.
    await page.send('Runtime.evaluate', { contextId, expression }).catch(() => {})
  }

  #loadOf(loaderId: string): PromiseWithResolvers<void> {
    const load = this.#loads.get(loaderId) ?? Promise.withResolvers<void>()
    this.#loads.set(loaderId, load)
    return load
  }

  #pageIsGone(): void {
    this.#context = null
    for (const port of this.#ports.values()) port.otherEndClosed()
    this.#ports.clear()
  }
}

function preloadSource(exposeEvent: string, preloadFile: string | undefined): string {
  const preload = preloadFile ? readFileSync(preloadFile, 'utf8') : ''
  return `(${preloadWorld})({
    makeWire: ${createWire},
    exposeEvent: ${JSON.stringify(exposeEvent)},
    platform: ${JSON.stringify(process.platform)},
    runPreload: (require, process, module, exports) => {${preload}\n},
  })`
}

/** Chromium gives an opaque origin as '://' or empty; Electron as 'null'. */
function originOf(securityOrigin: string): string {
  return /^[a-z]+:\/\/[^/]/.test(securityOrigin) ? fromChromium(securityOrigin) : 'null'
}
