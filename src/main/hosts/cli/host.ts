/** The environment of the command line: the process, and the rest of the program. */

import type { OpenShiplogOptions, Shiplog } from '../../composition/shiplog.ts'
import type { LeaseHolder } from '../../lease/lease-holder.ts'
import type { LocalEndpoint } from '../local/endpoint.ts'
import type { HolderConnection } from '../local/holder.ts'
import type { WebHost, WebHostOptions } from '../web/index.ts'
import type { OutputStream } from './terminal/output.ts'

export type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

export interface CliHost {
  version: string
  /** Holds `out/` and `node_modules/`. Absolute. */
  packageDir: string
  cwd: string
  env: NodeJS.ProcessEnv
  platform: NodeJS.Platform
  stdin: NodeJS.ReadableStream & { isTTY?: boolean; setRawMode?: (isRaw: boolean) => unknown }
  stdout: OutputStream
  stderr: OutputStream
  /** Subscribes to signals that end the process. Returns the unsubscribe function. */
  onEndSignal(listener: (signal: EndSignal) => void): () => void
  /** Exits at once without cleaning up, for the second Ctrl-C. */
  exitNow(code: number): void
  /** Runs a command on this terminal. Resolves with its exit code; null if a signal ended it, or it could not start. */
  runAttached(command: readonly string[]): Promise<number | null>
  /** Milliseconds since the epoch. */
  now(): number
  /** `flag` is the value of `--data-dir`. Rejects if the settings file can't be read. */
  resolveDataDir(flag: string | undefined): Promise<string>
  openShiplog(options: OpenShiplogOptions): Promise<Shiplog>
  /** Lets other commands reach `shiplog` while it is open. */
  openLocalEndpoint(shiplog: Shiplog): Promise<LocalEndpoint>
  /** Resolves with the process that holds the data directory; null if none does. */
  readHolder(dataDir: string): Promise<LeaseHolder | null>
  /** `dataDir` is the directory of its lease. Rejects with HolderError. */
  connectToHolder(holder: LeaseHolder, dataDir: string): Promise<HolderConnection>
  startWebHost(options: WebHostOptions): Promise<WebHost>
}
