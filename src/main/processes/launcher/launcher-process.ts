/** The launcher: a small process that starts programs for a large one (`launcher.ts`). */
import type { FromLauncher, ToLauncher } from './messages.ts'
import { type RunningProgram, startHere } from './program.ts'

const running = new Map<number, RunningProgram>()

process.on('message', (message: ToLauncher) => {
  const { id } = message
  if ('terminate' in message) {
    running.get(id)?.terminate()
    return
  }
  const program = startHere(message.start, {
    onStdout: (stdout) => send({ id, stdout }),
    onStderr: (stderr) => send({ id, stderr }),
  })
  running.set(id, program)
  program.ended
    .then(
      (exitCode) => send({ id, exitCode }),
      ({ message: text, code }: NodeJS.ErrnoException) =>
        send({ id, error: { message: text, code } }),
    )
    .finally(() => running.delete(id))
})

// A signal from the terminal reaches all processes of Shiplog. This one ends with the process that it works for: the
// channel closes, and nothing is left to wait for but the programs that still run.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

send({ ready: true })

/** Resolves once the channel took it: a busy process takes less than a program prints. */
function send(message: FromLauncher): Promise<void> {
  return new Promise((resolve) => {
    // Closed if the other process was killed.
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve())
    else resolve()
  })
}
