/** A pull request that a user or tool links to a task: an entry of its transcript. */
import { join } from 'node:path'
import { FailureError, invalid, refused } from '../../shared/failure.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import { isRunning } from '../../shared/records/tasks/task-status.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import { externalLink } from '../../shared/text/external-link.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { addPullRequestLinks, type LinkSource } from '../runs/recording/pull-request-links.ts'
import { appendBetweenRuns } from '../sessions/append-between-runs.ts'
import { chatFile, type DataLayout } from '../sessions/session-files.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { WorkspaceService } from '../workspaces/workspace-service.ts'
import type { TaskLedger } from './state/task-ledger.ts'

/** Resolves with false when it was linked already. Throws FailureError. */
export type LinkPullRequest = (
  taskId: TaskId,
  url: string,
  source: Exclude<LinkSource, 'tool-output'>,
) => Promise<boolean>

export function createLinkPullRequest(deps: {
  ledger: Ledger
  taskLedger: TaskLedger
  sessions: Sessions
  layout: DataLayout
  workspaces: Pick<WorkspaceService, 'exclusively'>
}): LinkPullRequest {
  const { ledger, taskLedger, sessions, layout } = deps

  async function append(taskId: TaskId, url: string, source: LinkSource): Promise<boolean> {
    const task = taskLedger.get(taskId)
    refuseRemoved(task)
    const counted = task.transcriptCounts
    const transcript = { id: taskId, dir: layout.sessionDir(taskId), counted }
    const done = await appendBetweenRuns(sessions, transcript, (session) =>
      addPullRequestLinks(session, [url], source),
    )
    if (done.kind === 'missing')
      return refused('not-running', `"${task.title}" has no transcript yet.`)
    if (done.kind === 'damaged') {
      const file = join(transcript.dir, chatFile)
      const reason = 'it is damaged or shorter than it was, so nothing is added to it'
      throw new FailureError({ kind: 'damaged', what: 'transcript', id: taskId, file, reason })
    }
    if (done.added === 0) return false
    // A run that is in progress counts the transcript at its end.
    if (done.counts && !isRunning(taskLedger.get(taskId).status))
      await ledger.record({ type: 'transcript.appended', taskId, transcript: done.counts })
    return true
  }

  return async (taskId, text, source) => {
    const url = externalLink(text.trim())
    if (url === null)
      return invalid('url', 'Enter the address of a pull request, such as https://github.com/…')
    // A removal moves the transcript: entries appended during the move would be lost.
    return deps.workspaces.exclusively(taskId, () => append(taskId, url, source))
  }
}

function refuseRemoved({ title, parentId, workspace }: Task): void {
  if (!workspace || workspace.removal === null) return
  refused(
    'removed',
    parentId === null
      ? `"${title}" is in the archive. Restore it first.`
      : `"${title}" has ended and its transcript is archived. Link the pull request to the agent that started it.`,
  )
}
