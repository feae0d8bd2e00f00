/** Random numbers that a seed brings back: a state that failed can be built again. */
export interface Random {
  /** 0 up to, not including, `bound`; a whole number. */
  below(bound: number): number
  chance(probability: number): boolean
  pick<T>(choices: readonly T[]): T
}

/** SplitMix32: good enough to choose with, and the same everywhere. */
export function createRandom(seed: number): Random {
  let state = seed | 0
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
  const below = (bound: number) => Math.floor(next() * bound)
  return {
    below,
    chance: (probability) => next() < probability,
    pick(choices) {
      const choice = choices[below(choices.length)]
      if (choice === undefined) throw new Error('nothing to pick from')
      return choice
    },
  }
}
