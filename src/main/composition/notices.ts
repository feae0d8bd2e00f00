/** The notices of a start: what was repaired, recovered or lost, for the person and the log. */
import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import type { Notice } from '../../shared/contract/app.ts'
import { messageOf } from '../../shared/error-message.ts'
import { type ReceiptId, shortId, type TaskId } from '../../shared/records/ids.ts'
import { counted } from '../../shared/text/counted.ts'
import type { LogLevel } from '../log/format-line.ts'
import type { Log } from '../log/log.ts'

/** The recovery of an interrupted working tree update, as reported by the workspaces. */
interface SettledUpdate {
  title: string
  reason: 'apply' | 'undo'
  root: string
  files: number
  /** A command that shows the saved files when `:before/<file>` or `:after/<file>` is appended. */
  show: string
  outcome:
    | { kind: 'completed' | 'nothing-left' }
    | { kind: 'rolled-back'; left: string[] }
    | { kind: 'failed'; error: unknown }
}

/** Problems found in a session's journal when it was opened. */
interface OpenedSession {
  id: TaskId
  title: string
  healed: { detail: string }[]
  damage: { file: string; line: number; reason: string }[]
}

/** Notices for the person: repairs, interruptions and failures. */
export type Notices = ReturnType<typeof createNotices>

/** Bounds the notices of a process that runs for weeks; more than a user reads. */
export const noticesMax = 200
/** Limit of detail lines per notice. The log has all of them. */
export const detailsMax = 100

/** `log`: receives each notice in full. */
export function createNotices({ log }: { log: Pick<Log, 'file' | LogLevel> }) {
  const notices: Notice[] = []
  let leftOut = 0
  // Windows remember the ids that they have shown, so ids must differ between starts.
  const start = randomUUID()
  let added = 0
  /** Null once the start is over. */
  let healedAtStart: string[] | null = []
  const reportedDamage = new Map<TaskId, number>()
  const push = (notice: Omit<Notice, 'id'>, logged: { error?: unknown } = {}) => {
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
  }
  const add = (tone: Notice['tone'], text: string, details: string[], receiptId?: ReceiptId) =>
    push({ tone, text, details, receiptId })
  const addIfAny = (tone: Notice['tone'], details: string[], text: (count: number) => string) => {
    if (details.length > 0) add(tone, text(details.length), details)
  }
  // A constant id, so that a person who has read the notice does not see it again.
  const omittedNotice = (): Notice => ({
    id: `${start}-older`,
    tone: 'info',
    text: `${counted(leftOut, 'older notice is', 'older notices are')} only in Shiplog’s own log.`,
    details: [log.file],
  })
  let listenerHasFailed = false
  const problem = (text: string, error: unknown) =>
    push(
      { tone: 'error', text, details: [messageOf(error)] },
      // The stack goes to the log only.
      { error },
    )
  return {
    list: (): Notice[] => (leftOut === 0 ? [...notices] : [...notices, omittedNotice()]),
    /** The repairs and interruptions of the start, one line each. */
    startRepairs: () =>
      notices
        .filter(({ tone, topic }) => tone === 'info' && topic !== 'project')
        .flatMap((one) => [one.text, ...one.details]),
    /** Adds one notice for all repairs of the start. Sessions opened later get separate notices. */
    healed: (details: string[]) => {
      const all = [...details, ...(healedAtStart ?? [])]
      healedAtStart = null
      addIfAny('info', all, () => 'Shiplog didn’t shut down cleanly. The log was repaired.')
    },
    /** Reports the repairs of a session's journal, and its damage if it exceeds the damage already reported. */
    sessionOpened: ({ id, title, healed, damage }: OpenedSession) => {
      const lines = healed.map((one) => `${title} (${shortId(id)}): ${one.detail}`)
      if (healedAtStart) healedAtStart.push(...lines)
      else
        addIfAny(
          'info',
          lines,
          () => `The transcript of "${title}" ended abruptly and was repaired.`,
        )
      if (damage.length <= (reportedDamage.get(id) ?? 0)) return
      reportedDamage.set(id, damage.length)
      addIfAny(
        'warning',
        damage.map((one) => `${basename(one.file)}:${one.line} ${one.reason}`),
        (count) =>
          `${counted(count, 'place')} in the transcript of "${title}" can't be read. Everything else can.`,
      )
    },
    damaged: (details: string[]) =>
      addIfAny(
        'warning',
        details,
        (count) => `${counted(count, 'place')} in the ledger can't be read. Everything else can.`,
      ),
    strays: (details: string[]) =>
      addIfAny(
        'warning',
        details,
        (count) =>
          `${counted(count, 'transcript is', 'transcripts are')} on disk that the ledger does not list. Nothing was changed.`,
      ),
    unknownRecords: (count: number) => {
      if (count > 0)
        add(
          'warning',
          `${counted(count, 'record of the ledger is', 'records of the ledger are')} of a kind that this version of Shiplog does not know and ${count === 1 ? 'is' : 'are'} not shown. Nothing was changed.`,
          [],
        )
    },
    interrupted: (details: string[]) => {
      const agents = counted(details.length, 'agent was', 'agents were')
      if (details.length > 0)
        push({
          tone: 'info',
          text: `${agents} interrupted when Shiplog quit.`,
          details,
          topic: 'interrupted',
        })
    },
    /** Reports how an interrupted update was completed, or why it could not be. */
    settled: ({ title, reason, root, files, show, outcome }: SettledUpdate) => {
      const what = `${reason === 'apply' ? 'Applying' : 'Undoing the apply of'} “${title}” (${counted(files, 'file')}, ${root})`
      switch (outcome.kind) {
        case 'completed':
          return add('info', `${what} was interrupted. It has been completed.`, [])
        case 'nothing-left':
          return add('info', `${what} was interrupted, and nothing is left of it to complete.`, [])
        case 'rolled-back':
          if (outcome.left.length === 0)
            return add('info', `${what} was interrupted. Every file was restored.`, [])
          return add(
            'warning',
            `${what} was interrupted. ${counted(outcome.left.length, 'file was', 'files were')} changed since and left alone; all others are as before.`,
            [
              ...outcome.left,
              `What they held before: ${show}:${reason === 'apply' ? 'before' : 'after'}/<file>`,
            ],
          )
        case 'failed':
          return add(
            'error',
            `${what} was interrupted and can’t be completed yet. The next start tries again; the earlier content is kept: ${show}.`,
            [outcome.error instanceof Error ? outcome.error.message : String(outcome.error)],
          )
      }
    },
    /** Reports that a project has moved, or that its folder contains another repository. */
    project: (notice: Pick<Notice, 'tone' | 'text' | 'details'>) =>
      push({ ...notice, topic: 'project' }),
    logFailed: (error: unknown) =>
      add('warning', 'Shiplog’s own log can’t be written. Everything else works.', [
        messageOf(error),
      ]),
    warning: (text: string) => add('warning', text, []),
    /**
     * Reports what retention removed at this start. `receiptId`: the receipt to undo the sweep; absent: not undoable.
     */
    swept: ({ text, details }: { text: string; details: string[] }, receiptId?: ReceiptId) => {
      add('info', text, details, receiptId)
    },
    /** Removes the notice of an undone sweep. */
    withdraw: (receiptId: ReceiptId) => {
      const at = notices.findIndex((one) => one.receiptId === receiptId)
      if (at >= 0) notices.splice(at, 1)
    },
    clockAhead: (text: string) =>
      push({
        tone: 'warning',
        text,
        details: [],
        topic: 'clock-ahead',
      }),
    clockConfirmed: () => {
      const at = notices.findIndex((one) => one.topic === 'clock-ahead')
      if (at >= 0) notices.splice(at, 1)
    },
    settingsLost: (detail: string) =>
      add(
        'warning',
        'The settings of retention can’t be read, so nothing is cleaned up by itself until they are saved again.',
        [detail],
      ),
    /** Reports an event listener that threw. Only the first error is kept, because it usually repeats. */
    listenerFailed: (error: unknown) => {
      if (listenerHasFailed) return
      listenerHasFailed = true
      problem('A part of Shiplog could not handle a recorded event. The event is recorded.', error)
    },
    problem,
  }
}
