/**
 * Merges the ledger's entries into those of the file. Pure. Unknown entries and fields stay as they are, and so do
 * fields for which the ledger has no value. See FORMAT.md.
 */
import type { AgentEntries } from './entries.ts'
import { agentIdOf, type HistoryEntry, isObject, type JsonObject } from './format.ts'

/** Returns the file's entries in their order, with Shiplog's updated and missing ones inserted by time. */
export function mergeEntries(existing: unknown[], agents: AgentEntries[]): unknown[] {
  const slots = existing.map((entry) => ({ entry }))
  const byAgent = Map.groupBy(slots, ({ entry }) => agentIdOf(entry))
  const added: Missing[] = []
  for (const { agentId, entries } of agents) {
    const places = placesFor(entries, byAgent.get(agentId) ?? [])
    for (const [index, wanted] of entries.entries()) {
      const place = places[index]
      if (place) place.entry = mergeEntry(place.entry, wanted)
      else added.push({ wanted, before: places.slice(index).find(Boolean), order: 0 })
    }
  }
  for (const { wanted, before } of inOrderOfTime(added)) {
    const at = before ? slots.indexOf(before) : slots.length
    slots.splice(at, 0, { entry: { ...wanted } })
  }
  return slots.map(({ entry }) => entry)
}

interface Slot {
  entry: unknown
}

interface Missing {
  wanted: HistoryEntry
  /** A later entry of the same agent, which has to stay the later one. */
  before: Slot | undefined
  order: number
}

/** Returns for each entry of one agent its slot in the file: the one with its timestamp, else the next free one. */
function placesFor(entries: HistoryEntry[], slots: Slot[]): (Slot | undefined)[] {
  const left = new Set(slots)
  const places = entries.map((wanted) => {
    const same = [...left].find(
      ({ entry }) => isObject(entry) && entry.timestamp === wanted.timestamp,
    )
    if (same) left.delete(same)
    return same
  })
  for (const [index, place] of places.entries()) {
    if (place) continue
    const before = lastIndexOf(slots, places.slice(0, index))
    const [after = slots.length] = places
      .slice(index)
      .flatMap((one) => (one ? slots.indexOf(one) : []))
    const free = slots.find((slot, at) => left.has(slot) && at > before && at < after)
    if (free) left.delete(free)
    places[index] = free
  }
  return places
}

function lastIndexOf(slots: Slot[], among: (Slot | undefined)[]): number {
  return among.reduce((last, slot) => (slot ? Math.max(last, slots.indexOf(slot)) : last), -1)
}

/** Sorts by time, but keeps each agent's entries in order even if the clock was changed. */
function inOrderOfTime(added: Missing[]): Missing[] {
  const latest = new Map<string, number>()
  for (const one of added) {
    const { agent_id, timestamp } = one.wanted
    one.order = Math.max(Date.parse(timestamp), latest.get(agent_id) ?? Number.NEGATIVE_INFINITY)
    latest.set(agent_id, one.order)
  }
  return added.toSorted((a, b) => a.order - b.order)
}

/** Shiplog writes these fields once, so a different value in the file is an edit by another tool or the user. */
const describedFields = [
  ...(['task_description', 'phase', 'plan', 'segment', 'granularity'] as const),
  ...(['depends_on', 'checkpoints_skipped'] as const),
]

function mergeEntry(existing: unknown, wanted: HistoryEntry): JsonObject {
  if (!isObject(existing)) return { ...wanted }
  const merged: JsonObject = { ...existing, ...wanted }
  for (const field of describedFields) merged[field] = existing[field] ?? wanted[field]
  if (wanted.parallel_group === null && typeof existing.parallel_group === 'string') {
    merged.parallel_group = existing.parallel_group
    merged.execution_mode = existing.execution_mode ?? 'parallel'
  }
  merged.files_modified = wanted.files_modified ?? existing.files_modified ?? null
  merged.spawn_commit = wanted.spawn_commit ?? existing.spawn_commit ?? null
  merged.task_results = mergeResults(existing.task_results, wanted.task_results)
  return merged
}

/** `reason` explains the status and is the ledger's: an outdated one is deleted. */
function mergeResults(existing: unknown, wanted: JsonObject | null): unknown {
  if (!isObject(existing)) return wanted ?? existing ?? null
  const { reason: _, ...others } = existing
  const merged = { ...others, ...wanted }
  return Object.keys(merged).length > 0 ? merged : null
}
