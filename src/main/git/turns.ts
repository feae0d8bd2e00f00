/** Lets calls that would get in each other's way run one after the other. */

export type InTurn = <Result>(name: string, run: () => Promise<Result>) => Promise<Result>

/** `run` gets its turn once all earlier calls of the same name have ended, well or not. */
export function createTurns(): InTurn {
  const last = new Map<string, Promise<unknown>>()
  return async (name, run) => {
    const before = last.get(name) ?? Promise.resolve()
    const turn = before.then(run, run)
    last.set(name, turn)
    try {
      return await turn
    } finally {
      if (last.get(name) === turn) last.delete(name)
    }
  }
}
