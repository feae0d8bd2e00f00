// Run by lease.test.ts as a process of its own: waits for a line, takes the lease, says how it went,
// and keeps it until it is killed.
import { once } from 'node:events'
import { acquireLease } from '../../src/main/lease/lease.ts'
import { LeaseHeldError } from '../../src/main/lease/lease-errors.ts'

const dataDir = process.argv[2] ?? ''
console.log('ready')
await once(process.stdin, 'data')
try {
  const { holder, tookOver } = await acquireLease(dataDir, { host: 'cli' })
  console.log(JSON.stringify({ outcome: 'taken', holderPid: holder.pid, tookOver }))
} catch (error) {
  if (!(error instanceof LeaseHeldError)) throw error
  console.log(JSON.stringify({ outcome: 'held', holderPid: error.holder?.pid }))
}
