/** The items of the application menu. Pure: `menu.ts` shows them. */
import type { MenuItemConstructorOptions } from 'electron'

export interface MenuActions {
  openWindow(): void
  /** Shows a screen in the window used last: its address, as `#/archive`. */
  show(fragment: string): void
  /** Goes back or forward through the screens of the window used last. */
  go(where: 'back' | 'forward'): void
  showDataFolder(): void
}

/**
 * The standard menus. The page has its own shortcuts (Ctrl/Cmd+K, N, F, Shift+F, Enter): no item here may use one of
 * them.
 */
export function menuItems(
  { openWindow, show, go, showDataFolder }: MenuActions,
  { isMac, isPackaged }: { isMac: boolean; isPackaged: boolean },
): MenuItemConstructorOptions[] {
  const settings: MenuItemConstructorOptions = {
    label: 'Settings…',
    accelerator: 'CmdOrCtrl+,',
    click: () => show('#/settings'),
  }
  const appMenu: MenuItemConstructorOptions = {
    role: 'appMenu',
    submenu: [
      { role: 'about' },
      { type: 'separator' },
      settings,
      { type: 'separator' },
      { role: 'services' },
      { type: 'separator' },
      ...(['hide', 'hideOthers', 'unhide'] as const).map((role) => ({ role })),
      { type: 'separator' },
      { role: 'quit' },
    ],
  }
  return [
    ...(isMac ? [appMenu] : []),
    {
      label: '&File',
      submenu: [
        { label: 'New Window', accelerator: 'CmdOrCtrl+Shift+N', click: openWindow },
        { type: 'separator' },
        ...(isMac ? [] : [settings, { type: 'separator' } as const]),
        { role: 'close' },
        ...(isMac ? [] : [{ role: 'quit' } as const]),
      ],
    },
    { role: 'editMenu' },
    {
      label: '&View',
      submenu: [
        { label: 'Home', click: () => show('#/') },
        { label: 'Search', click: () => show('#/search') },
        { label: 'Archive', click: () => show('#/archive') },
        { type: 'separator' },
        {
          label: 'Back',
          accelerator: isMac ? 'Cmd+[' : 'Alt+Left',
          click: () => go('back'),
        },
        {
          label: 'Forward',
          accelerator: isMac ? 'Cmd+]' : 'Alt+Right',
          click: () => go('forward'),
        },
        { type: 'separator' },
        ...viewItems(isPackaged),
      ],
    },
    { role: 'windowMenu' },
    {
      role: 'help',
      submenu: [
        { label: 'Show Data Folder', click: showDataFolder },
        ...(isMac ? [] : [{ role: 'about' } as const]),
      ],
    },
  ]
}

/** A page can't be reloaded or inspected once the app is packaged. */
function viewItems(isPackaged: boolean): MenuItemConstructorOptions[] {
  return [
    ...(isPackaged
      ? []
      : ([
          { role: 'reload' },
          { role: 'forceReload' },
          { role: 'toggleDevTools' },
          { type: 'separator' },
        ] as const)),
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    { type: 'separator' },
    { role: 'togglefullscreen' },
  ]
}
