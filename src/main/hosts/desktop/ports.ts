/** The contract over MessagePorts: one for each window, taken from its own page and from nobody else. */
import { RPCHandler } from '@orpc/server/websocket'
import { BrowserWindow, type IpcMainEvent, ipcMain, type MessagePortMain } from 'electron'
import { appOrigin } from './app-scheme.ts'
import type { DesktopServices } from './services.ts'

/** The preload's word for it. */
const channel = 'orpc-port'

/** Serves the router to every window that `isOwnWindow` knows. Returns what ends it, ports included. */
export function servePorts(
  router: DesktopServices['router'],
  isOwnWindow: (window: BrowserWindow) => boolean,
): () => void {
  const handler = new RPCHandler(router)
  const ports = new Map<BrowserWindow, MessagePortMain>()

  const onPort = (event: IpcMainEvent): void => {
    const window = BrowserWindow.fromWebContents(event.sender)
    const [port] = event.ports
    if (!window || !isOwnWindow(window) || !port || !isFromPage(event, window)) {
      for (const refused of event.ports) refused.close()
      return
    }
    // A page that was loaded again has lost its end; whatever it still ran there ends with it.
    ports.get(window)?.close()
    ports.set(window, port)
    const forget = (): void => {
      if (ports.get(window) === port) ports.delete(window)
    }
    port.on('close', forget)
    window.once('closed', () => port.close())
    serve(port, handler)
  }

  ipcMain.on(channel, onPort)
  return () => {
    ipcMain.off(channel, onPort)
    for (const port of ports.values()) port.close()
    ports.clear()
  }
}

/** The main frame of the window, showing our own page: not an iframe, nor a page it was led to. */
function isFromPage(event: IpcMainEvent, window: BrowserWindow): boolean {
  const frame = event.senderFrame
  return (
    frame !== null &&
    frame === window.webContents.mainFrame &&
    frame.origin === appOrigin &&
    event.ports.length === 1
  )
}

/**
 * ORPC's handler for WebSockets takes messages one by one and says when one could not be handled; its
 * handler for MessagePorts speaks the same words but leaves such rejections to nobody, and a message
 * that is no call must not end the process that all agents run in.
 */
function serve(port: MessagePortMain, handler: RPCHandler<Record<never, never>>): void {
  const peer = {
    addEventListener() {}, // the events are given to the handler below
    send: (data: unknown) => port.postMessage(data),
  }
  port.on('message', ({ data }) => {
    handler.message(peer, data, { context: {} }).catch((error: unknown) => {
      console.error('A message from a window could not be handled:', error)
    })
  })
  port.on('close', () => handler.close(peer))
  port.start()
}
