/** The windows: each a sandboxed page of the renderer, with its own address. */
import { app, BrowserWindow, type BrowserWindowConstructorOptions, nativeTheme } from 'electron'
import { appPage } from './app-scheme.ts'
import { badgeCountOf } from './badge.ts'
import { readWindowState, type WindowKind, writeWindowState } from './window-state.ts'

interface WindowsOptions {
  preloadFile: string
  /** The file with the saved places. */
  stateFile: string
  /** The process of a window has crashed. */
  onGone(reason: string): void
  /** Called before the last window closes where that ends the app; false keeps it open. */
  mayCloseLast(): boolean
}

export interface Windows {
  /** Opens one more, at the page's fragment (`#/t/<id>`) when there is one. */
  open(fragment?: string): void
  /** Opens the fragment in the window used last, or in a new one. Without one it only comes to the front. */
  show(fragment: string | null): void
  isOwn(window: BrowserWindow): boolean
  /** Goes back or forward through the screens of the window used last. */
  go(where: 'back' | 'forward'): void
  /** The one to attach a dialog to; null when there is none. */
  current(): BrowserWindow | null
}

const defaultSize = { width: 1280, height: 800 }
/** UI: everything works at 800x600; below that it is squeezed, not broken. */
const sizeMin = { minWidth: 640, minHeight: 480 }
/** A further window must not hide the one that it was opened from. */
const cascadePx = 24
/** `--canvas` of the renderer's theme, so that nothing flashes before its first frame. */
const canvas = { light: '#fdfdfe', dark: '#15191c' }

export function createWindows(options: WindowsOptions): Windows {
  const own = new Set<BrowserWindow>()
  let last: BrowserWindow | null = null

  nativeTheme.on('updated', () => {
    for (const window of own) window.setBackgroundColor(canvasColor())
  })

  const current = (): BrowserWindow | null => last ?? own.values().next().value ?? null

  function open(fragment = ''): void {
    const kind = kindOf(fragment)
    const state = readWindowState(options.stateFile, kind)
    const same = [...own].findLast((window) => kindOf(window.webContents.getURL()) === kind)
    const beside = same ?? (state === null ? current() : null)
    const window = new BrowserWindow({
      ...windowOptions(options.preloadFile, state?.zoomFactor ?? 1),
      ...place(beside, state),
    })
    own.add(window)
    last = window
    if (beside === null && state?.maximized) window.maximize()
    if (beside === null && state?.fullScreen) window.setFullScreen(true)
    window.once('ready-to-show', () => window.show())
    window.on('page-title-updated', (_event, title) => app.setBadgeCount(badgeCountOf(title)))
    window.on('focus', () => {
      last = window
    })
    window.on('close', (event) => {
      if (own.size === 1 && !options.mayCloseLast()) event.preventDefault()
      else writeWindowState(options.stateFile, kindOf(window.webContents.getURL()), window)
    })
    window.on('closed', () => {
      own.delete(window)
      if (last === window) last = null
    })
    reloadWhenGone(window, options.onGone)
    void load(window, appPage + fragment)
  }

  return {
    open,
    show(fragment) {
      const window = current()
      if (window === null) return open(fragment ?? undefined)
      if (window.isMinimized()) window.restore()
      window.show()
      window.focus()
      // The page keeps where one is in the fragment, so another one loads nothing again; to the same
      // one Chromium would load the page again, and it is there already.
      if (fragment && window.webContents.getURL() !== appPage + fragment) {
        void load(window, appPage + fragment)
      }
    },
    go(where) {
      const history = current()?.webContents.navigationHistory
      if (where === 'back') history?.goBack()
      else history?.goForward()
    },
    isOwn: (window) => own.has(window),
    current,
  }
}

/** By its address, or its fragment. */
const kindOf = (url: string): WindowKind => (url.includes('#/transcript/') ? 'transcript' : 'main')

const canvasColor = (): string => (nativeTheme.shouldUseDarkColors ? canvas.dark : canvas.light)

function windowOptions(preloadFile: string, zoomFactor: number): BrowserWindowConstructorOptions {
  return {
    ...sizeMin,
    title: 'Shiplog',
    backgroundColor: canvasColor(),
    show: false,
    webPreferences: {
      preload: preloadFile,
      zoomFactor,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      nodeIntegrationInWorker: false,
      webviewTag: false,
      // Its dictionaries would be fetched from the network.
      spellcheck: false,
    },
  }
}

function place(
  beside: BrowserWindow | null,
  state: { x: number; y: number; width: number; height: number } | null,
): BrowserWindowConstructorOptions {
  if (beside !== null) {
    const { x, y, width, height } = beside.getNormalBounds()
    return { x: x + cascadePx, y: y + cascadePx, width, height }
  }
  if (state === null) return defaultSize
  const { x, y, width, height } = state
  return { x, y, width, height }
}

/** A second load takes the place of the first, and a window may be closed while it loads: no failures. */
async function load(window: BrowserWindow, url: string): Promise<void> {
  try {
    await window.loadURL(url)
  } catch (error) {
    if (window.isDestroyed() || (error as { code?: string }).code === 'ERR_ABORTED') return
    console.error(error)
    window.show() // an empty window can be closed or reloaded; an invisible one can't
  }
}

/** A page that crashes as soon as it is loaded must not be loaded forever. */
const reloadIntervalMsMin = 10_000

function reloadWhenGone(window: BrowserWindow, onGone: (reason: string) => void): void {
  let reloadedAt = Number.NEGATIVE_INFINITY
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit' || window.isDestroyed()) return
    onGone(reason)
    if (performance.now() - reloadedAt < reloadIntervalMsMin) return
    reloadedAt = performance.now()
    window.reload()
  })
}
