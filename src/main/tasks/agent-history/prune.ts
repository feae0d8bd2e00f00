/** Limits the length of the history. Agents that may need resuming are never removed (X2). Pure. */
import { agentIdOf, isObject } from './format.ts'

/**
 * Removes agents, all entries of one at a time, until `max` entries are left or no more may be removed. Removes only
 * agents whose latest entry is completed or failed: the oldest completed first, and a failed one only when no
 * completed one is left.
 */
export function pruneEntries(entries: unknown[], max: number): unknown[] {
  let over = entries.length - max
  if (over <= 0) return entries
  const removed = new Set<string>()
  for (const agent of removalOrder(entries)) {
    if (over <= 0) break
    removed.add(agent.id)
    over -= agent.entries
  }
  return entries.filter((entry) => !removed.has(agentIdOf(entry) ?? ''))
}

interface EndedAgent {
  id: string
  entries: number
  status: 'completed' | 'failed'
  /** Milliseconds since the epoch; an entry without a readable time is oldest. */
  endedAt: number
}

function removalOrder(entries: unknown[]): EndedAgent[] {
  const ended = endedAgents(entries).sort((a, b) => a.endedAt - b.endedAt)
  const of = (status: EndedAgent['status']) => ended.filter((agent) => agent.status === status)
  return [...of('completed'), ...of('failed')]
}

function endedAgents(entries: unknown[]): EndedAgent[] {
  const agents: EndedAgent[] = []
  for (const [id, own] of Map.groupBy(entries, agentIdOf)) {
    const latest = own.at(-1)
    if (!id || !isObject(latest)) continue
    const { status } = latest
    if (status !== 'completed' && status !== 'failed') continue
    const endedAt = timeOf(latest.completion_timestamp) ?? timeOf(latest.timestamp)
    agents.push({ id, entries: own.length, status, endedAt: endedAt ?? Number.NEGATIVE_INFINITY })
  }
  return agents
}

function timeOf(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? null : time
}
