/** Menus, dialogs and the like: there is no system to show them, so they only remember and answer. */
import { EventEmitter } from './events.ts'

interface MenuItem {
  label?: string
  role?: string
  accelerator?: string
  submenu?: MenuItem[]
}

/** The template is the menu; roles are not expanded. */
export class Menu {
  static #application: Menu | null = null
  readonly items: MenuItem[]

  constructor(items: MenuItem[]) {
    this.items = items
  }

  static buildFromTemplate(template: MenuItem[]): Menu {
    return new Menu(template)
  }

  static setApplicationMenu(menu: Menu | null): void {
    Menu.#application = menu
  }

  static getApplicationMenu(): Menu | null {
    return Menu.#application
  }
}

const unanswered = (what: string) => async () => {
  throw new Error(`Nobody is here to answer ${what}; a spec that needs an answer replaces it`)
}

export const dialog = {
  showErrorBox(): void {},
  showMessageBox: unanswered('a message box'),
  showOpenDialog: unanswered('a folder dialog'),
}

export const shell = {
  openExternal: unanswered('for a browser'),
  openPath: async () => '',
}

export const nativeTheme = Object.assign(new EventEmitter(), { shouldUseDarkColors: false })

const workArea = { x: 0, y: 0, width: 1920, height: 1080 }
export const screen = {
  getAllDisplays: () => [{ workArea }],
}

/** As on a Linux without a password manager. */
export const safeStorage = {
  getSelectedStorageBackend: () => 'basic_text',
  isAsyncEncryptionAvailable: async () => false,
  encryptStringAsync: unanswered('for a keychain'),
  decryptStringAsync: unanswered('for a keychain'),
}
