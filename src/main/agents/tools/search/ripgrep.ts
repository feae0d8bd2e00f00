/** Runs ripgrep as a child process, from the platform packages of `@vscode/ripgrep`. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { buffer, text } from 'node:stream/consumers'

export interface Ripgrep {
  /** Resolves with the exit code; `stderr` is text for people. Rejects on abort and when it cannot be started. */
  run(
    args: string[],
    options: { cwd?: string; stdin?: string; signal: AbortSignal },
  ): Promise<{ code: number; stdout: Buffer; stderr: string }>
}

/** Resolves with the path of the executable; null if the platform has no package or it is not installed. */
export async function findRipgrep(): Promise<string | null> {
  try {
    // Loaded here, because the module throws on a platform without an executable.
    const { rgPath } = await import('@vscode/ripgrep')
    // Executables can't be run inside Electron's archive and are beside it.
    return rgPath.replace(/\bapp\.asar\b/, 'app.asar.unpacked')
  } catch {
    return null
  }
}

/**
 * Disables ignore files and the user's configuration, because Shiplog chooses the paths, and memory maps, because a
 * file that shrinks during the search would crash the process.
 */
const settings = [
  '--no-config',
  '--no-ignore',
  '--hidden',
  '--no-messages',
  '--no-mmap',
  '--color=never',
  '--no-heading',
  '--path-separator=/',
]

export function createRipgrep(executable: string): Ripgrep {
  return {
    async run(args, { cwd, stdin = '', signal }) {
      signal.throwIfAborted()
      const child = spawn(executable, [...settings, ...args], {
        cwd,
        // RIPGREP_CONFIG_PATH and what a pager or a locale would change stay out. Windows starts nothing without its root.
        env: process.platform === 'win32' ? { SystemRoot: process.env.SystemRoot } : {},
        stdio: 'pipe',
        windowsHide: true,
      })
      const kill = () => void child.kill('SIGKILL')
      signal.addEventListener('abort', kill, { once: true })
      try {
        // It may exit before it has read everything.
        child.stdin.on('error', () => {})
        child.stdin.end(stdin)
        const [stdout, stderr, code] = await Promise.all([
          buffer(child.stdout),
          text(child.stderr),
          exitCode(child),
        ])
        signal.throwIfAborted()
        return { code, stdout, stderr }
      } finally {
        signal.removeEventListener('abort', kill)
      }
    },
  }
}

async function exitCode(child: ChildProcess): Promise<number> {
  const [code] = await once(child, 'close')
  return code ?? -1
}
