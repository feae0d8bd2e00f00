/**
 * How long the crash tests look for trouble. `npm test` looks for seconds; SHIPLOG_SOAK=<factor> makes
 * that many times as much of it, with a seed of its own unless SHIPLOG_SEED gives one.
 */
export const soakFactor = Number(process.env.SHIPLOG_SOAK ?? 1)

export const seed = Number(
  process.env.SHIPLOG_SEED ?? (soakFactor > 1 ? Math.floor(Math.random() * 2 ** 31) : 20261121),
)

/**
 * Tries one case after the other until all were tried or the time is up, and `atLeast` so many however slow
 * the machine is. Gives how many were.
 */
export async function within<T>(
  seconds: number,
  cases: Iterable<T> | AsyncIterable<T>,
  attempt: (one: T) => Promise<void>,
  atLeast = 1,
): Promise<number> {
  const endAt = performance.now() + seconds * 1000 * soakFactor
  let tried = 0
  for await (const one of cases) {
    if (performance.now() > endAt && tried >= atLeast) break
    await attempt(one)
    tried++
  }
  return tried
}
