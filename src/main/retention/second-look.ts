/**
 * Lets a permanent deletion wait for a second look on another day, because one look on a clock that is days ahead would
 * delete items whose time is not over. See FORMAT.md, "A clock that leapt ahead".
 */
import { z } from 'zod'
import type { RemovalReason } from '../../shared/contract/retention.ts'
import { dayMs } from '../../shared/durations.ts'
import { readJsonFile, writeFileDurable } from '../journal/index.ts'
import type { PlannedPurge } from './trash.ts'

const dueSchema = z.object({
  version: z.literal(1),
  /** By name in the trash: since when it was due for that reason at every look, in milliseconds. */
  due: z.record(z.string(), z.object({ reason: z.string(), sinceMs: z.number() })),
})
type Due = z.infer<typeof dueSchema>['due']

/** No wrong clock that is noticed and corrected within a day deletes anything. */
const confirmedAfterMs = dayMs

/**
 * Returns those of `planned` that were planned for the same reason a day ago or longer, and at every look since.
 * `remember`: this is such a look. `file` is disposable: without it, all wait for another day.
 */
export async function confirmedByTime(
  /** Absolute. */
  file: string,
  planned: readonly PlannedPurge[],
  nowMs: number,
  { remember }: { remember: boolean },
): Promise<PlannedPurge[]> {
  const read = await readJsonFile(file, dueSchema)
  const known = read.kind === 'ok' ? new Map(Object.entries(read.value.due)) : new Map()
  const due = new Map(planned.map((one) => [one.name, sinceWhen(one, known.get(one.name), nowMs)]))
  const isSame =
    known.size === due.size &&
    [...due].every(
      ([name, one]) =>
        known.get(name)?.sinceMs === one.sinceMs && known.get(name)?.reason === one.reason,
    )
  if (remember && !isSame) {
    const value = { version: 1, due: Object.fromEntries(due) }
    await writeFileDurable(file, `${JSON.stringify(value, null, 2)}\n`)
  }
  return planned.filter(({ name }) => (due.get(name)?.sinceMs ?? nowMs) + confirmedAfterMs <= nowMs)
}

/** A look later than now was on another clock, and confirms nothing. */
function sinceWhen(
  { reason }: { reason: RemovalReason },
  before: Due[string] | undefined,
  nowMs: number,
): Due[string] {
  if (before?.reason === reason && before.sinceMs <= nowMs) return before
  return { reason, sinceMs: nowMs }
}
