/** Why a run ended, for beside a word that says already how. Pure. */
import { plainText } from '../conversation/plain-text.ts'

/** ` with Ctrl-C` after `Interrupted`, else `: the terminal was closed`; empty when the cause is not known. */
export function afterInterrupted(cause: string | null): string {
  if (!cause) return ''
  const rest = withoutInterrupted(cause)
  return rest === causeWords(cause) ? `: ${rest}` : ` ${rest}`
}

/** The cause without a leading `interrupted` of its own. */
export const withoutInterrupted = (cause: string): string =>
  causeWords(cause).replace(/^interrupted (?=\S)/i, '')

/** What the record says of the person is said to the person. */
export const causeWords = (cause: string): string =>
  plainText(cause).replace(/\bby the person$/, 'by you')

/** What the record says of the usual ones, in the few letters that a row has; the rest as it is. */
export const shortCause = (cause: string): string => shortCauses[cause] ?? withoutInterrupted(cause)

const shortCauses: Record<string, string> = {
  'Shiplog ended while it ran': 'Shiplog ended',
  'Shiplog was closed while it ran': 'Shiplog closed',
  'Shiplog was closed': 'Shiplog closed',
  'The app was quit': 'app quit',
  'interrupted with Ctrl-C': 'Ctrl-C',
  'the process was asked to end (SIGTERM)': 'asked to end',
  'the terminal was closed': 'terminal closed',
}
