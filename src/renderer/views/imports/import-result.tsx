import { useState } from 'react'
import type { ImportDetails, ImportedSession } from '../../../shared/contract/imports.ts'
import { shortId, type TaskId } from '../../../shared/records/ids.ts'
import { plainText } from '../../../shared/text/plain-text.ts'
import { counted } from '../../components/primitives/format.ts'
import { TextButton, TitleText } from '../../components/primitives/index.ts'
import { problemOf } from '../../rpc/problem.ts'
import { useLedger, useStores } from '../../store/hooks.ts'
import type { ImportResult } from '../../store/imports/import-run.ts'
import { useResumeActions } from '../resume/use-resume-actions.ts'
import { DamageList } from './damage-list.tsx'
import { linesText, resultText } from './import-texts.ts'
import { SkippedList } from './skipped-list.tsx'

/** The archive lists the rest. */
const listedMax = 50

/** The result of an import: each session can be opened or continued. */
export function ResultView({ result }: { result: ImportResult }) {
  const { sessions, skipped } = result
  const ledger = useLedger((view) => view.ledger)
  // The ledger is updated in place, and may receive the last sessions after the result.
  useLedger((view) => view.ledger.tasks.size)
  const sum = (key: 'lines' | 'mapped' | 'foreign' | 'damaged') =>
    sessions.reduce((total, one) => total + one[key], 0)
  return (
    <div className="flex flex-col gap-3">
      <div>
        <p role="status">{resultText(result)}</p>
        <p className="text-small text-muted">
          {linesText({
            lines: sum('lines'),
            mapped: sum('mapped'),
            foreign: sum('foreign'),
            damaged: sum('damaged'),
          })}
        </p>
      </div>
      {skipped.length > 0 ? <SkippedList skipped={skipped} /> : null}
      {sessions.length > 0 ? (
        <ul aria-label="Imported sessions" className="max-h-72 overflow-auto rounded-md border">
          {newFirst(sessions, (taskId) => ledger.tasks.get(taskId)?.endedAt ?? '')
            .slice(0, listedMax)
            .map((session) => (
              <SessionRow key={session.taskId} session={session} />
            ))}
          {sessions.length > listedMax ? (
            <li className="px-3 py-1 text-small text-muted">
              and {counted(sessions.length - listedMax, 'more session')} in the archive
            </li>
          ) : null}
        </ul>
      ) : null}
    </div>
  )
}

/** New and updated sessions first, then by the time they ended, latest first. */
function newFirst(
  sessions: ImportedSession[],
  endedAt: (taskId: TaskId) => string,
): ImportedSession[] {
  const isNews = ({ isNew, isUpdated }: ImportedSession) => Number(isNew || isUpdated)
  return sessions.toSorted(
    (a, b) => isNews(b) - isNews(a) || endedAt(b.taskId).localeCompare(endedAt(a.taskId)),
  )
}

function SessionRow({ session: { taskId, title, damaged } }: { session: ImportedSession }) {
  const { client, overlay, imports, navigation } = useStores()
  const { continueFrom } = useResumeActions()
  const [details, setDetails] = useState<ImportDetails | string | null>(null)
  const name = plainText(title) || shortId(taskId)
  const open = () => {
    imports.dismiss()
    overlay.hide()
    navigation.go({ screen: 'archive', taskId, tab: 'transcript' })
  }
  const showDamage = () => {
    if (details !== null) return setDetails(null)
    client.imports.details({ taskId }).then(
      (answer) => setDetails(answer.details),
      (error: unknown) => setDetails(problemOf(error, 'read the details').message),
    )
  }
  return (
    <li className="border-b px-3 py-1 last:border-b-0">
      <div className="flex items-baseline gap-3">
        <TextButton className="min-w-0 flex-1 truncate text-left" onClick={open}>
          <TitleText title={name} />
        </TextButton>
        {damaged > 0 ? (
          <TextButton
            className="shrink-0 text-small"
            aria-expanded={details !== null}
            onClick={showDamage}
          >
            {counted(damaged, 'damaged line')}
          </TextButton>
        ) : null}
        <TextButton
          className="shrink-0 text-small"
          aria-label={`Continue ${name}…`}
          onClick={() => continueFrom(taskId)}
        >
          Continue…
        </TextButton>
      </div>
      {details === null ? null : (
        <div className="py-1 text-small text-muted">
          {typeof details === 'string' ? <p>{details}</p> : <DamageList {...details} />}
        </div>
      )}
    </li>
  )
}
