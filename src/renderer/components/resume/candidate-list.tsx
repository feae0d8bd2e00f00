/** The agents that a resume would include, each with its choice. */

import { ChevronRight } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import type { Cause } from '../../../shared/records/causes.ts'
import type { DriftConflict, DriftReport } from '../../../shared/records/drift.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { ResumeAgent, ResumeChoice } from '../../../shared/records/resume.ts'
import { plainText } from '../../../shared/text/plain-text.ts'
import { RelativeTime, Select, StatusIcon, TitleText } from '../primitives/index.ts'
import { afterInterrupted } from '../task/plain-cause.ts'
import { DriftView, driftHeadline } from './drift-view.tsx'

export interface ShownCandidate {
  /** `drift` is null until the changes have been determined. */
  candidate: ResumeAgent & { drift: DriftReport | null; obstacle: string | null }
  depth: number
  choice: ResumeChoice
  /** When it stopped, ISO 8601; null for one that never started. */
  stoppedAt: string | null
  /** Why it stopped. */
  cause: Cause | null
  /** The title of its parent, if another parent has the same title. */
  parentTitle: string | null
  /** Whether it needs a decision by the user, so that it is open at first. */
  open: boolean
}

/** Deeper levels are indented no further, so that a title stays readable. */
const indentLevelsMax = 4

/** `onChoose` is absent if there is one agent: the buttons below are its choices. */
export function CandidateList(props: {
  rows: ShownCandidate[]
  onChoose?(taskId: TaskId, choice: ResumeChoice): void
  /** Reads the changes of one file since the agent stopped, as a unified diff. */
  loadDiff?(taskId: TaskId, conflict: DriftConflict): Promise<string>
}) {
  const { rows, onChoose, loadDiff } = props
  return (
    <ul className="flex flex-col divide-y">
      {rows.map((row) => (
        <li
          key={row.candidate.taskId}
          aria-label={row.candidate.title}
          style={{ paddingLeft: Math.min(row.depth, indentLevelsMax) * 20 }}
          className="py-2 first:pt-0 last:pb-0"
        >
          <Candidate
            row={row}
            onChoose={onChoose && ((choice) => onChoose(row.candidate.taskId, choice))}
            loadDiff={loadDiff && ((conflict) => loadDiff(row.candidate.taskId, conflict))}
          />
        </li>
      ))}
    </ul>
  )
}

function Candidate(props: {
  row: ShownCandidate
  onChoose?(choice: ResumeChoice): void
  loadDiff?(conflict: DriftConflict): Promise<string>
}) {
  const { row, onChoose, loadDiff } = props
  const { candidate, choice, stoppedAt, cause, parentTitle } = row
  const { title, agent, status, drift, obstacle } = candidate
  const notStarted = status !== 'interrupted'
  const [toggled, setToggled] = useState<boolean | null>(null)
  const detailsId = useId()
  const headline = headlineOf(row)
  // A single agent is shown in full.
  const hasMore =
    onChoose !== undefined && headline !== null && drift !== null && !row.open && headline.more
  const open = row.open || (toggled ?? onChoose === undefined)
  return (
    <div className="flex gap-2">
      <StatusIcon status={notStarted ? 'not-started' : status} className="mt-0.5" />
      <div className="min-w-0 flex-1">
        <div className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <TitleText title={title} className="font-semibold" />
            <p className="untrusted line-clamp-2 text-small text-muted">
              {parentTitle ? <>in {plainText(parentTitle)} · </> : null}
              {plainText(agent)}
              {stoppedAt && !notStarted ? (
                <>
                  {' '}
                  · stopped <RelativeTime at={stoppedAt} />
                </>
              ) : null}
              {notStarted ? ' · not started' : afterInterrupted(cause)}
            </p>
          </div>
          {onChoose ? (
            <div className="w-32 shrink-0">
              <Select
                label={`What to do with ${title}`}
                value={choice}
                onChange={onChoose}
                options={optionsFor(candidate)}
              />
            </div>
          ) : null}
        </div>
        {choice === 'resume' && !notStarted ? (
          <div className="mt-1">
            {drift === null ? (
              <p className="text-muted">Checking what changed…</p>
            ) : open ? (
              <div id={detailsId}>
                <DriftView drift={drift} loadDiff={loadDiff} />
              </div>
            ) : headline ? (
              <Headline
                text={headline.text}
                onOpen={hasMore ? () => setToggled(true) : undefined}
              />
            ) : null}
          </div>
        ) : null}
        {obstacle !== null ? (
          <p className="untrusted mt-1.5 rounded-md bg-amber-tint px-3 py-2">
            <span className="font-semibold text-amber">Can’t be resumed. </span>
            {plainText(obstacle)}
          </p>
        ) : null}
      </div>
    </div>
  )
}

/** Shows the first difference; a click reveals the rest. */
function Headline({ text, onOpen }: { text: ReactNode; onOpen: (() => void) | undefined }) {
  if (!onOpen) return <p className="untrusted">{text}</p>
  return (
    <button
      type="button"
      aria-expanded={false}
      onClick={onOpen}
      className="untrusted -ml-1 flex items-start gap-1 rounded-sm px-1 text-left hover:bg-hover"
    >
      <ChevronRight aria-hidden className="mt-0.5 size-3.5 shrink-0 text-faint" />
      <span>{text}</span>
    </button>
  )
}

const headlineOf = ({ candidate: { drift } }: ShownCandidate) =>
  drift === null ? null : driftHeadline(drift)

const choiceTexts: Record<ResumeChoice, string> = {
  resume: 'Resume',
  restart: 'Restart',
  abandon: 'Abandon',
  leave: 'Leave',
}

function optionsFor({ status, obstacle }: ShownCandidate['candidate']) {
  const choices: ResumeChoice[] = [
    ...(obstacle === null ? (['resume'] as const) : []),
    // A task that never started can't be restarted.
    ...(status === 'interrupted' && obstacle === null ? (['restart'] as const) : []),
    'abandon',
    'leave',
  ]
  return choices.map((value) => ({ value, label: choiceTexts[value] }))
}
