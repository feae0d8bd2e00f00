import { parse, stringify } from 'yaml'
import type { Masker } from '../../../shared/agents/driver/masker.ts'

/**
 * The scenario as it is saved beside the record and played: with its secrets masked. Without secrets it stays as it
 * was written, comments included. `text` was parsed before.
 */
export function maskScenario(text: string, mask: Masker): string {
  return mask.text(text) === text ? text : stringify(mask.value(parse(text)))
}
