import type { MenuItemConstructorOptions } from 'electron'

/** The View menu. A page can't be reloaded or inspected once the app is packaged. */
export function viewItems(isPackaged: boolean): MenuItemConstructorOptions[] {
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
