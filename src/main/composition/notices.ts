/** The texts of notices: what was repaired, recovered, interrupted or lost, for the user and the log. */
import { basename } from 'node:path'
import type { Notice } from '../../shared/contract/app.ts'
import { messageOf } from '../../shared/error-message.ts'
import { type ReceiptId, shortId, type TaskId } from '../../shared/records/ids.ts'
import { counted } from '../../shared/text/counted.ts'
import { createNoticeList, type NoticeLog } from './notice-list.ts'

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

export type Notices = ReturnType<typeof createNotices>

/** `log`: receives each notice in full. */
export function createNotices({ log }: { log: NoticeLog }) {
  const notices = createNoticeList(log)
  /** Null once the start is over. */
  let healedAtStart: string[] | null = []
  const reportedDamage = new Map<TaskId, number>()
  const add = (tone: Notice['tone'], text: string, details: string[], receiptId?: ReceiptId) =>
    notices.add({ tone, text, details, receiptId })
  const addIfAny = (tone: Notice['tone'], details: string[], text: (count: number) => string) => {
    if (details.length > 0) add(tone, text(details.length), details)
  }
  let listenerHasFailed = false
  const problem = (text: string, error: unknown) =>
    notices.add(
      { tone: 'error', text, details: [messageOf(error)] },
      // The stack goes to the log only.
      { error },
    )
  return {
    list: notices.all,
    /** The repairs and interruptions of the start, one line each. */
    startRepairs: () =>
      notices.kept
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
          `${counted(count, 'place')} in the transcript of "${title}" can’t be read. Everything else can. Run shiplog doctor to see what is affected.`,
      )
    },
    damaged: (details: string[]) =>
      addIfAny(
        'warning',
        details,
        (count) =>
          `${counted(count, 'place')} in the ledger can’t be read. Everything else can. Run shiplog doctor to see what is affected.`,
      ),
    strays: (details: string[]) =>
      addIfAny(
        'warning',
        details,
        (count) =>
          `${counted(count, 'transcript is', 'transcripts are')} on disk that the ledger does not list. Nothing was changed.`,
      ),
    /** Reports that no lock keeps other machines and containers out of the data directory. */
    unlocked: (reason: string) =>
      add(
        'warning',
        'The data directory can’t be locked. Do not use it from another machine or container at the same time: both could write, and entries could be lost.',
        [reason],
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
        notices.add({
          tone: 'info',
          text: `${agents} interrupted when Shiplog quit.`,
          details,
          topic: 'interrupted',
        })
    },
    /** Reports how an interrupted update was completed, or why it could not be. */
    settled: (update: SettledUpdate) => notices.add(noticeOfUpdate(update)),
    /** Reports removals or restores of an earlier process that this start has completed. */
    rolledForward: (what: 'removal' | 'restore', titles: string[]) => {
      const [title] = titles
      if (titles.length === 1)
        add('info', `The ${what} of “${title}” had not been finished. It has been completed.`, [])
      else
        addIfAny(
          'info',
          titles,
          (count) => `${count} ${what}s had not been finished. They have been completed.`,
        )
    },
    /** Reports that a project has moved, or that its folder contains another repository. */
    project: (notice: Pick<Notice, 'tone' | 'text' | 'details'>) =>
      notices.add({ ...notice, topic: 'project' }),
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
    withdraw: (receiptId: ReceiptId) => notices.remove((one) => one.receiptId === receiptId),
    clockAhead: (text: string) =>
      notices.add({
        tone: 'warning',
        text,
        details: [],
        topic: 'clock-ahead',
      }),
    clockConfirmed: () => notices.remove((one) => one.topic === 'clock-ahead'),
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

function noticeOfUpdate(update: SettledUpdate): Omit<Notice, 'id'> {
  const { title, reason, root, files, show, outcome } = update
  const doing = reason === 'apply' ? 'Applying' : 'Undoing the apply of'
  const interrupted = `${doing} “${title}” (${counted(files, 'file')}, ${root}) was interrupted`
  const info = (text: string) => ({ tone: 'info' as const, text, details: [] })
  switch (outcome.kind) {
    case 'completed':
      return info(`${interrupted}. It has been completed.`)
    case 'nothing-left':
      return info(`${interrupted}, and nothing is left of it to complete.`)
    case 'rolled-back':
      if (outcome.left.length === 0) return info(`${interrupted}. Every file was restored.`)
      return {
        tone: 'warning',
        text: `${interrupted}. ${counted(outcome.left.length, 'file was', 'files were')} changed since and left alone; all others are as before.`,
        details: [
          ...outcome.left,
          `What they held before: ${show}:${reason === 'apply' ? 'before' : 'after'}/<file>`,
        ],
      }
    case 'failed':
      return {
        tone: 'error',
        text: `${interrupted} and can’t be completed yet. The next start tries again; the earlier content is kept: ${show}.`,
        details: [messageOf(outcome.error)],
      }
  }
}
