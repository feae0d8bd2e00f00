/** The module `electron`, as far as Shiplog uses it. README.md says what is real about it and what is not. */
export { app } from './app.ts'
export { BrowserWindow } from './browser-window.ts'
export { ipcMain } from './ipc-main.ts'
export { MessageChannelMain } from './message-port.ts'
export { protocol } from './protocol.ts'
export { session } from './session.ts'
export { dialog, Menu, nativeTheme, safeStorage, screen, shell } from './system.ts'
export { webContents } from './web-contents.ts'
