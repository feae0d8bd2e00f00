import type { SkippedSession } from '../../../shared/contract/imports.ts'
import { toolName } from '../../../shared/text/import-text.ts'

/** Sessions that were not imported, and why. */
export function SkippedList({ skipped }: { skipped: SkippedSession[] }) {
  return (
    <ul aria-label="Sessions that were left out" className="max-h-40 overflow-auto text-small">
      {skipped.map(({ source, session, reason }) => (
        <li key={`${source} ${session}`} className="untrusted wrap-anywhere text-muted">
          {toolName(source)} {session}: {reason}
        </li>
      ))}
    </ul>
  )
}
