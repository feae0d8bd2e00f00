/** The profile of `sandbox-exec` (seatbelt), macOS's sandbox. Of two rules that match, the later one counts. Pure. */
import type { SandboxLimits } from './limits.ts'

/** Files that a command writes without changing anything. */
const devices = [
  '/dev/null',
  '/dev/zero',
  '/dev/tty',
  '/dev/dtracehelper',
  '/dev/stdout',
  '/dev/stderr',
]

/** Denies writing outside of `limits.mounts`, in their order, and the network if it is off; allows everything else. */
export function seatbeltProfile({ mounts, network }: SandboxLimits): string {
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    `(allow file-write* ${devices.map((path) => `(literal ${quoted(path)})`).join(' ')} (subpath "/dev/fd"))`,
    ...mounts.map(
      ({ path, writable }) =>
        `(${writable ? 'allow' : 'deny'} file-write* (subpath ${quoted(path)}))`,
    ),
    ...(network ? [] : ['(deny network*)']),
  ].join('\n')
}

const quoted = (path: string): string => `"${path.replace(/["\\]/g, '\\$&')}"`
