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
  /** The address of this process in lease.json; null or absent: not reachable. */
  endpoint?: string | null
  /** The system's folder dialog, where the host has one. */
  pickFolder?: () => Promise<string | null>
  /** Opens a transcript in a window of its own, where the host has windows. */
  openWindow?: (place: { taskId: string; seq?: number | undefined }) => void
  agentsAtOnce?: number
  /**
   * The system keychain, which encrypts provider keys. Absent: keys are stored in a file readable by this user only.
   */
  keychain?: Keychain
  /** Whether a user can be asked for a permission or more budget. Default: true in the app, false in a command. */
  canAsk?: (question?: AskedQuestion) => boolean
  /** Finds the sandbox for commands. Default: the system's. */
  findSandbox?: () => Promise<Sandbox>
  /** Whether to move expired transcripts to the trash after opening. Default: true in the app, false in a command. */
  sweepAtStart?: boolean
  /**
   * How long opening waits, in ms, for the removals and restores that an earlier process left unfinished, before they
   * continue in the background. Default: 2,000 in the app; a command waits for all.
   */
  rollForwardMsMax?: number
  /** How long closing waits, in ms, for calls of Git, before it ends them. Default: 8,000 in the desktop app, else 30,000. */
  gitMsMaxAtClose?: number
}

/** Resources that are opened before the services. */
interface OpenedFirst {
  lease: Lease
  notices: Notices
  secrets: LearningMasker
  log: Log
}

export type ServicesOptions = OpenShiplogOptions &
  OpenedFirst & {
    /** Opens Shiplog on another data directory, for opened logs. */
    openAnother(dataDir: string): Promise<LogHost>
  }
