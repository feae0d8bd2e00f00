import os from 'node:os'
import type { LeaseHolder } from './lease-holder.ts'

/**
 * Another process holds the lease of the data directory. `holder.endpoint` is its address; null if lease.json has none.
 */
export class LeaseHeldError extends Error {
  readonly kind = 'lease-held'
  readonly holder: LeaseHolder | null

  constructor(file: string, holder: LeaseHolder | null, canBeJudged = true) {
    super(`the data directory is in use by ${inUseBy(file, holder, canBeJudged)}`)
    this.name = 'LeaseHeldError'
    this.holder = holder
  }
}

function inUseBy(file: string, holder: LeaseHolder | null, canBeJudged: boolean): string {
  if (holder === null)
    return `a process that ${file} does not name any more, because the file was deleted or changed; end that process, then try again`
  const { pid, host, hostName } = holder
  const ifNothing = `; if nothing runs there any more, delete ${file}`
  if (hostName !== os.hostname())
    return `process ${pid} on the machine ${hostName} (${host})${ifNothing}`
  return canBeJudged
    ? `process ${pid} (${host}); close it first`
    : `process ${pid} of another container (${host}), which can't be looked at from here${ifNothing}`
}

/** This process lost the lease: another one writes the data directory now, or the directory was moved or deleted. */
export class LeaseLostError extends Error {
  readonly kind = 'lease-lost'

  constructor(dataDir: string) {
    super(
      `another process writes the data directory ${dataDir} now, or it was moved, so this one ends; what it had recorded is kept`,
    )
    this.name = 'LeaseLostError'
  }
}
