/** Runs commands with fewer rights than the user has, on systems that allow this without an administrator. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { SandboxSupport } from '../../../shared/records/projects/sandbox.ts'
import { findOnPath } from '../find-on-path.ts'
import { bubblewrapArgs } from './bubblewrap.ts'
import type { SandboxLimits } from './limits.ts'
import { seatbeltProfile } from './seatbelt.ts'

export type { SandboxLimits }

export interface Sandbox {
  support: SandboxSupport
  /** Returns the program and arguments that run `command` within the limits. Null if there is no sandbox. */
  wrap: ((limits: SandboxLimits, command: string[]) => [program: string, ...args: string[]]) | null
}

/** In a container or on a hardened system, the trial may hang. */
const tryTimeMsMax = 5_000

let found: Promise<Sandbox> | undefined

/** Returns the sandbox of this system. Detects it once, on the first call, because detection starts processes. */
export function systemSandbox(): Promise<Sandbox> {
  found ??= findSandbox()
  return found
}

/** Finds the system's sandbox program and runs it once, because it may be installed but not permitted. */
export async function findSandbox({
  platform = process.platform,
  path = process.env.PATH ?? '',
}: {
  platform?: NodeJS.Platform
  path?: string
} = {}): Promise<Sandbox> {
  if (platform === 'linux') {
    const program = await findOnPath(path, 'bwrap')
    if (program === null)
      return unsupported('bubblewrap is not installed (its program bwrap is not on the PATH)')
    const wrap: Sandbox['wrap'] = (limits, command) => {
      const hidden = serviceFolders(limits).filter((folder) => existsSync(folder))
      // bubblewrap would create what is missing.
      const unreadable = limits.unreadable?.filter((path) => existsSync(path))
      return [program, ...bubblewrapArgs({ ...limits, hidden, unreadable }, command)]
    }
    return verified({ support: { program: 'bubblewrap', why: null }, wrap })
  }
  if (platform === 'darwin') {
    const program = '/usr/bin/sandbox-exec'
    const wrap: Sandbox['wrap'] = (limits, command) => [
      ...([program, '-p', seatbeltProfile(limits)] as const),
      ...command,
    ]
    return verified({ support: { program: 'seatbelt', why: null }, wrap })
  }
  return unsupported('this system has no sandbox that Shiplog can use')
}

/**
 * Returns the folders whose sockets must be hidden: services that listen there run commands outside the sandbox for any
 * caller (`systemd-run --user`, Docker). The resolver listens in `/run` too, so with a network only the user's own
 * services are hidden.
 */
const serviceFolders = ({ network }: SandboxLimits): string[] => [network ? '/run/user' : '/run']

const unsupported = (why: string): Sandbox => ({ support: { program: null, why }, wrap: null })

/** Returns the sandbox if it runs a trivial command with and without a network, else `unsupported` with the reason. */
async function verified(
  sandbox: Sandbox & { wrap: NonNullable<Sandbox['wrap']> },
): Promise<Sandbox> {
  const { program } = sandbox.support
  for (const network of [true, false]) {
    const [file, ...args] = sandbox.wrap({ mounts: [], network }, ['/bin/sh', '-c', ':'])
    const problem = await problemOf(file, args)
    if (problem !== null) return unsupported(`${program} can’t be used here: ${problem}`)
  }
  return sandbox
}

/** Returns null if the program exits with 0, else the first line of its error output. */
function problemOf(file: string, args: string[]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(file, args, { timeout: tryTimeMsMax }, (error, _, stderr) =>
      resolve(error && (stderr.trim().split('\n')[0] || error.message)),
    )
  })
}
