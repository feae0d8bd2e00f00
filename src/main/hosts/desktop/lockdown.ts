/** Restrictions of a page, whatever its content. Applies to every page that is created. */
import { app, type Session, shell, type WebContents } from 'electron'
import { externalLink } from '../../../shared/text/external-link.ts'
import { appOrigin, appPage } from './app-scheme.ts'

/**
 * A link is opened only for a user action: a click or a key shortly before it. The events of Electron do not contain
 * their cause, so input is observed.
 */
const clickAgeMsMax = 1_000

/** Must be called before the first window is made. */
export function lockDownPages(): void {
  app.on('web-contents-created', (_event, contents) => {
    denyLeaving(contents)
    contents.on('will-attach-webview', (event) => event.preventDefault())
    contents.on('select-bluetooth-device', (event, _devices, choose) => {
      event.preventDefault()
      choose('')
    })
  })
}

/** Denies a page every permission except notifications and writing text to the clipboard. */
export function denyPermissions(session: Session): void {
  const isAllowed = (permission: string, origin: string): boolean =>
    allowedPermissions.has(permission) && isAppOrigin(origin)

  session.setPermissionRequestHandler((_contents, permission, decide, details) => {
    decide(isAllowed(permission, details.requestingUrl))
  })
  session.setPermissionCheckHandler((_contents, permission, requestingOrigin) =>
    isAllowed(permission, requestingOrigin),
  )
  session.setDevicePermissionHandler(() => false)
  // Without a handler Electron may use its own: a picker of the system.
  session.setDisplayMediaRequestHandler((_request, choose) => choose({}))
  for (const device of ['select-hid-device', 'select-serial-port', 'select-usb-device'] as const) {
    // The three differ in what they offer, and are refused alike.
    session.on(device as 'select-usb-device', (event, _offered, choose) => {
      event.preventDefault()
      choose()
    })
  }
}

const allowedPermissions: ReadonlySet<string> = new Set([
  // "Copy details" and "Copy link" write text; reading the clipboard is another permission, and denied.
  'clipboard-sanitized-write',
  // That an agent has ended, while the window is in the background. It shows text and nothing else.
  'notifications',
])

function denyLeaving(contents: WebContents): void {
  let lastInputAt = Number.NEGATIVE_INFINITY
  contents.on('input-event', (_event, input) => {
    if (input.type === 'mouseUp' || input.type === 'rawKeyDown' || input.type === 'keyDown') {
      lastInputAt = performance.now()
    }
  })
  const openOutside = (link: string): void => {
    const asked = performance.now() - lastInputAt <= clickAgeMsMax
    const address = externalLink(link)
    if (!asked || address === null) return
    lastInputAt = Number.NEGATIVE_INFINITY // one click, one link
    void shell.openExternal(address).catch((error: unknown) => console.error(error))
  }

  contents.on('will-frame-navigate', (details) => {
    // The page may reload itself; every other navigation leads outside.
    if (details.isMainFrame && isAppPage(details.url)) return
    details.preventDefault()
    if (details.isMainFrame) openOutside(details.url)
  })
  contents.on('will-redirect', (details) => details.preventDefault())
  contents.setWindowOpenHandler(({ url }) => {
    openOutside(url)
    return { action: 'deny' }
  })
}

const isAppOrigin = (url: string): boolean => url === appOrigin || url.startsWith(`${appOrigin}/`)

const isAppPage = (url: string): boolean => {
  const page = url.split('#', 1)[0]
  return page === appPage || page === `${appOrigin}/`
}
