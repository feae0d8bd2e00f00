import { randomUUID } from 'node:crypto'
import type { Notice } from '../../shared/contract/app.ts'
import { counted } from '../../shared/text/counted.ts'
import type { LogLevel } from '../log/format-line.ts'
import type { Log } from '../log/log.ts'

/** Bounds the notices of a process that runs for weeks; more than a user reads. */
export const noticesMax = 200
/** Limit of detail lines per notice. The log has all of them. */
export const detailsMax = 100

export type NoticeLog = Pick<Log, 'file' | LogLevel>

interface NoticeList {
  add(notice: Omit<Notice, 'id'>, logged?: { error?: unknown }): void
  /** Removes the oldest such notice. */
  remove(matches: (notice: Notice) => boolean): void
  /** The oldest first; last, if there were more, one that states how many are only in the log. */
  all(): Notice[]
  /** Without that last one. */
  readonly kept: readonly Notice[]
}

/** The newest notices of this process, bounded. `log` receives each in full. */
export function createNoticeList(log: NoticeLog): NoticeList {
  const notices: Notice[] = []
  let leftOut = 0
  // Windows remember the ids that they have shown, so ids must differ between starts.
  const start = randomUUID()
  let added = 0
  // A constant id, so that a user who has read the notice does not see it again.
  const omittedNotice = (): Notice => ({
    id: `${start}-older`,
    tone: 'info',
    text: `${counted(leftOut, 'older notice is', 'older notices are')} only in Shiplog’s own log.`,
    details: [log.file],
  })
  return {
    add(notice, logged = {}) {
      const { tone, text, details } = notice
      log[tone]('notice', { text, details, ...logged })
      const more = details.length - detailsMax
      const shown = more > 0 ? [...details.slice(0, detailsMax), `… and ${more} more`] : details
      notices.push({ ...notice, id: `${start}-${++added}`, details: shown })
      if (notices.length <= noticesMax) return
      // Later failures must not evict a notice that can be undone or needs an answer.
      const oldest = notices.findIndex((one) => !one.receiptId && !one.topic)
      notices.splice(Math.max(0, oldest), 1)
      leftOut++
    },
    remove(matches) {
      const at = notices.findIndex(matches)
      if (at >= 0) notices.splice(at, 1)
    },
    kept: notices,
    all: () => (leftOut === 0 ? [...notices] : [...notices, omittedNotice()]),
  }
}
