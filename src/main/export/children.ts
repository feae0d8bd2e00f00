import type { TranscriptItem } from '../../shared/projections/transcript/transcript-items.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import { type ExportRun, exportedChildren } from './export-run.ts'
import type { LeftOut } from './transcript-items.ts'

/** Finds the sub-agents that a turn started: each is given out once, at the call that made it. */
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
    /** Those whose call was not met. Of a part of a transcript they belong to other parts. */
    rest: (): Task[] => (isPartly ? [] : [...left]),
  }
}
