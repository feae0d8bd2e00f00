import { app, Menu } from 'electron'
import { type MenuActions, menuItems } from './menu-items.ts'

export function setMenu(actions: MenuActions): void {
  const items = menuItems(actions, {
    isMac: process.platform === 'darwin',
    isPackaged: app.isPackaged,
  })
  app.setAboutPanelOptions({ applicationName: 'Shiplog', applicationVersion: app.getVersion() })
  Menu.setApplicationMenu(Menu.buildFromTemplate(items))
}
