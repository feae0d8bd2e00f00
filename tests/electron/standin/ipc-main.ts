import { EventEmitter } from './events.ts'

/** `ipcMain`: what pages send with `send` and `postMessage`. `invoke` is not there, for Shiplog has no use for it. */
export const ipcMain = new EventEmitter()
