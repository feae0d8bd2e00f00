/** Root may read and write everything, so a test of what is denied runs as somebody else. */
import { execFileSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { relative } from 'node:path'
import { onTestFinished } from 'vitest'

const nobody = 65534

/** Makes the rest of the test run as a user that owns only these folders, if it is run as root. */
export function asUnprivilegedUser(...dirs: string[]): void {
  if (process.geteuid?.() !== 0) return
  for (const dir of dirs) refuseUnlessTemporary(dir)
  execFileSync('chown', ['-hR', `${nobody}:${nobody}`, ...dirs])
  onTestFinished(() => void process.seteuid?.(0))
  process.seteuid?.(nobody)
}

/** One `dirname` too many would give away the temporary folder of the whole machine. */
function refuseUnlessTemporary(dir: string): void {
  const path = relative(realpathSync(tmpdir()), realpathSync(dir))
  if (path === '' || path.startsWith('..')) throw new Error(`${dir} is no folder of a test`)
}
