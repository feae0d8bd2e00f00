/** Finds programs on PATH, and on that of the login shell, which an app that was started from a dock lacks. */
import { execFile } from 'node:child_process'
import { homedir } from 'node:os'
import { delimiter, isAbsolute } from 'node:path'
import { findOnPath, isProgram } from '../../../processes/find-on-path.ts'

interface FoundProgram {
  /** Absolute. */
  file: string
  /** The PATH that it was found on, which programs that it starts need too. */
  path: string
}

/** Resolves with null if the program is not installed. `path` is Shiplog's own PATH. */
export type FindProgram = (command: string, path: string) => Promise<FoundProgram | null>

/** A shell that waits for input, or has a slow start-up file, must not delay a list. */
const shellMsMax = 5_000

export function createFindProgram({
  loginPath = readLoginPath,
}: {
  loginPath?: () => Promise<string | null>
} = {}): FindProgram {
  let fromShell: Promise<string | null> | null = null
  return async (command, path) => {
    if (isAbsolute(command)) return (await isProgram(command)) ? { file: command, path } : null
    const own = await findOnPath(path, command)
    if (own !== null) return { file: own, path }
    fromShell ??= loginPath().catch(() => null)
    const shellPath = await fromShell
    if (shellPath === null) return null
    const found = await findOnPath(shellPath, command)
    return found === null
      ? null
      : { file: found, path: [path, shellPath].filter(Boolean).join(delimiter) }
  }
}

/** Marks around the value, because start-up files may print text of their own. */
const mark = '__SHIPLOG_PATH__'

function readLoginPath(): Promise<string | null> {
  const shell = process.env.SHELL
  if (process.platform === 'win32' || !shell) return Promise.resolve(null)
  return new Promise((resolve) => {
    execFile(
      shell,
      // As every shell reads it, fish and csh too.
      ['-ilc', `echo ${mark}; printenv PATH; echo ${mark}`],
      {
        // As in a new terminal: tools of the shell may read files of a repository in which Shiplog was started.
        cwd: homedir(),
        timeout: shellMsMax,
        killSignal: 'SIGKILL',
        env: { ...process.env, DISABLE_AUTO_UPDATE: 'true' },
      },
      (_, stdout) => resolve(pathIn(stdout)),
    ).stdin?.end()
  })
}

/** Without relative entries: permissions go by the names of programs, and a repository could bring its own `ls`. */
function pathIn(output: string): string | null {
  const dirs = output.split(mark)[1]?.trim().split(delimiter).filter(isAbsolute) ?? []
  return dirs.length > 0 ? dirs.join(delimiter) : null
}
