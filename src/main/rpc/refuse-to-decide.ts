import type { AppInfo } from '../../shared/contract/app.ts'
import { FailureError } from '../../shared/failure.ts'

/** Throws FailureError for a call that needs a user's decision (K7); the message says where to decide. */
export function refuseToDecide({ lease: { pid, host } }: AppInfo): never {
  const where = {
    desktop: `in the window of the process that holds the data directory: process ${pid}, the desktop app`,
    web: `in a window of the process that holds the data directory: process ${pid}, \`shiplog serve\``,
    cli: `by the process that holds the data directory: process ${pid}, a command without a window. Wait for it to end, or end it`,
  }
  throw new FailureError({
    kind: 'refused',
    reason: 'window-decides',
    message: `This has to be decided ${where[host]}.`,
  })
}
