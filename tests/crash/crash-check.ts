/** Starts the services on a state that a crash left, and looks whether every promise holds. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ownIdentity } from '../../src/main/journal/index.ts'
import { type Fact, type Reopened, whatIsLost } from './facts.ts'
import type { CrashState } from './fault-fs/crash-state.ts'
import { differences, readTree, writeTree } from './fault-fs/tree.ts'

/** What is wrong after a crash, in words; empty when every promise holds. Leaves nothing in `dataDir`. */
export async function checkAfterCrash(
  dataDir: string,
  state: CrashState,
  reopen: (dataDir: string) => Promise<Reopened>,
): Promise<string[]> {
  writeTree(dataDir, state.tree)
  try {
    await disownLease(dataDir)
    const opened = await reopen(dataDir)
    const wrong = await whatIsLost(dataDir, opened, state.acknowledged as Fact[])
    await opened.close()
    const afterFirst = readTree(dataDir)
    const again = await reopen(dataDir)
    await again.close()
    const changed = differences(afterFirst, readTree(dataDir))
    return [...wrong, ...changed.map((path) => `the second start changed something: ${path}`)]
  } catch (error) {
    return [`does not start: ${error instanceof Error ? error.stack : error}`]
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** The lease in the state is this test's own: the process that crashed is not alive. */
async function disownLease(dataDir: string): Promise<void> {
  const file = join(dataDir, 'lease.json')
  const { startedAt } = await ownIdentity()
  try {
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace(startedAt, 'x'.repeat(startedAt.length)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
