import type { TimelineMark } from '../../contract/transcripts/timeline.ts'
import type { ToolResultEntry } from '../../records/entry-types/tool-calls.ts'

type Result = Pick<ToolResultEntry, 'outcome' | 'detail'>

/**
 * Whether a call failed: the tool's error, an unknown outcome, or a command's exit code. A call that was never tried,
 * such as one that a user refused, did not fail.
 */
export function isFailedCall({ outcome, detail }: Result): boolean {
  const { kind, exitCode } = fieldsOf(detail)
  if (kind === 'not-run') return false
  const isCommand = kind === 'bash' || kind === 'background'
  return outcome !== 'ok' || (isCommand && (exitCode ?? 0) !== 0)
}

export const isNotRun = ({ detail }: Pick<Result, 'detail'>): boolean =>
  fieldsOf(detail).kind === 'not-run'

/** The same of a mark in a timeline. */
export const hasFailed = ({ outcome }: Extract<TimelineMark, { kind: 'result' }>): boolean =>
  outcome !== 'ok' && outcome !== 'not-run'

/** Without a schema, because every result of a transcript is asked. */
const fieldsOf = (detail: unknown): { kind?: unknown; exitCode?: unknown } =>
  typeof detail === 'object' && detail !== null ? detail : {}
