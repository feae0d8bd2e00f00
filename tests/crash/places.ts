import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Memory where there is some: thousands of states are written, and a disk would only slow that down. */
export const scratchParent = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** A directory of its own, removed when the test has finished. */
export function scratch(): string {
  const made = mkdtempSync(join(scratchParent, 'shiplog-crash-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}
