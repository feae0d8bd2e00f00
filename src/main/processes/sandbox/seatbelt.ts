/** The profile of `sandbox-exec` (seatbelt), macOS's sandbox. The last matching rule applies. Pure. */
import type { SandboxLimits } from './limits.ts'

/** Devices that stay writable, because writing them changes no file. */
const devices = [
  '/dev/null',
  '/dev/zero',
  '/dev/tty',
  '/dev/dtracehelper',
  '/dev/stdout',
  '/dev/stderr',
]

/** Denies writes outside writable mounts, applied in order, and the network if it is off; allows everything else. */
export function seatbeltProfile({ mounts, network, unreadable = [] }: SandboxLimits): string {
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    `(allow file-write* ${devices.map((path) => `(literal ${quoted(path)})`).join(' ')} (subpath "/dev/fd"))`,
    ...mounts.map(
      ({ path, writable }) =>
        `(${writable ? 'allow' : 'deny'} file-write* (subpath ${quoted(path)}))`,
    ),
    ...unreadable.map((path) => `(deny file-read* (literal ${quoted(path)}))`),
    ...(network ? [] : ['(deny network*)']),
  ].join('\n')
}

const quoted = (path: string): string => `"${path.replace(/["\\]/g, '\\$&')}"`
