/**
 * Opens Shiplog on a data directory, for the desktop, web and command-line hosts: takes the lease, opens log and
 * ledger, then the services (`composition/services.ts`).
 */

import { release } from 'node:os'
import type { ShiplogClient } from '../../shared/contract/index.ts'
import type { ClosedHow } from '../../shared/records/causes.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import { describeNoFile, exists, explain, isNoFile, systemCode } from '../journal/index.ts'
import { acquireLease } from '../lease/lease.ts'
import { LeaseLostError } from '../lease/lease-errors.ts'
import { openLedger } from '../ledger/ledger.ts'
import { type Log, openLog } from '../log/log.ts'
import { ownIdentity } from '../processes/identity.ts'
import { createInProcessClient, type ShiplogRouter } from '../rpc/router.ts'
import { maskEvent } from '../secrets/mask-records.ts'
import { createMasker } from '../secrets/masker.ts'
import { layoutOf } from '../sessions/session-files.ts'
import { refuseRunsElsewhere } from '../tasks/recovery/runs-elsewhere.ts'
import { version } from '../version.ts'
import { createNotices } from './notices.ts'
import type { OpenShiplogOptions, ServicesOptions } from './options.ts'
import { createServices } from './services.ts'
import { startServices } from './start-services.ts'
import { DataDirError, prepareDataDir } from './writable-data-dir.ts'

export type { OpenShiplogOptions }

export interface Shiplog {
  readonly dataDir: string
  readonly router: ShiplogRouter
  /** An in-process client of the same contract. */
  readonly client: ShiplogClient
  /** For the host's own messages; open until `close`. */
  readonly log: Pick<Log, 'info' | 'warning' | 'error'>
  /** Publishes this process's address in lease.json; null removes it. Must not be called after `close`. */
  setEndpoint(endpoint: string | null): Promise<void>
  /**
   * Resolves when another process has taken over the data directory. Recording has stopped; the caller should close.
   */
  readonly displaced: Promise<Error>
  runningAgents(): { taskId: TaskId; title: string }[]
  /** Interrupts running agents with cause `how`, flushes, and releases the lease. May be called twice. */
  close(how?: ClosedHow): Promise<void>
}

/**
 * Throws LeaseHeldError when another process holds the lease, RunsElsewhereError when a process that lost the lease is
 * still writing, and DataDirError when the data directory can't be written.
 */
export async function openShiplog(options: OpenShiplogOptions): Promise<Shiplog> {
  const { dataDir, host } = options
  const warning = await prepareDataDir(dataDir)
  const lease = await acquireLease(dataDir, {
    host,
    endpoint: options.endpoint ?? null,
    wasUsed: await exists(layoutOf(dataDir).ledger),
  }).catch((error) => {
    if (systemCode(error) === 'UNKNOWN') throw error
    if (isNoFile(error))
      throw new DataDirError(`${describeNoFile(error)}. Move it away, then start again.`)
    throw new DataDirError(
      `The data directory ${dataDir} can't be written: ${explain(systemCode(error))}. Nothing in it was changed.`,
    )
  })
  const secrets = createMasker()
  // Assigned later: log and notices refer to each other, because the log reports its own failure as a notice.
  let logFailed: (error: unknown) => void = () => {}
  const log = openLog(layoutOf(dataDir).logs, {
    mask: secrets.text,
    clock: Date.now,
    onFailed: (error) => logFailed(error),
  })
  const notices = createNotices({ log })
  logFailed = notices.logFailed
  const stopWatching = logCrash(log)
  const startedAtMs = performance.now()
  const { tookOver, unlockedBecause } = lease
  log.info('host.starting', { host, version, ...machine(), tookOver, unlockedBecause })
  try {
    const services = await openServices({
      ...options,
      lease,
      warning,
      secrets,
      notices,
      log,
      openAnother: (other) => openShiplog({ dataDir: other, host: 'cli', sweepAtStart: false }),
    })
    log.info('host.started', { ms: Math.round(performance.now() - startedAtMs) })
    return {
      ...services,
      log,
      setEndpoint: lease.setEndpoint,
      close: once(async (how: ClosedHow = 'close') => {
        try {
          await services.close(how)
          log.info('host.ended', { how })
        } catch (error) {
          log.error('host.ended', { how, error })
          throw error
        } finally {
          stopWatching()
          await log.close()
          await lease.release()
        }
      }),
    }
  } catch (error) {
    log.error('host.failed', { error })
    stopWatching()
    await log.close()
    await lease.release()
    throw error
  }
}

const machine = () => ({
  platform: `${process.platform}-${process.arch}`,
  system: release(),
  node: process.versions.node,
  electron: process.versions.electron,
  pid: process.pid,
})

/** Logs an uncaught exception without changing how Node ends the process. Returns the unsubscribe function. */
function logCrash({ crashed }: Log): () => void {
  process.on('uncaughtExceptionMonitor', crashed)
  return () => process.off('uncaughtExceptionMonitor', crashed)
}

async function openServices(options: ServicesOptions & { warning: string | null }) {
  const { dataDir, warning, notices, secrets } = options
  if (warning !== null) notices.warning(warning)
  const ledger = await openLedger(layoutOf(dataDir).ledger, dataDir, {
    onListenerError: notices.listenerFailed,
    prepare: (event) => maskEvent(secrets, event),
    isDisplaced: options.lease.isLost,
  })
  try {
    await refuseRunsElsewhere(ledger.state, await ownIdentity())
    const services = await createServices(ledger, options)
    const close = await startServices(services, options)
    const { router, tasks } = services
    return {
      dataDir,
      router,
      client: createInProcessClient(router),
      displaced: Promise.race([ledger.displaced, options.lease.lost]).then(
        () => new LeaseLostError(dataDir),
      ),
      runningAgents: () => tasks.running().map(({ id, title }) => ({ taskId: id, title })),
      close,
    }
  } catch (error) {
    await ledger.close()
    throw error
  }
}

function once<Arguments extends unknown[]>(
  work: (...given: Arguments) => Promise<void>,
): (...given: Arguments) => Promise<void> {
  let done: Promise<void> | null = null
  return (...given) => (done ??= work(...given))
}
