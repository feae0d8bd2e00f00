import { RotateCcw } from 'lucide-react'
import { useStore } from 'zustand'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import {
  ActionLine,
  Button,
  RelativeTime,
  StatusIcon,
  TextButton,
} from '../../components/primitives/index.ts'
import { afterInterrupted } from '../../components/task/plain-cause.ts'
import { useActivity, useStores, useUnreachable } from '../../store/hooks.ts'
import { isWaiting, stoppedAt } from '../../store/resume/resumable.ts'
import { useResumeActions } from '../resume/use-resume-actions.ts'

/** Whether the footer shows why a root stopped, and offers Resume. */
export const hasResumeLine = (task: Task): boolean =>
  task.status === 'interrupted' &&
  task.parentId === null &&
  !task.sleep &&
  !task.archived &&
  !task.workspace?.pending &&
  !task.workspace?.removal

/** The agent can't continue soon: its quota is spent, or it can't be started. */
const offersAnotherAgent = ({ cause, hasTranscript }: Task): boolean =>
  hasTranscript &&
  cause !== null &&
  ['quota', 'sign-in', 'agent-died', 'not-started'].includes(cause.kind)

/** The settings in which a user can remove the cause; null if they do not help. */
function settingsFor({ spec, cause }: Task): { href: string; label: string } | null {
  if (cause?.kind !== 'sign-in' && cause?.kind !== 'not-started') return null
  if (spec.kind === 'model') return { href: '#/settings/models', label: 'Model settings' }
  if (spec.kind === 'acp') return { href: '#/settings/installed-agents', label: 'Installed agents' }
  return null
}

/** Why the root stopped, with Resume, above the composer. */
export function InterruptedLine({ task }: { task: Task }) {
  const { resume, continueFrom } = useResumeActions()
  const unreachable = useUnreachable()
  const lost = unreachable !== undefined
  const { resumes } = useStores()
  const waiting = isWaiting(task, useActivity(task.id))
  const settings = settingsFor(task)
  const checking = useStore(resumes.store, (view) => view.checking.has(task.id))
  return (
    <ActionLine
      label="Why it stopped"
      look="attention"
      icon={<StatusIcon status="interrupted" decorative />}
      actions={
        waiting ? null : (
          <Button
            size="small"
            icon={<RotateCcw />}
            shortcut="r"
            busy={checking}
            disabled={lost}
            title={unreachable}
            onClick={() => void resume(task.id)}
          >
            Resume
          </Button>
        )
      }
    >
      <p className="line-clamp-2">
        {waiting ? (
          'Waiting for a free slot.'
        ) : (
          <>
            Interrupted <RelativeTime at={stoppedAt(task)} />
            {afterInterrupted(task.cause)}. Resume to continue, or send a new instruction.
          </>
        )}
      </p>
      {/* Outside of the text, which is cut off if it is long. */}
      {!waiting && (offersAnotherAgent(task) || settings) ? (
        <p className="flex flex-wrap gap-x-3">
          {settings ? (
            <a className="text-accent hover:underline" href={settings.href}>
              {settings.label}
            </a>
          ) : null}
          {offersAnotherAgent(task) ? (
            <TextButton onClick={() => continueFrom(task.id)}>
              Continue with another agent…
            </TextButton>
          ) : null}
        </p>
      ) : null}
    </ActionLine>
  )
}
