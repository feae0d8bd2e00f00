/**
 * The only code between the page and the main process: it hands one MessagePort over, and knows nothing
 * of what is said on it. Sandboxed, so built as CommonJS, and `electron` is all it may require.
 *
 *   page     window.postMessage({ type: 'shiplog-connect' }, location.origin)
 *   preload  one end of a new channel to the main process, the other to the page:
 *            window.postMessage({ type: 'shiplog-port' }, location.origin, [port])
 */
import { contextBridge, ipcRenderer, webUtils } from 'electron'

contextBridge.exposeInMainWorld('shiplog', {
  host: 'desktop',
  platform: process.platform,
  /** Where a file is that was dropped on the page; '' if it is in memory only. */
  pathOf: (file: File) => webUtils.getPathForFile(file),
})

// One port a document: the main process replaces the port of a window by a newer one, so answering a
// page that asks twice while it is busy would cut off what it was just given.
window.addEventListener('message', function handOver(event) {
  if (event.source !== window || event.origin !== location.origin) return
  if (event.data?.type !== 'shiplog-connect') return
  window.removeEventListener('message', handOver)
  const { port1, port2 } = new MessageChannel()
  ipcRenderer.postMessage('orpc-port', null, [port1])
  window.postMessage({ type: 'shiplog-port' }, location.origin, [port2])
})
