/** Ranks hits by relevance and recency. Pure. */
import type { SearchKind, SearchSort } from '../../../shared/contract/search.ts'
import { dayMs } from '../../../shared/durations.ts'
import type { Candidate } from '../index/index-db.ts'
import type { Fit } from './match.ts'

/** Titles, reports and prompts summarise a task, so they weigh more than outputs, which may contain any word. */
const weightOf: Record<SearchKind, number> = {
  title: 6,
  report: 5,
  prompt: 4,
  message: 3,
  files: 2.5,
  plan: 2.5,
  summary: 2.5,
  call: 2.5,
  event: 2,
  reasoning: 1.5,
  foreign: 1.5,
  output: 1,
}
const fitWeight: Record<Fit, number> = { word: 2, 'short-beginning': 1, beginning: 1, part: 0 }
const newWeight = 2
/** Age at which the weight of recency is halved. */
const halfAgeDays = 30

export interface Ranked extends Candidate {
  /** The narrowest fit that matched. */
  fit: Fit
}

/** Best or newest first. Returns one hit per entry and kind, even if several parts match. */
export function rank(
  found: readonly Ranked[],
  { sort, nowMs }: { sort: SearchSort; nowMs: number },
): Ranked[] {
  const best = new Map<string, Ranked>()
  for (const one of found) {
    const key = [one.taskId, one.seq, one.kind].join(' ')
    // `found` is ordered from the narrowest fit to the widest.
    if (!best.has(key)) best.set(key, one)
  }
  if (sort === 'newest') return [...best.values()].sort((a, b) => b.at - a.at)
  const scored = [...best.values()].map((one) => ({ one, score: scoreOf(one, nowMs) }))
  return scored.sort((a, b) => b.score - a.score || b.one.at - a.one.at).map(({ one }) => one)
}

function scoreOf({ kind, fit, at }: Ranked, nowMs: number): number {
  const ageDays = Math.max(0, nowMs - at) / dayMs
  return weightOf[kind] + fitWeight[fit] + newWeight / (1 + ageDays / halfAgeDays)
}
