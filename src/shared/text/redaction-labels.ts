/** Nouns for the kinds of values that an export masks. */
import type { RedactionKind } from '../contract/exports.ts'

export const redactionLabels: Record<RedactionKind, string> = {
  'private-key': 'private key',
  credentials: 'credentials in a URL',
  named: 'value named like a secret',
  key: 'key',
  home: 'home directory',
  user: 'user name',
}
