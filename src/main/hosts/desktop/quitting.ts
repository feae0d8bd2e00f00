/** Quitting: asks when agents are running, interrupts them cleanly, and never hangs. Independent of Electron. */

interface QuittingOptions {
  /** Titles of the running agents. */
  running(): string[]
  /** Resolves to true when the user lets them be interrupted. */
  ask(titles: string[]): Promise<boolean>
  close(): Promise<void>
  /** Called once, when all is closed or `closeMsMax` is over. `problem`: an error on the way. */
  leave(problem: Error | null): void
  closeMsMax: number
}

export interface Quitting {
  /** Does nothing during the confirmation or while closing. */
  begin(how: 'ask' | 'without-asking'): Promise<void>
  /** True after `leave` was called: nothing delays the exit any more. */
  isOver(): boolean
}

export function createQuitting(options: QuittingOptions): Quitting {
  let state: 'open' | 'asking' | 'closing' | 'over' = 'open'

  async function closeAndLeave(): Promise<void> {
    state = 'closing'
    const problem = await closeWithin(options)
    state = 'over'
    options.leave(problem)
  }

  return {
    async begin(how) {
      if (state === 'closing' || state === 'over') return
      // A signal during the confirmation answers it.
      if (how === 'without-asking') return closeAndLeave()
      if (state === 'asking') return
      const titles = options.running()
      if (titles.length > 0) {
        state = 'asking'
        const agreed = await options.ask(titles)
        if (state !== 'asking') return
        state = 'open'
        if (!agreed) return
      }
      await closeAndLeave()
    },
    isOver: () => state === 'over',
  }
}

async function closeWithin({ close, closeMsMax }: QuittingOptions): Promise<Error | null> {
  const { promise: late, resolve } = Promise.withResolvers<Error>()
  const timer = setTimeout(
    () => resolve(new Error(`not everything was closed within ${closeMsMax} ms`)),
    closeMsMax,
  )
  const closed = close().then(
    () => null,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  )
  const problem = await Promise.race([closed, late])
  clearTimeout(timer)
  return problem
}
