/** Words for why a run ended, beside a word that says how. Pure. */
import { plainText } from '../conversation/plain-text.ts'

/** ` because Shiplog quit` or ` with Ctrl-C` after `Interrupted`, else `: <cause>`; empty when the cause is not known. */
export function afterInterrupted(cause: string | null): string {
  if (!cause) return ''
  const known = clauses[cause]
  if (known) return ` because ${known}`
  const rest = withoutInterrupted(cause)
  return rest === causeWords(cause) ? `: ${rest}` : ` ${rest}`
}

const clauses: Record<string, string> = {
  'Shiplog quit while this was running': 'Shiplog quit',
  'Shiplog was closed': 'Shiplog was closed',
  'The app was quit': 'the app was quit',
  'the process was asked to end (SIGTERM)': 'the process was asked to end',
  'the terminal was closed': 'the terminal was closed',
  'stopped by the person': 'you stopped it',
}

/** The cause without a leading `interrupted` of its own. */
export const withoutInterrupted = (cause: string): string =>
  causeWords(cause).replace(/^interrupted (?=\S)/i, '')

/** The record names the person; the person reads "you". */
export const causeWords = (cause: string): string =>
  plainText(cause).replace(/\bby the person$/, 'by you')

/** The usual causes in the few letters that a row has; the others unchanged. */
export const shortCause = (cause: string): string => shortCauses[cause] ?? withoutInterrupted(cause)

const shortCauses: Record<string, string> = {
  'Shiplog quit while this was running': 'Shiplog quit',
  'Shiplog was closed': 'Shiplog closed',
  'The app was quit': 'app quit',
  'interrupted with Ctrl-C': 'Ctrl-C',
  'the process was asked to end (SIGTERM)': 'asked to end',
  'the terminal was closed': 'terminal closed',
}
