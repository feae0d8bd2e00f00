import { type ToolDetail, toolDetailSchema } from '../agents/tools.ts'
import type { Entry } from './entries.ts'

/** Refers to the complete output of a command, in `blobs/`. */
type WholeOutput = NonNullable<Extract<ToolDetail, { kind: 'bash' }>['whole']>

/** Returns the reference to a command's complete output; null if the entry has all of it. */
export function wholeOutputOf(entry: Entry): WholeOutput | null {
  if (entry.type !== 'tool-result') return null
  const { data } = toolDetailSchema.safeParse(entry.detail)
  return data?.kind === 'bash' ? (data.whole ?? null) : null
}
