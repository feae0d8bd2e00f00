/** A pull request that a person links to a task: an entry of its transcript. */
import { externalLink } from '../../shared/external-link.ts'
import { invalid, refused } from '../../shared/failure.ts'
import type { TaskId } from '../../shared/ids.ts'
import { isRunning } from '../../shared/tasks.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type Session, SessionMissingError } from '../sessions/session.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { TaskRecord } from './task-record.ts'

/** Resolves with false when it was linked already. Throws FailureError. */
export type LinkPullRequest = (taskId: TaskId, url: string) => Promise<boolean>

export function createLinkPullRequest(deps: {
  ledger: Ledger
  record: TaskRecord
  sessions: Sessions
  layout: DataLayout
}): LinkPullRequest {
  const { ledger, record, sessions, layout } = deps

  async function open(taskId: TaskId): Promise<Session> {
    const { title, parentId, workspace } = record.known(taskId)
    if (workspace && workspace.removal !== null) {
      return refused(
        'removed',
        parentId === null
          ? `"${title}" is in the archive. Restore it first.`
          : `"${title}" has ended and its transcript is archived. Link the pull request to the agent that started it.`,
      )
    }
    try {
      return await sessions.open(taskId, layout.sessionDir(taskId), { mustExist: true })
    } catch (error) {
      if (!(error instanceof SessionMissingError)) throw error
      return refused('not-running', `"${title}" has no transcript yet.`)
    }
  }

  return async (taskId, text) => {
    const url = externalLink(text.trim())
    if (url === null)
      return invalid('url', 'Enter the address of a pull request, such as https://github.com/…')
    const session = await open(taskId)
    try {
      for await (const entry of session.entries())
        if (entry.type === 'pr-link' && entry.url === url) return false
      await session.append({ type: 'pr-link', url, source: 'person' })
      const transcript = await session.counts()
      // A run counts all of it at its end.
      if (transcript && !isRunning(record.known(taskId).status))
        await ledger.record({ type: 'transcript.appended', taskId, transcript })
      return true
    } finally {
      await sessions.close(taskId)
    }
  }
}
