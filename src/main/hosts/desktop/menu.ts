import { app, Menu, type MenuItemConstructorOptions } from 'electron'
import { viewItems } from './menu-items.ts'

interface MenuActions {
  openWindow(): void
  showDataFolder(): void
}

/** The standard menus. The page has its own shortcuts (Ctrl/Cmd+K, N, F, Enter): no item here may use one of them. */
export function setMenu({ openWindow, showDataFolder }: MenuActions): void {
  const isMac = process.platform === 'darwin'
  const template: MenuItemConstructorOptions[] = [
    ...(isMac ? [{ role: 'appMenu' } as const] : []),
    {
      label: '&File',
      submenu: [
        { label: 'New Window', accelerator: 'CmdOrCtrl+Shift+N', click: openWindow },
        { type: 'separator' },
        { role: 'close' },
        ...(isMac ? [] : [{ role: 'quit' } as const]),
      ],
    },
    { role: 'editMenu' },
    { label: '&View', submenu: viewItems(app.isPackaged) },
    { role: 'windowMenu' },
    {
      role: 'help',
      submenu: [
        { label: 'Show Data Folder', click: showDataFolder },
        ...(isMac ? [] : [{ role: 'about' } as const]),
      ],
    },
  ]
  app.setAboutPanelOptions({ applicationName: 'Shiplog', applicationVersion: app.getVersion() })
  Menu.setApplicationMenu(Menu.buildFromTemplate(template))
}
