/** The contract over MessagePorts: one for each window, accepted only from its own page. */
import { RPCHandler } from '@orpc/server/websocket'
import { BrowserWindow, type IpcMainEvent, ipcMain, type MessagePortMain } from 'electron'
import type { CallContext } from '../../../shared/contract/grants.ts'
import { appOrigin } from './app-scheme.ts'
import { servePort } from './serve-port.ts'
import type { DesktopServices } from './services.ts'

/** The IPC channel that the preload script uses. */
const channel = 'orpc-port'

/** Serves the router to every window that `isOwnWindow` accepts. Returns a function that ends it, ports included. */
export function servePorts(
  router: DesktopServices['router'],
  isOwnWindow: (window: BrowserWindow) => boolean,
): () => void {
  const handler = new RPCHandler<CallContext>(router)
  const ports = new Map<BrowserWindow, MessagePortMain>()

  const onPort = (event: IpcMainEvent): void => {
    const window = BrowserWindow.fromWebContents(event.sender)
    const [port] = event.ports
    if (!window || !isOwnWindow(window) || !port || !isFromPage(event, window)) {
      for (const refused of event.ports) refused.close()
      return
    }
    // A reloaded page has lost its end; calls that still run there are ended.
    ports.get(window)?.close()
    ports.set(window, port)
    const forget = (): void => {
      if (ports.get(window) === port) ports.delete(window)
    }
    port.on('close', forget)
    window.once('closed', () => port.close())
    servePort(port, handler)
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
