/** Recovers what an earlier process left unfinished, then starts the background work of the services. */
import { setTimeout as delay } from 'node:timers/promises'
import type { ClosedHow } from '../../shared/records/causes.ts'
import { clearStaging } from '../imports/staging.ts'
import { clearOpenedLogs } from '../opened-logs/opened-logs.ts'
import { endLeftoverCommands } from '../processes/custody.ts'
import { readHeartbeat, startHeartbeat } from '../runs/heartbeat.ts'
import { strayTranscripts } from '../sessions/data-dir-guard.ts'
import { recoverLostRuns } from '../tasks/recovery/recovery.ts'
import type { ServicesOptions } from './options.ts'
import type { Services } from './services.ts'

/** Long enough for a few unfinished removals, short enough not to keep a window closed. */
const rollForwardMsMaxInApp = 2_000

/**
 * Time for calls of Git at the end, such as the last snapshot of an agent's files: a repository may make Git compute for
 * hours. The desktop app leaves after ten seconds.
 */
const gitMsMax = { desktop: 8_000, web: 30_000, cli: 30_000 }

/** Returns the function that stops everything, with the cause for the runs that it interrupts. */
export async function startServices(services: Services, options: ServicesOptions) {
  const { host, lease, notices, log } = options
  const {
    git,
    endGit,
    ledger,
    layout,
    clock,
    workspaces,
    tasks,
    doctor,
    retention,
    history,
    search,
    finder,
    turnStore,
    opened,
    watchedImport,
  } = services
  const lastBeatMs = await readHeartbeat(layout.running)
  const ended = await endLeftoverCommands(layout.running, {
    afterCrash: lease.tookOver,
  })
  const tidied = lease.tookOver
    ? await doctor.tidy().catch((error) => {
        notices.problem(
          'What a crash left could not be tidied up; nothing of the record is lost',
          error,
        )
        return []
      })
    : []
  // Each command would say it again.
  if (lease.unlockedBecause !== null && host !== 'cli') notices.unlocked(lease.unlockedBecause)
  notices.damaged(ledger.damage.map((one) => `${one.file}:${one.line} ${one.reason}`))
  notices.unknownRecords(ledger.unknownRecords)
  await clearStaging(layout)
  await clearOpenedLogs(layout.openedLogs)
  notices.strays(await strayTranscripts(layout, (id) => ledger.state.tasks.has(id)))
  const interrupted = await recoverLostRuns({ ...services, lastBeatMs })
  notices.healed([...ledger.healed.map((one) => one.detail), ...ended, ...tidied])
  notices.interrupted(interrupted.map((task) => task.title))
  log.info('recovered', {
    ledgerHealed: ledger.healed.length,
    commandsEnded: ended.length,
    tidied: tidied.length,
    interrupted: interrupted.map(({ id }) => id),
  })
  const closing = new AbortController()
  await workspaces.settle()
  const completed = completeUnfinished(services, options, closing.signal)
  if (host === 'cli') await completed
  else await settledWithin(options.rollForwardMsMax ?? rollForwardMsMaxInApp, completed)
  if (host !== 'cli') tasks.sleeping.start()
  if (host !== 'cli') search.start()
  if (host !== 'cli') watchedImport.start()
  history.start()
  turnStore.begin()
  const scratchRemoved = git.removeOldScratchDirs(clock())
  // Skipped for a command, which is short-lived and identifies only its own project.
  if (host !== 'cli') void workspaces.projects.identifyAll(closing.signal)
  const heartbeat = startHeartbeat(layout.running, {
    clock,
    isNeeded: () => tasks.running().length > 0,
  })

  return async (how: ClosedHow): Promise<void> => {
    const timer = setTimeout(endGit, options.gitMsMaxAtClose ?? gitMsMax[host])
    try {
      closing.abort()
      await completed
      await Promise.all([opened.closeAll(), watchedImport.close()])
      // Agents are stopped in parallel with a running sweep, which finishes its current move.
      await Promise.all([retention.close(), tasks.close(how)])
      await Promise.all([search.close(), finder.close()])
      await heartbeat.stop()
      await scratchRemoved
      await history.close()
      await turnStore.close()
    } finally {
      clearTimeout(timer)
      // A call that nothing waits for would keep the process alive.
      endGit()
    }
    await ledger.close()
  }
}

/** Completes what an earlier process left unfinished, then starts retention, which waits for it. Never rejects. */
async function completeUnfinished(
  { workspaces, tasks, retention }: Services,
  { host, sweepAtStart, notices }: ServicesOptions,
  signal: AbortSignal,
): Promise<void> {
  try {
    await workspaces.rollForward(signal)
    await tasks.cleanUpFinished(signal)
  } catch (error) {
    notices.problem('Unfinished removals and restores could not be completed', error)
  }
  if (!signal.aborted) retention.begin({ sweep: sweepAtStart ?? host !== 'cli' })
}

/** Resolves once `work` is settled, or after `ms`. */
async function settledWithin(ms: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController()
  await Promise.race([work, delay(ms, undefined, { signal: timer.signal }).catch(() => {})])
  timer.abort()
}
