import { parse, stringify } from 'yaml'
import type { Masker } from '../../../shared/agent.ts'

/**
 * A scenario as it is kept beside the record and played: without the secrets that it says. One without them
 * stays as it was written, comments and all. `text` was parsed before.
 */
export function maskScenario(text: string, mask: Masker): string {
  return mask.text(text) === text ? text : stringify(mask.value(parse(text)))
}
