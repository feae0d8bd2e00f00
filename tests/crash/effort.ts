/**
 * How much the crash tests try. `npm test` tries a fixed list: one case of each class. `npm run test:soak`
 * (SHIPLOG_SOAK=<factor>) tries every case, and random ones with a seed of its own unless SHIPLOG_SEED gives
 * one. No test ends by the clock: a slow machine tries as much as a fast one.
 */
import { appendFileSync } from 'node:fs'
import { isSoak } from '../soak.ts'

export { isSoak }

/** How many times as many random cases are tried; 1 in `npm test`. */
export const soakFactor = Number(process.env.SHIPLOG_SOAK ?? 1)

export const seed = Number(
  process.env.SHIPLOG_SEED ?? (isSoak ? Math.floor(Math.random() * 2 ** 31) : 20261121),
)

/** `SHIPLOG_SHARD=2/5`: this process tries every fifth case, beginning with the second. */
const shard = parseShard(process.env.SHIPLOG_SHARD ?? '1/1')

function parseShard(text: string): { index: number; count: number } {
  const [index, count] = text.split('/').map(Number)
  if (!index || !count || index > count)
    throw new Error(`SHIPLOG_SHARD=${text}: expected 1/1 to n/n`)
  return { index, count }
}

/** The cases of this shard. */
export async function* inShard<T>(cases: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  let n = 0
  for await (const one of cases) if (n++ % shard.count === shard.index - 1) yield one
}

/**
 * Tries each case of this shard; reports how many, and fails if there were fewer than `atLeast` in all
 * shards together. `attempt` resolves with what is wrong, in words. Failures of the same kind count once.
 */
export async function tryEach<T extends { name: string }>(
  figure: string,
  cases: Iterable<T> | AsyncIterable<T>,
  attempt: (one: T) => Promise<string[]>,
): Promise<{ tried: number; failures: Record<string, string> }> {
  const failures = new Map<string, string>()
  let tried = 0
  for await (const one of inShard(cases)) {
    for (const wrong of await attempt(one)) {
      const kind = wrong.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '*')
      if (!failures.has(kind)) failures.set(kind, one.name)
    }
    tried++
  }
  reportFigure(figure, tried)
  return { tried, failures: Object.fromEntries([...failures].slice(0, 20)) }
}

/** Prints a count, and adds it to the soak's figures where it collects them. */
export function reportFigure(figure: string, count: number): void {
  console.log(`${count} ${figure}, seed ${seed}`)
  const file = process.env.SHIPLOG_SOAK_FIGURES
  if (file) appendFileSync(file, `${JSON.stringify({ figure, count })}\n`)
}
