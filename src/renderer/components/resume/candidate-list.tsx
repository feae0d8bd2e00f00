/** Those that a resume would take up, as a tree, each with what is to be done with it. */
import type { TaskId } from '../../../shared/ids.ts'
import type { ResumeCandidate, ResumeChoice } from '../../../shared/resume.ts'
import { plainText } from '../conversation/plain-text.ts'
import { RelativeTime, Select, StatusIcon } from '../primitives/index.ts'
import { afterInterrupted } from '../task/stop-cause.ts'
import { DriftView } from './drift-view.tsx'

export interface ShownCandidate {
  candidate: ResumeCandidate
  depth: number
  choice: ResumeChoice
  /** When it stopped, ISO 8601; null for one that never began. */
  stoppedAt: string | null
  /** Why it stopped. */
  cause: string | null
}

/** Deeper levels are indented no further, so that a title stays readable. */
const indentLevelsMax = 4

/** `onChoose` absent: there is one, and the buttons below say what can be done with it. */
export function CandidateList(props: {
  rows: ShownCandidate[]
  onChoose?(taskId: TaskId, choice: ResumeChoice): void
}) {
  const { rows, onChoose } = props
  return (
    <ul className="flex flex-col divide-y">
      {rows.map((row) => (
        <li
          key={row.candidate.taskId}
          aria-label={row.candidate.title}
          style={{ paddingLeft: Math.min(row.depth, indentLevelsMax) * 20 }}
          className="py-2.5 first:pt-0 last:pb-0"
        >
          <Candidate
            row={row}
            onChoose={onChoose && ((choice) => onChoose(row.candidate.taskId, choice))}
          />
        </li>
      ))}
    </ul>
  )
}

function Candidate(props: { row: ShownCandidate; onChoose?(choice: ResumeChoice): void }) {
  const { row, onChoose } = props
  const { candidate, choice, stoppedAt, cause } = row
  const { title, agent, status, drift, obstacle } = candidate
  const notStarted = status !== 'interrupted'
  return (
    <div className="flex gap-2">
      <StatusIcon status={notStarted ? 'not-started' : status} className="mt-0.5" />
      <div className="min-w-0 flex-1">
        <div className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <p className="untrusted line-clamp-2 font-semibold" title={plainText(title)}>
              {plainText(title)}
            </p>
            <p className="untrusted line-clamp-2 text-small text-muted">
              {plainText(agent)}
              {stoppedAt && !notStarted ? (
                <>
                  {' '}
                  · stopped <RelativeTime at={stoppedAt} />
                </>
              ) : null}
              {notStarted ? ' · had not begun' : afterInterrupted(cause)}
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
          <div className="mt-1.5">
            <DriftView drift={drift} />
          </div>
        ) : null}
        {obstacle !== null ? (
          <p className="untrusted mt-1.5 rounded-md bg-amber-tint px-3 py-2">
            <span className="font-semibold text-amber">It can’t be resumed. </span>
            {plainText(obstacle)}
          </p>
        ) : null}
      </div>
    </div>
  )
}

const choiceWords: Record<ResumeChoice, string> = {
  resume: 'Resume',
  fresh: 'Start fresh',
  abandon: 'Give up',
  leave: 'Leave',
}

function optionsFor({ status, obstacle }: ResumeCandidate) {
  const choices: ResumeChoice[] = [
    ...(obstacle === null ? (['resume'] as const) : []),
    // One that never began is fresh already.
    ...(status === 'interrupted' && obstacle === null ? (['fresh'] as const) : []),
    'abandon',
    'leave',
  ]
  return choices.map((value) => ({ value, label: choiceWords[value] }))
}
