import type { AgentEvent } from '../../../shared/agents/driver/agent-events.ts'
import { assertNever } from '../../../shared/assert-never.ts'
import type { EntryBody } from '../../../shared/records/entries.ts'
import type { RunId } from '../../../shared/records/ids.ts'

type EventOutsideTurns = Extract<AgentEvent, { type: 'session' | 'plan' | 'compacted' | 'foreign' }>

/** Returns the entry of an event that belongs to no turn. */
export function entryOutsideTurns(event: EventOutsideTurns, runId: RunId): EntryBody {
  switch (event.type) {
    case 'session': {
      const { ref, model, capabilities } = event
      return { type: 'agent-session', runId, ref, model, capabilities }
    }
    case 'plan':
      return { type: 'plan', runId, items: event.items }
    case 'compacted': {
      const { summary, keptFromSeq, images } = event
      return { type: 'compaction', runId, summary, keptFromSeq, ...(images && { images }) }
    }
    case 'foreign':
      return event
    default:
      return assertNever(event)
  }
}
