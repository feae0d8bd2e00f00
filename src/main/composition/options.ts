import type { AskedQuestion } from '../../shared/agents/permissions.ts'
import type { Keychain } from '../agents/providers/key-store.ts'
import type { Lease } from '../lease/held-lease.ts'
import type { Log } from '../log/log.ts'
import type { LogHost } from '../opened-logs/opened-logs.ts'
import type { Sandbox } from '../processes/sandbox/index.ts'
import type { LearningMasker } from '../secrets/masker.ts'
import type { Notices } from './notices.ts'

export interface OpenShiplogOptions {
  dataDir: string
  host: 'desktop' | 'web' | 'cli'
  /** Where this process can be reached; what lease.json names. */
  endpoint?: string | null
  /** The system's folder dialog, where the host has one. */
  pickFolder?: () => Promise<string | null>
  /** Opens a transcript in a window of its own, where the host has windows. */
  openWindow?: (place: { taskId: string; seq?: number | undefined }) => void
  agentsAtOnce?: number
  /** What encrypts keys of providers with one of the system's. Without it they are in a file of this user's. */
  keychain?: Keychain
  /** Whether a person can be asked, for a permission or more budget; without it, by the app and not by a command. */
  canAsk?: (question?: AskedQuestion) => boolean
  /** Sandboxes for commands; the system's own unless given. */
  findSandbox?: () => Promise<Sandbox>
  /** Whether expired transcripts go to the trash once it is open; without it, by the app and not by a command. */
  sweepAtStart?: boolean
}

/** What is opened before the services. */
interface OpenedFirst {
  lease: Lease
  notices: Notices
  secrets: LearningMasker
  log: Log
}

export type ServicesOptions = OpenShiplogOptions &
  OpenedFirst & {
    /** Shiplog on another data directory, for logs that are opened. */
    openAnother(dataDir: string): Promise<LogHost>
  }
