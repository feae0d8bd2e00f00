/**
 * Runs in a world of its own, before the page's scripts and in its main frame alone: what a sandboxed
 * preload finds there (`require('electron')` and little else), then the preload itself.
 *
 * Self-contained, for its source text is what runs. `__shiplogStandin` is the binding to the stand-in.
 */
import type { createWire, FromPage, ToPage } from '../wire.ts'

export function preloadWorld(options: {
  makeWire: typeof createWire
  exposeEvent: string
  platform: string
  runPreload(require: unknown, process: unknown, module: unknown, exports: unknown): void
}): void {
  if (window !== window.top) return
  const { encode, decode } = options.makeWire()
  const world = globalThis as unknown as {
    __shiplogStandin(json: string): void
    __shiplogReceive(message: ToPage): void
  }
  const send = (message: FromPage): void => world.__shiplogStandin(JSON.stringify(message))

  const listeners = new Map<string, Set<(event: object, ...args: unknown[]) => void>>()
  const ports = new Map<string, MessagePort>()
  let portsTaken = 0

  const ipcRenderer = {
    on(channel: string, listener: (event: object, ...args: unknown[]) => void) {
      const known = listeners.get(channel) ?? new Set()
      listeners.set(channel, known.add(listener))
      return ipcRenderer
    },
    send(channel: string, ...args: unknown[]): void {
      send({ type: 'send', channel, args: args.map(encode) })
    },
    postMessage(channel: string, message: unknown, transfer: MessagePort[] = []): void {
      const json = encode(message)
      send({ type: 'post', channel, message: json, ports: transfer.map(takePort) })
    },
  }

  /** Transferred, so that the sender can't use it any more; what arrives goes on to the stand-in. */
  function takePort(given: MessagePort): string {
    // Another page's ports may still be on their way; `crypto.randomUUID` is not there on every page.
    const id = `${performance.timeOrigin}-${++portsTaken}`
    const port = structuredClone(given, { transfer: [given] })
    ports.set(id, port)
    port.addEventListener('close', () => {
      if (ports.delete(id)) send({ type: 'port-closed', port: id })
    })
    port.onmessage = (event) => {
      send({ type: 'port-message', port: id, data: encode(event.data) })
    }
    return id
  }

  world.__shiplogReceive = (message) => {
    if (message.type === 'message') {
      for (const listener of listeners.get(message.channel) ?? []) {
        listener({ sender: ipcRenderer }, ...message.args.map(decode))
      }
      return
    }
    const port = ports.get(message.port)
    if (message.type === 'port-message') return port?.postMessage(decode(message.data))
    ports.delete(message.port)
    port?.close()
  }

  // Real input only: a page can't pass its own events off as a user's.
  for (const [name, input] of [
    ['mouseup', 'mouseUp'],
    ['keydown', 'rawKeyDown'],
  ] as const) {
    window.addEventListener(
      name,
      (event) => {
        if (event.isTrusted) send({ type: 'input', input })
      },
      true,
    )
  }

  const exposed: ((...args: unknown[]) => unknown)[] = []
  const contextBridge = {
    /** Functions are called across the worlds, synchronously, with copies of their arguments and of what they return. */
    exposeInMainWorld(key: string, value: unknown): void {
      const detail = JSON.stringify({ key, json: value }, (_key, field) =>
        typeof field === 'function' ? { calls: exposed.push(field) - 1 } : field,
      )
      window.dispatchEvent(new CustomEvent(options.exposeEvent, { detail }))
    },
  }
  window.addEventListener(`${options.exposeEvent}-call`, (event) => {
    const { calls, args } = (event as CustomEvent<{ calls: number; args: unknown[] }>).detail
    const detail = exposed[calls]?.(...args)
    window.dispatchEvent(new CustomEvent(`${options.exposeEvent}-return`, { detail }))
  })

  const webUtils = {
    /** Files of the stand-in's pages are made by scripts, so none of them is on a disk. */
    getPathForFile(file: unknown): string {
      if (!(file instanceof File)) throw new TypeError('getPathForFile takes a File')
      return ''
    },
  }
  const modules: Record<string, unknown> = { electron: { contextBridge, ipcRenderer, webUtils } }
  modules['electron/renderer'] = modules.electron
  const require = (name: string): unknown => {
    if (!Object.hasOwn(modules, name)) throw new Error(`module not found: ${name}`)
    return modules[name]
  }
  const process = { platform: options.platform, type: 'renderer', sandboxed: true, env: {} }
  const module = { exports: {} }
  try {
    options.runPreload(require, process, module, module.exports)
  } catch (error) {
    send({ type: 'preload-error', message: String((error as Error).stack ?? error) })
  }
}
