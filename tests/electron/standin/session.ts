/**
 * `session`: permissions. Chromium asks nobody in a headless window, so what the app's handlers would
 * answer is set in it beforehand; without a handler Electron grants everything, and so does this.
 */
import type { CdpSession } from './cdp.ts'
import { fromChromium } from './protocol.ts'

type RequestHandler = (
  contents: unknown,
  permission: string,
  decide: (granted: boolean) => void,
  details: { requestingUrl: string },
) => void
type CheckHandler = (contents: unknown, permission: string, requestingOrigin: string) => boolean

let requestHandler: RequestHandler | null = null
let checkHandler: CheckHandler | null = null

/** Electron's names, and Chromium's for the same. */
const permissions = [
  { electron: 'geolocation', chromium: { name: 'geolocation' } },
  { electron: 'notifications', chromium: { name: 'notifications' } },
  { electron: 'media', chromium: { name: 'camera' } },
  { electron: 'media', chromium: { name: 'microphone' } },
  { electron: 'midi', chromium: { name: 'midi' } },
  { electron: 'clipboard-read', chromium: { name: 'clipboard-read' } },
  { electron: 'clipboard-sanitized-write', chromium: { name: 'clipboard-write' } },
]

export const session = {
  defaultSession: {
    setPermissionRequestHandler(handler: RequestHandler | null): void {
      requestHandler = handler
    },
    setPermissionCheckHandler(handler: CheckHandler | null): void {
      checkHandler = handler
    },
    setDevicePermissionHandler(): void {},
    setDisplayMediaRequestHandler(): void {},
    on(): void {},
  },
}

/** `url`: in Chromium's spelling. Asked again for each page, for the handlers may have changed. */
export async function applyPermissions(
  browser: CdpSession,
  contents: unknown,
  url: string,
): Promise<void> {
  const { origin } = new URL(url)
  if (origin === 'null') return // no page of it can be granted anything
  await Promise.all(
    permissions.map(({ electron, chromium }) =>
      browser.send('Browser.setPermission', {
        permission: chromium,
        origin,
        setting: isGranted(contents, electron, fromChromium(origin)) ? 'granted' : 'denied',
      }),
    ),
  )
}

function isGranted(contents: unknown, permission: string, origin: string): boolean {
  let requested = requestHandler === null
  requestHandler?.(
    contents,
    permission,
    (granted) => {
      requested = granted
    },
    { requestingUrl: `${origin}/` },
  )
  const checked = checkHandler === null || checkHandler(contents, permission, `${origin}/`)
  return requested && checked
}
