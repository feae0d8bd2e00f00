/**
 * The renderer's own scheme. A page from `file:` could read every file of the disk and has no origin to
 * check a port against; `app://shiplog` is an origin like any other on the web.
 */
import { protocol } from 'electron'
import { securityHeaders } from '../content-security.ts'
import { readRendererFile } from '../renderer-files.ts'

const scheme = 'app'
const hostName = 'shiplog'

/** In the form of `senderFrame.origin`. (`new URL(…).origin` is 'null' in Node, which does not know the scheme.) */
export const appOrigin = `${scheme}://${hostName}`
export const appPage = `${appOrigin}/index.html`

/** Must be called before `app` is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme,
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ])
}

/** Answers for the scheme from the built renderer. Call once `app` is ready. */
export function serveRenderer(rendererDir: string): void {
  protocol.handle(scheme, async (request) => {
    const url = new URL(request.url)
    if (url.host !== hostName || request.method !== 'GET') {
      return new Response(null, { status: 404, headers: securityHeaders })
    }
    try {
      const file = await readRendererFile(rendererDir, url.pathname)
      return new Response(file.body, { status: file.status, headers: file.headers })
    } catch (error) {
      console.error(error)
      return new Response(null, { status: 500, headers: securityHeaders })
    }
  })
}
