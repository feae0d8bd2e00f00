/** Converts the items of a plan that an agent reports. Pure. */
import type { AgentEvent } from '../../../../shared/agents/driver/agent-events.ts'
import { isRecord, text } from '../content.ts'

type PlanItem = Extract<AgentEvent, { type: 'plan' }>['items'][number]

const statuses: Record<string, PlanItem['status']> = {
  in_progress: 'in-progress',
  completed: 'completed',
}

/** Returns null if `entries` is not a list. `isComplete`: every item could be read. */
export function planItemsOf(entries: unknown): { read: PlanItem[]; isComplete: boolean } | null {
  if (!Array.isArray(entries)) return null
  const read = entries.flatMap((entry): PlanItem[] => {
    const item = isRecord(entry) ? text(entry.content) : null
    if (!isRecord(entry) || item === null) return []
    const { priority } = entry
    return [
      {
        text: item,
        status: statuses[String(entry.status)] ?? 'pending',
        ...(priority === 'high' || priority === 'medium' || priority === 'low' ? { priority } : {}),
      },
    ]
  })
  return { read, isComplete: read.length === entries.length }
}
