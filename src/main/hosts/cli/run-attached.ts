/** Runs a command on the terminal of this process. */
import { spawn } from 'node:child_process'
import { homedir } from 'node:os'

/**
 * Resolves with its exit code; null if a signal ended it, or it could not start. Uses no shell. Runs it in the home folder,
 * because the present one may be a repository, whose files it would load.
 */
export function runAttached([program = '', ...args]: readonly string[]): Promise<number | null> {
  return new Promise((resolve) => {
    const isScript = process.platform === 'win32' && /\.(?:cmd|bat)$/i.test(program)
    const child = spawn(isScript ? `"${program}"` : program, args, {
      cwd: homedir(),
      stdio: 'inherit',
      shell: isScript,
    })
    child.once('error', () => resolve(null))
    child.once('exit', (code) => resolve(code))
  })
}
