/** Discards what was typed before a question could be read, so that it does not answer the question. */
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import type { CliHost } from '../host.ts'

const interruptKey = '\x03'

/**
 * Discards the input that is waiting and that arrives within `ms`, also lines that are not finished. Rejects if the
 * signal is aborted. `onInterrupt` is called for Ctrl-C, which is no signal meanwhile.
 */
export async function discardInput(
  stdin: CliHost['stdin'],
  { ms, signal, onInterrupt }: { ms: number; signal: AbortSignal; onInterrupt: () => void },
): Promise<void> {
  const drop = (typed: Buffer | string) => {
    if (typed.toString().includes(interruptKey)) onInterrupt()
  }
  // Otherwise the terminal keeps an unfinished line for the next reader, and shows what is discarded.
  const setRawMode = stdin.setRawMode?.bind(stdin)
  setRawMode?.(true)
  stdin.on('data', drop)
  stdin.resume()
  try {
    // Without a terminal nobody reads the question first.
    await delay(setRawMode ? ms : 0, undefined, { signal })
    // After a process was stopped or busy the time is over before its input was read.
    await turn(undefined, { signal })
  } finally {
    stdin.off('data', drop)
    stdin.pause()
    setRawMode?.(false)
  }
}
