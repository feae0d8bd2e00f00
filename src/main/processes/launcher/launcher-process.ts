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
  if (program.pid !== undefined) void send({ id, pid: program.pid })
  program.ended
    .then(
      (exitCode) => send({ id, exitCode }),
      ({ message: text, code }: NodeJS.ErrnoException) =>
        send({ id, error: { message: text, code } }),
    )
    .finally(() => running.delete(id))
})

// A signal from the terminal reaches all processes of Shiplog. The launcher ignores it and ends with its parent: the
// channel closes, and only programs that still run keep the launcher alive. A signal ends it then.
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
for (const signal of signals) process.on(signal, () => {})
process.on('disconnect', () => {
  for (const signal of signals) process.removeAllListeners(signal)
})

send({ ready: true })

/** Resolves once the channel accepted the message, so that a busy parent slows the program down. */
function send(message: FromLauncher): Promise<void> {
  return new Promise((resolve) => {
    // Disconnected if the parent was killed.
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve())
    else resolve()
  })
}
