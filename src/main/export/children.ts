import type { TranscriptItem } from '../../shared/projections/transcript/transcript-items.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import { type ExportRun, exportedChildren } from './export-run.ts'
import type { LeftOut } from './transcript-items.ts'

/** Places sub-agents in the transcript: each is returned once, with the call that started it. */
export function childrenPlacer(run: ExportRun, task: Task) {
  const left = new Set(exportedChildren(run, task.id))
  const isPartly =
    task.id === run.rootId &&
    (run.request.fromSeq !== undefined || run.request.throughSeq !== undefined)
  return {
    startedIn(item: TranscriptItem | LeftOut): Task[] {
      if (item.kind !== 'turn' || left.size === 0) return []
      const calls = new Set(
        item.blocks.flatMap((block) => (block.kind === 'tool' ? [block.call.callId] : [])),
      )
      const started = [...left].filter(({ callId }) => callId !== null && calls.has(callId))
      for (const child of started) left.delete(child)
      return started
    },
    /** Sub-agents whose call was not found. Empty for a partial export, where the calls may lie outside the range. */
    rest: (): Task[] => (isPartly ? [] : [...left]),
  }
}
