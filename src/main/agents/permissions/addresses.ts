/** The forms in which rules that narrow match the address of a call. */
import { domainToUnicode } from 'node:url'

/**
 * Returns the forms of what a call is about: as written, as fetched, and those of an address that fetch the same page, with
 * a dot after the host, with characters that need no `%`, or with a fragment, which is not sent.
 */
export function formsOfSubject({ subject, given }: { subject: string | null; given: string }) {
  const forms = [given, subject ?? given, ...(subject === null ? [] : formsOfAddress(subject))]
  // An address without a path gets a slash.
  return [...new Set(forms.flatMap((one) => [one, one.replace(/\/$/, '')]))]
}

function formsOfAddress(text: string): string[] {
  const url = URL.parse(text)
  if (!url) return []
  const host = url.hostname.replace(/\.+$/, '')
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const paths = [url.pathname + url.search, url.pathname].flatMap((one) => [one, decoded(one)])
  return [host, domainToUnicode(host)].flatMap((name) =>
    ['', `:${port}`]
      .filter((end) => end !== '' || url.port === '')
      .flatMap((end) => paths.map((path) => `${url.protocol}//${name}${end}${path}`)),
  )
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
