/** Formats the notice about the sweep at start: one line, with details. */
import prettyBytes from 'pretty-bytes'
import { totalBytes } from '../../shared/collections/total-bytes.ts'
import type { RemovedItem, RetentionSettings, Sweep } from '../../shared/contract/retention.ts'
import { counted } from '../../shared/text/counted.ts'
import { dayOf } from '../../shared/text/format-time.ts'

/** More would scroll all other output off a terminal; the receipt lists all of them. */
const detailsMax = 20

/** `Moved 12 transcripts (340 MB) older than 30 days to the trash.` */
export function formatSweep(
  { removed }: Sweep,
  { transcriptTtlDays, trashTtlDays, trashBytesMax }: RetentionSettings,
): { text: string; details: string[] } {
  const swept = removed.filter((item) => item.kind === 'transcript')
  const deleted = removed.filter((item) => item.kind !== 'transcript')
  const sentences: string[] = []
  if (swept.length > 0) {
    const allOld = swept.every((item) => item.reason === 'age')
    const why = allOld ? ` older than ${counted(transcriptTtlDays ?? 0, 'day')}` : ''
    sentences.push(`Moved ${sized(swept, 'transcript')}${why} to the trash.`)
  }
  const overBudget = deleted.filter((item) => item.reason === 'trash-bytes')
  const expired = deleted.filter((item) => item.reason !== 'trash-bytes')
  if (expired.length > 0) {
    sentences.push(
      `Deleted ${sized(expired, 'item')} that had been in the trash for ${counted(trashTtlDays, 'day')}.`,
    )
  }
  if (overBudget.length > 0) {
    const budget = prettyBytes(trashBytesMax ?? 0)
    sentences.push(
      `Deleted the oldest ${sized(overBudget, 'item')} in the trash, which holds ${budget} at most.`,
    )
  }
  const details = removed.slice(0, detailsMax).map(itemText)
  if (removed.length > detailsMax) {
    details.push(`and ${removed.length - detailsMax} more: Settings, Retention has the receipt`)
  }
  return { text: sentences.join(' '), details }
}

function itemText({ title, bytes, reason, kind, lastActiveAt }: RemovedItem): string {
  const size = prettyBytes(bytes)
  const day = lastActiveAt === null ? 'an unknown day' : dayOf(lastActiveAt)
  if (kind !== 'transcript') return `${title}: ${size}, in the trash since ${day}`
  const beyond =
    { count: ', over the limit', bytes: ', over the size limit' }[reason as string] ?? ''
  return `${title}: ${size}, last active ${day}${beyond}`
}

const sized = (items: RemovedItem[], one: string): string =>
  `${counted(items.length, one)} (${prettyBytes(totalBytes(items))})`
