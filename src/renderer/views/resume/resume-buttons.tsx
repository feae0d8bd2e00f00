import { Ellipsis, RotateCcw, RotateCw } from 'lucide-react'
import { useStore } from 'zustand'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { Button, IconButton, Menu } from '../../components/primitives/index.ts'
import { canBeResumed, canBeRetried } from '../../components/task/what-next.ts'
import { useActivity, useLedger, useStores, useUnreachable } from '../../store/hooks.ts'
import { isResumable, isWaiting } from '../../store/resume/resumable.ts'
import { menuOf, type TaskAction } from '../actions/action.ts'
import { useTaskActions } from '../actions/use-task-actions.tsx'
import { useActions } from '../app/use-actions.ts'
import { useResumeActions } from './use-resume-actions.ts'

/** Buttons for the next actions of a task that is not running, and a menu for the others. */
export function ResumeButtons(props: {
  task: Task
  /** The screen handles the key of Resume, so the button shows it. */
  withKey?: boolean
  /** The screen has a Resume button elsewhere, beside the reason. */
  resumedBelow?: boolean
  /** Actions for which the screen has buttons of its own. */
  without?: TaskAction['id'][]
}) {
  const { task, withKey = false, resumedBelow = false, without = [] } = props
  const { resumes } = useStores()
  const { resume, retry } = useResumeActions()
  const actionsOf = useTaskActions()
  const { stop } = useActions()
  const unreachable = useUnreachable()
  const lost = unreachable !== undefined
  const checking = useStore(resumes.store, (view) => view.checking.has(task.id))
  const waiting = isWaiting(task, useActivity(task.id))
  const resumable = useCanResume(task)
  const shared = { disabled: lost, title: unreachable }
  const hidden = [...(resumedBelow || resumable ? ['resume' as const] : []), 'retry', ...without]
  const entries = () => menuOf(actionsOf(task).filter(({ id }) => !hidden.includes(id)))
  return (
    <>
      {waiting ? (
        <Button {...shared} onClick={() => void stop(task.id)}>
          Stop waiting
        </Button>
      ) : resumable && !resumedBelow ? (
        <Button
          {...shared}
          icon={<RotateCcw />}
          shortcut={withKey ? 'r' : undefined}
          busy={checking}
          onClick={() => void resume(task.id)}
        >
          Resume
        </Button>
      ) : null}
      {canBeRetried(task) ? (
        <Button {...shared} icon={<RotateCw />} onClick={() => void retry(task.id)}>
          Retry
        </Button>
      ) : null}
      <Menu
        align="end"
        trigger={<IconButton label="More" icon={<Ellipsis />} />}
        entries={entries}
      />
    </>
  )
}

/** Whether it stopped, or never began, and can continue. */
export const useCanResume = (task: Task | null): boolean =>
  useLedger(
    ({ ledger }) => task !== null && (canBeResumed(task) || isResumable(ledger.tasks, task)),
  )
