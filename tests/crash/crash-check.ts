/** Starts the services on a state that a crash left, and looks whether every promise holds. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claimFor } from '../../src/main/lease/lease-file.ts'
import { ownIdentity } from '../../src/main/processes/identity.ts'
import type { Candidate } from './explore.ts'
import { type Fact, isResidue, type Reopened, whatIsLost } from './facts.ts'
import { differences, readTree, writeTree } from './fault-fs/tree.ts'

/** What is wrong after a crash, in words; empty when every promise holds. Leaves nothing in `dataDir`. */
export async function checkAfterCrash(
  dataDir: string,
  { state, torn }: Pick<Candidate, 'state' | 'torn'>,
  reopen: (dataDir: string) => Promise<Reopened>,
): Promise<string[]> {
  writeTree(dataDir, state.tree)
  try {
    await disownLease(dataDir)
    const opened = await reopen(dataDir)
    const wrong = await whatIsLost(
      dataDir,
      opened,
      state.acknowledged as Fact[],
      // A write that nobody was told of is kept, and shown as damage, when whole lines follow its hole.
      (problem) => isResidue(problem) || (torn && problem.kind === 'journal-damaged'),
    )
    await opened.close()
    const afterFirst = readTree(dataDir)
    const again = await reopen(dataDir)
    await again.close()
    const changed = differences(afterFirst, readTree(dataDir))
    // Our own log says that there was a second start.
    const ofRecord = changed.filter((path) => !path.startsWith('logs/'))
    return [...wrong, ...ofRecord.map((path) => `the second start changed something: ${path}`)]
  } catch (error) {
    return [`does not start: ${error instanceof Error ? error.stack : error}`]
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** The lease in the state, and what was being made of it, is this test's own: the process that crashed is not alive. */
export async function disownLease(dataDir: string): Promise<void> {
  const lease = join(dataDir, 'lease.json')
  const { startedAt } = await ownIdentity()
  const disowned = (text: string) => text.replace(startedAt, 'x'.repeat(startedAt.length))
  const before = existsSync(lease) ? readFileSync(lease, 'utf8') : null
  for (const name of readdirSync(dataDir).filter((one) => one.startsWith('lease.json'))) {
    const file = join(dataDir, name)
    writeFileSync(file, disowned(readFileSync(file, 'utf8')))
    // A claim is named after the bytes that it is a claim to.
    if (before !== null && file === claimFor(lease, before))
      renameSync(file, claimFor(lease, disowned(before)))
  }
}
