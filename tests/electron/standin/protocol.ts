/**
 * `protocol`: custom schemes. Chromium can be taught none from outside, so inside it `app://host/x` is
 * `https://host.app.standin/x`: standard, secure and with fetch, as such a scheme is registered to be.
 */
import { isReady } from './app.ts'

type Handler = (request: Request) => Response | Promise<Response>

const schemes = new Set<string>()
const handlers = new Map<string, Handler>()

export const protocol = {
  registerSchemesAsPrivileged(list: { scheme: string }[]): void {
    if (isReady()) {
      throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready')
    }
    for (const { scheme } of list) schemes.add(scheme)
  },
  handle(scheme: string, handler: Handler): void {
    handlers.set(scheme, handler)
  },
}

/** What Chromium is told for a URL of the app. */
export function toChromium(url: string): string {
  const [, scheme = '', host, rest = ''] = /^([a-z]+):\/\/([^/?#]+)(.*)$/s.exec(url) ?? []
  return schemes.has(scheme) ? `https://${host}.${scheme}.standin${rest}` : url
}

/** The inverse, of URLs and of origins. */
export function fromChromium(url: string): string {
  const [, host, scheme = '', rest = ''] =
    /^https:\/\/([^/?#]+)\.([a-z]+)\.standin(.*)$/s.exec(url) ?? []
  return schemes.has(scheme) ? `${scheme}://${host}${rest}` : url
}

/** The app's answer, or undefined for a URL that is of none of its schemes. */
export async function answerOf(request: {
  url: string
  method: string
  headers: Record<string, string>
}): Promise<Response | undefined> {
  const url = fromChromium(request.url)
  const handler = handlers.get(new URL(url).protocol.slice(0, -1))
  return handler?.(new Request(url, { method: request.method, headers: request.headers }))
}
