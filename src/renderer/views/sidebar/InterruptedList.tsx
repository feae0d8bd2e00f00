import { Ban, Ellipsis, ListRestart, ScrollText } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useStore } from 'zustand'
import type { Task } from '../../../shared/tasks.ts'
import {
  IconButton,
  Menu,
  RelativeTime,
  StatusIcon,
  TextButton,
} from '../../components/primitives/index.ts'
import { causeWords, shortCause } from '../../components/task/stop-cause.ts'
import {
  useActivity,
  useInterruptedRows,
  useLedger,
  useStores,
  useTask,
  useUnreachable,
} from '../../store/hooks.ts'
import { actKey } from '../../store/last-acts.ts'
import { type InterruptedRow, isWaiting, stoppedAt } from '../../store/resumable.ts'
import { taskRoute } from '../../store/route.ts'
import { useActions } from '../app/use-actions.ts'
import { useResumeActions } from '../resume/use-resume-actions.ts'
import { BatchProgress } from './BatchProgress.tsx'

/** More than this push the tree out of a small window. */
const shownAtFirstMax = 6
/** Deeper levels are indented no further, so that a title stays readable. */
const indentLevelsMax = 3

/** What stopped before it was done: a section of its own, and only when there is something in it. */
export function InterruptedList() {
  const rows = useInterruptedRows()
  const { resumes } = useStores()
  const batch = useStore(resumes.store, (view) => view.batch)
  const { resumeAll } = useResumeActions()
  const activity = useLedger((view) => view.activity)
  const unreachable = useUnreachable()
  const lost = unreachable !== undefined
  const [all, setAll] = useState(false)
  if (rows.length === 0 && batch === null) return null
  const toResume = rows.filter(({ task }) => !isWaiting(task, activity.get(task.id) ?? null))
  const shown = all ? rows : rows.slice(0, shownAtFirstMax)
  return (
    <section aria-label="Interrupted" className="flex max-h-[45%] shrink-0 flex-col border-t">
      <div className="flex h-8 shrink-0 items-center gap-1.5 pr-2 pl-4">
        <h2 className="flex flex-1 items-center gap-1.5 text-small font-semibold text-muted">
          Interrupted
          <span className="tabular font-normal">{rows.length}</span>
        </h2>
        {toResume.length > 1 && batch === null ? (
          <TextButton
            className="rounded-sm px-1 text-small"
            disabled={lost}
            title={unreachable}
            onClick={resumeAll}
          >
            Resume all {toResume.length}
          </TextButton>
        ) : null}
      </div>
      <BatchProgress />
      <ul className="min-h-0 overflow-y-auto pb-1">
        {shown.map((row) => (
          <Row key={row.task.id} row={row} />
        ))}
      </ul>
      {rows.length > shownAtFirstMax ? (
        <TextButton
          className="focus-inset h-7 shrink-0 px-4 text-left text-small"
          onClick={() => setAll(!all)}
        >
          {all ? 'Show fewer' : `Show all ${rows.length}`}
        </TextButton>
      ) : null}
    </section>
  )
}

function Row({ row }: { row: InterruptedRow }) {
  const { task, depth } = row
  const { navigation, resumes } = useStores()
  const { resume, startFresh, giveUp } = useResumeActions()
  const { stop } = useActions()
  const unreachable = useUnreachable()
  const lost = unreachable !== undefined
  const waiting = isWaiting(task, useActivity(task.id))
  const looking = useStore(resumes.store, (view) => view.looking.has(task.id))
  const lineId = useId()
  const begun = task.status === 'interrupted'
  const more = row.below > 0 ? '…' : ''
  const viewTranscript = () =>
    navigation.go({ screen: 'task', taskId: task.id, transcriptOf: task.id })
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, target } = event
    if (ctrlKey || metaKey || altKey || (target as Element).closest('[role="menu"]')) return
    if (key === 'r' && !waiting && !lost) void resume(task.id)
    else if (key === 't' && task.hasTranscript) viewTranscript()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <li className="relative flex h-11 flex-col justify-center hover:bg-hover" onKeyDown={onKeyDown}>
      <button
        type="button"
        aria-label={task.title}
        aria-describedby={lineId}
        title={tooltipOf(task)}
        className="focus-inset absolute inset-0"
        onClick={() => navigation.go(taskRoute(task.id))}
      />
      <div
        style={{ paddingLeft: 16 + Math.min(depth, indentLevelsMax) * 12 }}
        className="pointer-events-none relative flex items-center gap-2 pr-2"
      >
        <StatusIcon decorative status={begun ? 'interrupted' : 'not-started'} />
        <span className="untrusted min-w-0 flex-1 truncate">{task.title}</span>
        <span className="pointer-events-auto -my-0.5 flex shrink-0 items-center">
          {waiting ? (
            <TextButton
              className="px-1 text-small"
              aria-label={`Stop ${task.title}`}
              disabled={lost}
              onClick={() => void stop(task.id)}
            >
              Stop
            </TextButton>
          ) : (
            <TextButton
              className="px-1 text-small"
              aria-label={`Resume ${task.title}`}
              aria-busy={looking}
              disabled={lost || looking}
              title={unreachable}
              onClick={() => void resume(task.id)}
            >
              Resume
            </TextButton>
          )}
          <Menu
            align="end"
            trigger={
              <IconButton size="small" label={`More for ${task.title}`} icon={<Ellipsis />} />
            }
            entries={[
              ...(begun
                ? [
                    {
                      label: `Start fresh${more}`,
                      icon: <ListRestart />,
                      disabled: lost || waiting,
                      onSelect: () => void startFresh(task.id),
                    },
                  ]
                : []),
              {
                label: `Give up${more}`,
                icon: <Ban />,
                disabled: lost || waiting,
                onSelect: () => void giveUp(task.id),
              },
              ...(task.hasTranscript
                ? [
                    { kind: 'separator' as const },
                    { label: 'View transcript', icon: <ScrollText />, onSelect: viewTranscript },
                  ]
                : []),
            ]}
          />
        </span>
      </div>
      <p
        id={lineId}
        style={{ paddingLeft: 40 + Math.min(depth, indentLevelsMax) * 12 }}
        className="pointer-events-none relative truncate pr-3 text-small text-muted"
      >
        <SecondLine row={row} waiting={waiting} looking={looking} />
      </p>
    </li>
  )
}

/** When it stopped, what it was doing then, and why: a row is short, and what is last is cut off first. */
function SecondLine(props: { row: InterruptedRow; waiting: boolean; looking: boolean }) {
  const { row, waiting, looking } = props
  const { task, depth } = row
  const root = useTask(task.parentId ? task.rootId : null)
  const act = useLastAct(task)
  if (looking) return 'Looking at what has changed…'
  if (waiting) return 'Waiting for its turn'
  if (task.status !== 'interrupted') return 'Had not begun'
  return (
    <>
      {/* Indented below its root it needs no other word on where it belongs. */}
      {root && depth === 0 ? (
        <>
          <span className="untrusted">{root.title}</span> ·{' '}
        </>
      ) : null}
      <RelativeTime at={stoppedAt(task)} />
      {act ? <span className="untrusted"> · {act}</span> : null}
      {task.error ? ` · ${shortCause(task.error)}` : null}
    </>
  )
}

function useLastAct(task: Task): string | null {
  const { lastActs } = useStores()
  const run = task.runs.length
  const begun = task.hasTranscript
  useEffect(() => {
    if (begun) void lastActs.load(task.id, run)
  }, [lastActs, task.id, run, begun])
  return useStore(lastActs.store, (acts) => acts.get(actKey(task.id, run)) ?? null)
}

const tooltipOf = ({ title, error }: Task): string =>
  error ? `${title}\n${causeWords(error)}` : title
