/** Reads what the user answers to questions that let something run: only what is typed after the question was shown. */
import { createInterface } from 'node:readline/promises'
import type { CliHost } from '../host.ts'
import { discardInput } from './discard-input.ts'

/** A question is shown for so long before an answer counts: what was typed before was meant for something else. */
const firstSettleMs = 600
/** The same for its next page or prompt, which the user expects. */
const nextSettleMs = 100

/** Ctrl-D, or the terminal is gone: nothing can be typed any more. */
export class InputEnded extends Error {
  override message = 'The input of this terminal has ended, so nothing can be answered in it.'
}

/**
 * Returns a function that prints a question and resolves with the line that is typed then. It rejects with InputEnded, or
 * when the signal is aborted. Make one for each question: its first page or prompt takes longest to be read.
 */
export function createTypedAnswers(
  { stdin, stderr }: Pick<CliHost, 'stdin' | 'stderr'>,
  signal: AbortSignal,
): (question: string) => Promise<string> {
  let settleMs = firstSettleMs
  return async (question) => {
    await discardInput(stdin, { ms: settleMs, signal, onInterrupt: interrupt })
    settleMs = nextSettleMs
    // In raw mode readline would take Ctrl-C itself; here it has to interrupt the command.
    const input = createInterface({ input: stdin, output: stderr, terminal: false })
    const ended = Promise.withResolvers<never>()
    const onEnd = () => ended.reject(new InputEnded())
    input.once('close', onEnd)
    try {
      if (hasEnded(stdin)) throw new InputEnded()
      return await Promise.race([input.question(question, { signal }), ended.promise])
    } finally {
      input.off('close', onEnd)
      input.close()
    }
  }
}

const interrupt = (): void => void process.kill(process.pid, 'SIGINT')

const hasEnded = (stdin: CliHost['stdin']): boolean =>
  'readableEnded' in stdin && stdin.readableEnded === true
