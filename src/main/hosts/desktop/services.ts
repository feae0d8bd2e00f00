import type { AnyRouter } from '@orpc/server'
import type { Keychain } from './keychain.ts'

/** The desktop's requirements of the composition root. */
export interface DesktopServices {
  router: AnyRouter
  log: { error(event: string, fields: Record<string, unknown>): void }
  setEndpoint(endpoint: string | null): Promise<void>
  /** Resolves when another process has taken the data directory. */
  displaced: Promise<Error>
  runningAgents(): { title: string }[]
  /** Interrupts the runs with `cause` in their record, flushes, and releases the data directory. */
  close(cause?: string): Promise<void>
}

export interface OpenDesktopServices {
  dataDir: string
  host: 'desktop'
  /** null if the user cancelled the system's folder dialog. */
  pickFolder(): Promise<string | null>
  /** Opens a transcript in a window of its own. */
  openWindow(place: { taskId: string; seq?: number | undefined }): void
  keychain: Keychain
}
