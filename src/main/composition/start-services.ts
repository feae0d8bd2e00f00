/** Recovers what an earlier process left unfinished, then starts the background work of the services. */
import type { ClosedHow } from '../../shared/records/causes.ts'
import { clearStaging } from '../imports/staging.ts'
import { clearOpenedLogs } from '../opened-logs/opened-logs.ts'
import { endLeftoverCommands } from '../processes/custody.ts'
import { readHeartbeat, startHeartbeat } from '../runs/heartbeat.ts'
import { strayTranscripts } from '../sessions/data-dir-guard.ts'
import { recoverLostRuns } from '../tasks/recovery/recovery.ts'
import type { ServicesOptions } from './options.ts'
import type { Services } from './services.ts'

/** Returns the function that stops everything, with the cause for the runs that it interrupts. */
export async function startServices(services: Services, options: ServicesOptions) {
  const { host, lease, notices, log } = options
  const {
    git,
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
  await workspaces.rollForward()
  await tasks.cleanUpFinished()
  if (host !== 'cli') tasks.sleeping.start()
  if (host !== 'cli') search.start()
  if (host !== 'cli') watchedImport.start()
  retention.begin({ sweep: options.sweepAtStart ?? host !== 'cli' })
  history.start()
  turnStore.begin()
  const scratchRemoved = git.removeOldScratchDirs(clock())
  // Skipped for a command, which is short-lived and identifies only its own project.
  const closing = new AbortController()
  if (host !== 'cli') void workspaces.projects.identifyAll(closing.signal)
  const heartbeat = startHeartbeat(layout.running, {
    clock,
    isNeeded: () => tasks.running().length > 0,
  })

  return async (how: ClosedHow): Promise<void> => {
    closing.abort()
    await Promise.all([opened.closeAll(), watchedImport.close()])
    // Agents are stopped in parallel with a running sweep, which finishes its current move.
    await Promise.all([retention.close(), tasks.close(how)])
    await Promise.all([search.close(), finder.close()])
    await heartbeat.stop()
    await scratchRemoved
    await history.close()
    await turnStore.close()
    await ledger.close()
  }
}
