/** Runs a command on the terminal of this process. */
import { spawn } from 'node:child_process'

/** Resolves with its exit code; null if a signal ended it, or it could not start. Uses no shell. */
export function runAttached([program = '', ...args]: readonly string[]): Promise<number | null> {
  return new Promise((resolve) => {
    const isScript = process.platform === 'win32' && /\.(?:cmd|bat)$/i.test(program)
    const child = spawn(isScript ? `"${program}"` : program, args, {
      stdio: 'inherit',
      shell: isScript,
    })
    child.once('error', () => resolve(null))
    child.once('exit', (code) => resolve(code))
  })
}
