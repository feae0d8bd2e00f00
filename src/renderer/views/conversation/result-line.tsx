import { Check, FileDiff, GitMerge } from 'lucide-react'
import { useStore } from 'zustand'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { Counts } from '../../components/diff/counts.tsx'
import { counted } from '../../components/primitives/format.ts'
import { ActionLine, Button } from '../../components/primitives/index.ts'
import { useChangeSummary, useStores, useUnreachable } from '../../store/hooks.ts'
import { targetName } from '../app/actions/apply-actions.ts'
import { useActions } from '../app/use-actions.ts'

/** The result of a run, once it has ended: `6 files +94 −16 · Review · Apply to main`. */
export function ResultLine({ task, onReview }: { task: Task; onReview(): void }) {
  const summary = useChangeSummary(task)
  const { applies } = useStores()
  const { applyPatch } = useActions()
  const unreachable = useUnreachable()
  const applying = useStore(applies.store, (known) => known.get(task.id)?.kind === 'applying')
  if (!summary || summary.files === 0) return null
  const target = targetName(task, summary.branch)
  // It was applied, and the files were changed there since.
  const again = task.patch === 'applied'
  const ended = task.status === 'interrupted' || task.status === 'failed' ? ' so far' : ''
  return (
    <ActionLine
      label="Result"
      look="plain"
      icon={<FileDiff aria-hidden className="text-faint" />}
      actions={
        <>
          <Button size="small" onClick={onReview}>
            Review
          </Button>
          {summary.applied ? (
            <span className="flex h-6 min-w-0 items-center gap-1 px-1.5 text-small text-green">
              <Check aria-hidden className="size-3.5 shrink-0" />
              <span className="truncate">Applied to {target}</span>
            </span>
          ) : (
            <Button
              size="small"
              icon={<GitMerge />}
              busy={applying}
              disabled={unreachable !== undefined}
              title={unreachable}
              className="min-w-0 shrink!"
              onClick={() => void applyPatch(task.id, target)}
            >
              <span className="truncate">
                {applying ? 'Applying…' : `${again ? 'Apply again to' : 'Apply to'} ${target}`}
              </span>
            </Button>
          )}
        </>
      }
    >
      <span className="flex min-w-0 items-center gap-2">
        <span className="shrink-0">
          {counted(summary.files, 'file')} changed{ended}
        </span>
        <Counts additions={summary.additions} deletions={summary.deletions} />
      </span>
    </ActionLine>
  )
}
