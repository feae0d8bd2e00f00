/** The lines about running agents. They are held while a user is asked: they would be printed into the answer. */
import type { Output } from './output.ts'

export interface ProgressOutput extends Output {
  /** Holds what is written from now on, until the returned function prints it. */
  hold(): () => Promise<void>
  /**
   * Resolves once nothing has been written for a moment, or after a second: a question comes after the lines that lead
   * to it, although both arrive separately.
   */
  settled(): Promise<void>
}

const settledMs = 200
const settledMsMax = 1_000
/** More than fits on a screen; older ones are in the transcript. */
const heldMax = 1_000

export function createProgressOutput(err: Output): ProgressOutput {
  let holds = 0
  let held: (string | Uint8Array)[] = []
  let dropped = 0
  let writtenAt = Number.NEGATIVE_INFINITY

  async function release(): Promise<void> {
    holds--
    if (holds > 0) return
    const lines = dropped > 0 ? [`… ${dropped} earlier lines left out\n`, ...held] : held
    held = []
    dropped = 0
    for (const line of lines) await err.write(line)
  }

  return {
    isTTY: err.isTTY,
    get columns() {
      return err.columns
    },
    get rows() {
      return err.rows
    },
    get closed() {
      return err.closed
    },
    style: err.style,
    async write(text) {
      writtenAt = performance.now()
      if (holds === 0) return err.write(text)
      held.push(text)
      if (held.length > heldMax) {
        held.shift()
        dropped++
      }
    },
    hold() {
      holds++
      let released = false
      return async () => {
        if (released) return
        released = true
        await release()
      }
    },
    async settled() {
      const until = performance.now() + settledMsMax
      for (;;) {
        const now = performance.now()
        const ms = Math.min(writtenAt + settledMs, until) - now
        if (ms <= 0) return
        await new Promise((resolve) => setTimeout(resolve, ms))
      }
    },
  }
}
