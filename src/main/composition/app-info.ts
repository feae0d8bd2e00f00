import type { AppInfo, LeaseInfo } from '../../shared/contract/app.ts'
import type { LeaseHolder } from '../lease/lease-holder.ts'
import { version } from '../version.ts'
import type { ServicesOptions } from './options.ts'

/** Returns a function that describes the app. `modelAvailability` is evaluated at each call. */
export function createAppInfo(
  options: ServicesOptions,
  modelAvailability: () => Pick<AppInfo['agents'][number], 'available' | 'why'>,
): () => AppInfo {
  const { host, dataDir, pickFolder, lease, notices, secrets, log } = options
  return () => ({
    version,
    dataDir,
    host,
    platform: process.platform,
    canPickFolder: pickFolder !== undefined,
    lease: leaseInfo(lease.holder),
    notices: secrets.value(notices.list()),
    logFile: log.file,
    agents: [
      { kind: 'scripted', name: 'Scenario', available: true, why: null },
      { kind: 'model', name: 'Model', ...modelAvailability() },
    ],
  })
}

const leaseInfo = ({ pid, host, hostName, endpoint, acquiredAt }: LeaseHolder): LeaseInfo => ({
  pid,
  host,
  hostName,
  endpoint: endpoint !== null,
  since: new Date(acquiredAt).toISOString(),
})
