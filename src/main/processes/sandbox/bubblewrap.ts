/** The arguments of `bwrap` (bubblewrap), Linux's sandbox for programs of ordinary users. Pure. */
import type { SandboxLimits } from './limits.ts'

/**
 * Makes the whole file system readable and only the writable mounts writable, applied in order. Processes in the sandbox
 * see and signal only each other, and end with it. `hidden` are folders that appear empty; they must exist.
 */
export function bubblewrapArgs(
  { mounts, network, hidden, unreadable = [] }: SandboxLimits & { hidden: string[] },
  command: string[],
): string[] {
  return [
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...hidden.flatMap((path) => ['--tmpfs', path]),
    ...mounts.flatMap(({ path, writable }) =>
      writable ? ['--bind', path, path] : ['--ro-bind-try', path, path],
    ),
    // A device on a mount that allows none: opening it fails.
    ...unreadable.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...['--unshare-pid', '--unshare-ipc', ...(network ? [] : ['--unshare-net'])],
    ...['--die-with-parent', '--', ...command],
  ]
}
