/** Runs commands with less than the person's own rights, where the system can without an administrator. */
import { execFile } from 'node:child_process'
import { constants, existsSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { SandboxSupport } from '../../../shared/records/projects/sandbox.ts'
import { bubblewrapArgs } from './bubblewrap.ts'
import type { SandboxLimits } from './limits.ts'
import { seatbeltProfile } from './seatbelt.ts'

export type { SandboxLimits }

export interface Sandbox {
  support: SandboxSupport
  /** Null where there is no sandbox. What runs `command` within the limits: the program, then its arguments. */
  wrap: ((limits: SandboxLimits, command: string[]) => [program: string, ...args: string[]]) | null
}

/** A container or a hardened system may refuse at once or hang. */
const tryTimeMsMax = 5_000

let found: Promise<Sandbox> | undefined

/** The sandbox of this system. Detected once, on the first call: the detection starts processes. */
export function systemSandbox(): Promise<Sandbox> {
  found ??= findSandbox()
  return found
}

/** Finds the system's program and tries it: it may be there and not be allowed to do anything. */
export async function findSandbox({
  platform = process.platform,
  path = process.env.PATH ?? '',
}: {
  platform?: NodeJS.Platform
  path?: string
} = {}): Promise<Sandbox> {
  if (platform === 'linux') {
    const program = await inPath('bwrap', path)
    if (program === null)
      return none('bubblewrap is not installed (its program bwrap is not on the PATH)')
    const wrap: Sandbox['wrap'] = (limits, command) => {
      const hidden = serviceFolders(limits).filter((folder) => existsSync(folder))
      return [program, ...bubblewrapArgs({ ...limits, hidden }, command)]
    }
    return tried({ support: { program: 'bubblewrap', why: null }, wrap })
  }
  if (platform === 'darwin') {
    const program = '/usr/bin/sandbox-exec'
    const wrap: Sandbox['wrap'] = (limits, command) => [
      ...([program, '-p', seatbeltProfile(limits)] as const),
      ...command,
    ]
    return tried({ support: { program: 'seatbelt', why: null }, wrap })
  }
  return none('this system has no sandbox that Shiplog can use')
}

/**
 * Services that listen there run commands outside of the sandbox for any caller: `systemd-run --user`, Docker. The
 * system's resolver listens there too, so only those of the person are hidden where there is a network.
 */
const serviceFolders = ({ network }: SandboxLimits): string[] => [network ? '/run/user' : '/run']

const none = (why: string): Sandbox => ({ support: { program: null, why }, wrap: null })

async function tried(sandbox: Sandbox & { wrap: NonNullable<Sandbox['wrap']> }): Promise<Sandbox> {
  const { program } = sandbox.support
  for (const network of [true, false]) {
    const [file, ...args] = sandbox.wrap({ mounts: [], network }, ['/bin/sh', '-c', ':'])
    const problem = await problemOf(file, args)
    if (problem !== null) return none(`${program} can’t be used here: ${problem}`)
  }
  return sandbox
}

/** Null when it exits with 0. */
function problemOf(file: string, args: string[]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(file, args, { timeout: tryTimeMsMax }, (error, _, stderr) =>
      resolve(error && (stderr.trim().split('\n')[0] || error.message)),
    )
  })
}

async function inPath(name: string, path: string): Promise<string | null> {
  for (const dir of path.split(delimiter)) {
    const file = join(dir, name)
    const isThere =
      dir !== '' &&
      (await access(file, constants.X_OK).then(
        () => true,
        () => false,
      ))
    if (isThere) return file
  }
  return null
}
