import type { ReactNode } from 'react'
import type { TranscriptSummary } from '../../../shared/contract/workspace.ts'
import { costText } from '../../../shared/text/usage-text.ts'
import { counted } from '../../components/primitives/format.ts'
import { Bytes, Cost, RelativeTime } from '../../components/primitives/index.ts'

/** Runs, size and times of one agent in a line, because the list has no room for them. */
export function ArchiveFacts(props: {
  summary: TranscriptSummary
  /** The cost is then labelled as excluding them, because the header shows that of the whole tree. */
  hasSubAgents: boolean
}) {
  const { summary, hasSubAgents } = props
  const { projectDir, runs, entries, bytes, startedAt, endedAt, transcriptExpired } = summary
  return (
    <dl className="flex shrink-0 flex-wrap gap-x-4 gap-y-0.5 border-b px-4 py-1.5 text-small">
      <Fact name="Runs">{runs}</Fact>
      {transcriptExpired ? null : (
        <Fact name="Transcript">
          {counted(entries, 'entry', 'entries')}, <Bytes count={bytes} />
        </Fact>
      )}
      {summary.model ? (
        <Fact name="Model">
          <span className="untrusted">{summary.model}</span>
        </Fact>
      ) : null}
      {costText(summary.usage) === null ? null : (
        <Fact name={hasSubAgents ? 'Cost without sub-agents' : 'Cost'}>
          <Cost usage={summary.usage} />
        </Fact>
      )}
      {startedAt ? (
        <Fact name="Started">
          <RelativeTime at={startedAt} />
        </Fact>
      ) : null}
      {endedAt ? (
        <Fact name="Ended">
          <RelativeTime at={endedAt} />
        </Fact>
      ) : null}
      <Fact name="Project">
        <span title={projectDir} className="untrusted">
          {projectDir}
        </span>
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 gap-1">
      <dt className="text-muted">{name}</dt>
      <dd className="tabular min-w-0 truncate">{children}</dd>
    </div>
  )
}
