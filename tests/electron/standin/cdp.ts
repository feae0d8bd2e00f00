/** A Chromium of our own and the DevTools protocol to it, spoken directly: both are small. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { WebSocket } from 'ws'
import { chromiumFlags, findChromium } from '../../../scripts/chromium.mjs'

// biome-ignore lint/suspicious/noExplicitAny: the protocol's shapes are checked by its other end
export type Params = Record<string, any>
type CdpListener = (params: Params) => void

/** A session with one target, or with the browser itself. */
export interface CdpSession {
  send(method: string, params?: Params): Promise<Params>
  on(method: string, listener: CdpListener): void
  /** The session of a target that Chromium attached us to. */
  child(sessionId: string): CdpSession
}

export interface Chromium {
  browser: CdpSession
  /** What another client, such as Playwright, connects to. */
  address: string
}

/** Chromium writes its profile while it closes; if that takes longer than this it is killed. */
const closeMsMax = 5_000

let running: { process: ChildProcess; profile: string; browser?: CdpSession } | undefined

export async function startChromium(): Promise<Chromium> {
  const executable = findChromium()
  if (!executable) throw new Error('There is no Chromium here; CHROMIUM_PATH can name one.')
  const profile = mkdtempSync(join(tmpdir(), 'shiplog-standin-'))
  const process = spawn(
    executable,
    [
      ...chromiumFlags(),
      '--headless',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      '--no-first-run',
      '--no-startup-window',
      // Both ends of a MessagePort are told when the other is gone, as Electron's are.
      '--enable-features=MessagePortCloseEvent',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  running = { process, profile }
  const address = await devToolsAddress(process)
  const browser = await connect(address)
  running.browser = browser
  return { browser, address }
}

/** Resolves once it has ended, its children too, and its profile is gone. */
export async function closeChromium(): Promise<void> {
  const { process: chromium, browser } = running ?? {}
  if (chromium && browser && chromium.exitCode === null) {
    const ended = once(chromium, 'exit')
    const cutOff = setTimeout(() => chromium.kill('SIGKILL'), closeMsMax)
    browser.send('Browser.close').catch(() => {})
    await ended
    clearTimeout(cutOff)
  }
  killChromium()
}

/** At once and synchronously, so that it can be called while the process exits. */
export function killChromium(): void {
  if (!running) return
  running.process.kill('SIGKILL')
  rmSync(running.profile, { recursive: true, force: true, maxRetries: 40, retryDelay: 25 })
  running = undefined
}

async function devToolsAddress(chromium: ChildProcess): Promise<string> {
  const said: string[] = []
  if (!chromium.stderr) throw new Error('Chromium was started without its stderr')
  for await (const line of createInterface({ input: chromium.stderr })) {
    said.push(line)
    const [, address] = /^DevTools listening on (ws:.*)$/.exec(line) ?? []
    if (address) {
      chromium.stderr.resume() // or it would block once the pipe is full
      return address
    }
  }
  throw new Error(`Chromium ended at once:\n${said.join('\n')}`)
}

async function connect(address: string): Promise<CdpSession> {
  const socket = new WebSocket(address)
  const calls = new Map<number, PromiseWithResolvers<Params>>()
  const listeners = new Map<string, CdpListener[]>()
  let lastId = 0

  const session = (sessionId?: string): CdpSession => ({
    send(method, params = {}) {
      const id = ++lastId
      const call = Promise.withResolvers<Params>()
      calls.set(id, call)
      socket.send(JSON.stringify({ id, method, params, sessionId }))
      return call.promise
    },
    on(method, listener) {
      const key = `${sessionId ?? ''} ${method}`
      listeners.set(key, [...(listeners.get(key) ?? []), listener])
    },
    child: session,
  })

  socket.on('message', (data) => {
    const message = JSON.parse(String(data))
    if (message.id === undefined) {
      const key = `${message.sessionId ?? ''} ${message.method}`
      for (const listener of listeners.get(key) ?? []) listener(message.params)
      return
    }
    const call = calls.get(message.id)
    calls.delete(message.id)
    if (message.error) call?.reject(new Error(message.error.message))
    else call?.resolve(message.result)
  })
  const opened = Promise.withResolvers<void>()
  socket.on('open', opened.resolve)
  socket.on('error', opened.reject)
  await opened.promise
  return session()
}
