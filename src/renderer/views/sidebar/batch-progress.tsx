import { useStore } from 'zustand'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import { TextButton } from '../../components/primitives/index.ts'
import { useConnectionLost, useLedger, useStores } from '../../store/hooks.ts'
import { useResumeActions } from '../resume/use-resume-actions.ts'

/** The progress of agents that were resumed together, until all of them have ended. */
export function BatchProgress() {
  const { resumes } = useStores()
  const { batch, stopping } = useStore(resumes.store)
  const { stopBatch } = useResumeActions()
  const lost = useConnectionLost()
  const atWork = useLedger(({ ledger }) =>
    batch === null
      ? 0
      : [...batch].filter(
          ([id, end]) => end === null && isRunning(ledger.tasks.get(id)?.status ?? 'queued'),
        ).length,
  )
  if (batch === null) return null
  const ends = [...batch.values()].filter((end) => end !== null)
  const failed = ends.filter(({ status }) => status !== 'completed').length
  const waiting = batch.size - ends.length - atWork
  const started = batch.size - waiting
  const parts = [
    `${ends.length - failed} completed`,
    failed > 0 ? `${failed} not completed` : null,
    `${atWork} running`,
    waiting > 0 ? `${waiting} waiting` : null,
  ].filter((word) => word !== null)
  return (
    <div className="shrink-0 px-4 pb-1.5 text-small">
      <p className="flex items-center gap-1.5">
        <span className="tabular flex-1">
          Resuming {started} of {batch.size}
        </span>
        <TextButton
          aria-label="Stop resuming"
          disabled={lost || stopping}
          onClick={() => void stopBatch()}
        >
          {stopping ? 'Stopping…' : 'Stop'}
        </TextButton>
      </p>
      <div
        role="progressbar"
        aria-label="Finished resumed agents"
        aria-valuemin={0}
        aria-valuemax={batch.size}
        aria-valuenow={ends.length}
        className="mt-1 h-0.5 overflow-hidden rounded-sm bg-line"
      >
        <div
          className="h-full bg-accent-fill transition-[width]"
          style={{ width: `${(ends.length / batch.size) * 100}%` }}
        />
      </div>
      <p role="status" className="tabular mt-1 text-muted">
        {parts.join(', ')}
      </p>
    </div>
  )
}
