/** Asks the questions of one command in the terminal, line by line. */
import { createInterface, type Interface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { CliContext } from '../context.ts'
import { CliError, exitCodes } from '../exit-codes.ts'

export interface Terminal {
  /** Resolves with the typed line, trimmed. Rejects when the command ends. */
  ask(question: string): Promise<string>
  /** Like `ask`, but does not echo the input. */
  askSecret(question: string): Promise<string>
  close(): void
}

export function openTerminal({ host }: CliContext, ending: AbortSignal): Terminal {
  let isShown = true
  const output = new Writable({
    write(chunk, _, done) {
      if (isShown) host.stderr.write(chunk)
      done()
    },
  })
  const ask = async (question: string, terminal: boolean) => {
    const input: Interface = createInterface({ input: host.stdin, output, terminal })
    // readline in terminal mode emits Ctrl-C here and not as a signal of the process.
    const interrupted = new AbortController()
    input.once('SIGINT', () => interrupted.abort())
    try {
      const signal = AbortSignal.any([ending, interrupted.signal])
      const answer = input.question(question, { signal })
      isShown = !terminal
      return (await answer).trim()
    } catch (error) {
      if (interrupted.signal.aborted)
        throw new CliError(exitCodes.failed, 'Cancelled. Nothing was changed.')
      throw error
    } finally {
      isShown = true
      input.close()
    }
  }
  return {
    ask: (question) => ask(question, false),
    async askSecret(question) {
      const answer = await ask(question, true)
      host.stderr.write('\n')
      return answer
    },
    close: () => output.destroy(),
  }
}
