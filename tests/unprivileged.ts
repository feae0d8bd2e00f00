/** Root may read and write everything, so a test of what is denied runs as somebody else. */
import { execFileSync } from 'node:child_process'
import { onTestFinished } from 'vitest'

const nobody = 65534

/** Makes the rest of the test run as a user that owns only these folders, if it is run as root. */
export function asUnprivilegedUser(...dirs: string[]): void {
  if (process.geteuid?.() !== 0) return
  execFileSync('chown', ['-hR', `${nobody}:${nobody}`, ...dirs])
  onTestFinished(() => void process.seteuid?.(0))
  process.seteuid?.(nobody)
}
