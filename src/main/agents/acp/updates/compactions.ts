/** Collects an agent's own summaries of its conversation, which arrive whole or in pieces. */
import type { AgentEvent } from '../../../../shared/agents/driver/agent-events.ts'
import { text, textOfContent } from '../content.ts'

export function createCompactions() {
  const pieces = new Map<string, string>()
  return {
    /** Returns null if the compaction failed. */
    update(update: Record<string, unknown>): AgentEvent[] | null {
      const id = text(update.compactionId) ?? ''
      if (update.sessionUpdate === 'compaction_summary_chunk') {
        pieces.set(id, (pieces.get(id) ?? '') + (textOfContent(update.content) ?? ''))
        return []
      }
      if (update.status !== 'completed') return update.status === 'failed' ? null : []
      const blocks = Array.isArray(update.summary) ? update.summary : []
      const given = blocks.map((block) => textOfContent(block) ?? '').join('')
      const summary = given || pieces.get(id)
      pieces.delete(id)
      return [
        {
          type: 'compacted',
          summary:
            summary || 'The agent summarised its conversation, and does not show the summary.',
          keptFromSeq: null,
        },
      ]
    },
  }
}
