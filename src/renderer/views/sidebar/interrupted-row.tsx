import { Ban, ListRestart } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { useStore } from 'zustand'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import {
  classNames,
  FactLine,
  IconButton,
  RelativeTime,
  StatusIcon,
  TextButton,
  TitleText,
} from '../../components/primitives/index.ts'
import { plainCause, shortCause } from '../../components/task/plain-cause.ts'
import { useActivity, useStores, useUnreachable } from '../../store/hooks.ts'
import { actionKey } from '../../store/resume/last-actions.ts'
import { isWaiting, stoppedAt } from '../../store/resume/resumable.ts'
import { useActions } from '../app/use-actions.ts'
import { useResumeActions } from '../resume/use-resume-actions.ts'
import type {
  InterruptedAgentRow,
  InterruptedListRow,
  InterruptedTreeRow,
} from './interrupted-rows.ts'

/** One function for all rows, so that a row that has not changed is not rendered again. */
export const renderInterruptedRow = (row: InterruptedListRow, current: boolean): ReactNode =>
  row.kind === 'tree' ? (
    <TreeLine row={row} current={current} />
  ) : (
    <AgentLine row={row} current={current} />
  )

function TreeLine({ row, current }: { row: InterruptedTreeRow; current: boolean }) {
  const { root, interrupted, notStarted, cause, hint } = row
  const { resumes } = useStores()
  const { resumeTree } = useResumeActions()
  const unreachable = useUnreachable()
  const starting = useStore(resumes.store, (view) => view.startingRoots.has(root.id))
  const counts = [
    interrupted > 0 ? `${interrupted} interrupted` : null,
    notStarted > 0 ? `${notStarted} not started` : null,
  ].filter((text) => text !== null)
  return (
    <>
      <StatusIcon decorative status="interrupted" />
      <div className="min-w-0 flex-1">
        <TitleText title={root.title} />
        <div className="flex items-center gap-2 text-small text-muted">
          <FactLine oneLine title={cause ? plainCause(cause) : undefined} className="flex-1">
            <span className="max-w-full truncate text-ink">
              {counts.join(', ')}
              {hint ? <Hint text={hint} /> : null}
            </span>
            <RelativeTime at={row.stoppedAt} />
            {cause ? <span>{shortCause(cause)}</span> : null}
          </FactLine>
          <TextButton
            className="shrink-0"
            tabIndex={current ? 0 : -1}
            aria-label={`Resume ${root.title}`}
            disabled={unreachable !== undefined || starting}
            title={unreachable}
            onClick={() => resumeTree(root.id)}
          >
            {starting ? 'Starting…' : 'Resume'}
          </TextButton>
        </div>
      </div>
    </>
  )
}

function AgentLine({ row, current }: { row: InterruptedAgentRow; current: boolean }) {
  const { task } = row
  const { resumes } = useStores()
  const waiting = isWaiting(task, useActivity(task.id))
  const checking = useStore(resumes.store, (view) => view.checking.has(task.id))
  const starting = useStore(resumes.store, (view) => view.starting.has(task.id))
  const started = task.status === 'interrupted'
  return (
    <>
      <StatusIcon decorative status={started ? 'interrupted' : 'not-started'} />
      <div className="min-w-0 flex-1">
        <TitleText title={task.title} />
        <div className="flex h-4 items-center gap-2 text-small text-muted">
          <p className="min-w-0 flex-1 truncate" title={tooltipOf(task)}>
            {checking ? (
              'Checking what changed…'
            ) : starting ? (
              'Starting…'
            ) : waiting ? (
              'Waiting for a slot'
            ) : (
              <SecondLine row={row} />
            )}
          </p>
          <AgentActions
            row={row}
            waiting={waiting}
            busy={checking || starting}
            tabIndex={current ? 0 : -1}
          />
        </div>
      </div>
    </>
  )
}

/** Shown only in the row under the pointer and the focused one, so that the texts of the others have room. */
function AgentActions(props: {
  row: InterruptedAgentRow
  waiting: boolean
  busy: boolean
  tabIndex: number
}) {
  const { row, waiting, busy, tabIndex } = props
  const { task } = row
  const { resume, restart, abandon } = useResumeActions()
  const { stop } = useActions()
  const unreachable = useUnreachable()
  const disabled = unreachable !== undefined || busy
  return (
    <span
      className={classNames(
        'shrink-0 items-center',
        waiting ? 'flex' : 'hidden group-focus-within/row:flex group-hover/row:flex',
      )}
    >
      {waiting ? (
        <TextButton
          tabIndex={tabIndex}
          aria-label={`Stop ${task.title}`}
          disabled={disabled}
          onClick={() => void stop(task.id)}
        >
          Stop
        </TextButton>
      ) : (
        <>
          <TextButton
            tabIndex={tabIndex}
            className="mr-1"
            aria-label={`Resume ${task.title}`}
            aria-busy={busy}
            disabled={disabled}
            title={unreachable}
            onClick={() => void resume(task.id)}
          >
            Resume
          </TextButton>
          {task.status === 'interrupted' ? (
            <IconButton
              size="small"
              className="-my-1"
              tabIndex={tabIndex}
              label={`Restart ${task.title}…`}
              icon={<ListRestart />}
              disabled={disabled}
              onClick={() => restart(task.id)}
            />
          ) : null}
          <IconButton
            size="small"
            className="-my-1"
            tabIndex={tabIndex}
            label={`Abandon ${task.title}…`}
            icon={<Ban />}
            disabled={disabled}
            onClick={() => abandon(task.id)}
          />
        </>
      )}
    </span>
  )
}

/** Why it stopped, its last action, and when, in this order because the end of a short row is cut off. */
function SecondLine({ row }: { row: InterruptedAgentRow }) {
  const { task, hint, cause } = row
  const action = useLastAction(task)
  return (
    <>
      {hint ? (
        <>
          in <Hint text={hint} lead={false} />
          {' · '}
        </>
      ) : null}
      {task.status === 'interrupted' ? (
        <>
          {cause ? `${shortCause(cause)} · ` : ''}
          {action ? <span className="untrusted">{action} · </span> : null}
          <RelativeTime at={stoppedAt(task)} />
        </>
      ) : (
        'Not started'
      )}
    </>
  )
}

const Hint = ({ text, lead = true }: { text: string; lead?: boolean }) => (
  <>
    {lead ? ' · ' : ''}
    <bdi>{text}</bdi>
  </>
)

function useLastAction(task: Task): string | null {
  const { lastActions } = useStores()
  const run = task.runs.length
  const ran = task.hasTranscript
  useEffect(() => {
    if (ran) void lastActions.load(task.id, run)
  }, [lastActions, task.id, run, ran])
  return useStore(lastActions.store, (actions) => actions.get(actionKey(task.id, run)) ?? null)
}

const tooltipOf = ({ cause }: Task): string | undefined => (cause ? plainCause(cause) : undefined)
