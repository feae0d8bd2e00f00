/**
 * The only code between the page and the main process: it passes one MessagePort on and does not inspect
 * its messages. Sandboxed, so built as CommonJS, and `electron` is all it may require.
 *
 *   page     window.postMessage({ type: 'shiplog-connect' }, location.origin)
 *   preload  one end of a new channel to the main process, the other to the page:
 *            window.postMessage({ type: 'shiplog-port' }, location.origin, [port])
 */
import { contextBridge, ipcRenderer, webUtils } from 'electron'

contextBridge.exposeInMainWorld('shiplog', {
  host: 'desktop',
  platform: process.platform,
  /** Returns the path of a file that was dropped on the page; '' if it exists in memory only. */
  pathOf: (file: File) => webUtils.getPathForFile(file),
})

// One port per document: the main process replaces a window's port by a newer one, so a second request of a busy page
// would cut off the port that it was just given.
window.addEventListener('message', function handOver(event) {
  if (event.source !== window || event.origin !== location.origin) return
  if (event.data?.type !== 'shiplog-connect') return
  window.removeEventListener('message', handOver)
  const { port1, port2 } = new MessageChannel()
  ipcRenderer.postMessage('orpc-port', null, [port1])
  window.postMessage({ type: 'shiplog-port' }, location.origin, [port2])
})
