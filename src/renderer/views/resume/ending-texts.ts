/** The questions before an interrupted agent is restarted or abandoned: what begins again, what is left, what stays. */
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { counted } from '../../components/primitives/format.ts'
import type { Confirmation } from '../../store/window/overlay.ts'

/** `changedFiles`: 0 if there are none, or the number is not known. */
export function restartText(task: Task, changedFiles: number): Omit<Confirmation, 'run'> {
  const { title, parentId, isolation, runs } = task
  const start =
    parentId === null ? 'from the project as it is now' : 'from its parent’s files as they are now'
  const left = [
    'what it had read and thought',
    runs.length > 1 ? 'the follow-ups that you sent' : null,
    isolation === 'worktree'
      ? `its changes${changedFiles > 0 ? ` to ${counted(changedFiles, 'file')}` : ' to files'}`
      : null,
  ].filter((part) => part !== null)
  return {
    title: `Restart “${title}”`,
    action: 'Restart',
    doing: 'restart the agent',
    text: `A new agent gets the first prompt again and starts ${start}. Not taken along: ${left.join(', ')}. To go on where it stopped, resume it instead.`,
    kept: `The interrupted agent is abandoned and can’t be resumed any more. ${stays(task)}`,
  }
}

export function abandonText(task: Task): Omit<Confirmation, 'run'> {
  return {
    title: `Abandon “${task.title}”`,
    action: 'Abandon',
    doing: 'abandon the agent',
    danger: true,
    text: 'It can’t be resumed any more. This can’t be undone.',
    kept: `${stays(task)}${task.hasTranscript ? ' It can be continued as a new task.' : ''}`,
  }
}

function stays({ parentId, isolation, hasTranscript }: Task): string {
  if (!hasTranscript) return 'It has not done anything yet.'
  if (parentId !== null) return 'Its transcript and its changes stay in the archive.'
  return isolation === 'worktree'
    ? 'Its transcript stays, and so do its worktree and changes until you archive it.'
    : 'Its transcript stays, and so do the files as they are.'
}
