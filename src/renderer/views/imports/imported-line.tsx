import { useEffect, useState } from 'react'
import type { ImportDetails } from '../../../shared/contract/imports.ts'
import type { Task } from '../../../shared/records/tasks.ts'
import { toolName } from '../../../shared/text/import-text.ts'
import { counted } from '../../components/primitives/format.ts'
import { Bytes, RelativeTime, TextButton } from '../../components/primitives/index.ts'
import { useStores } from '../../store/hooks.ts'
import { linesText } from './import-texts.ts'

/** Where an imported task came from, and what became of every line of it. Nothing for one that was made here. */
export function ImportedLine({ task }: { task: Task }) {
  const { client } = useStores()
  const [details, setDetails] = useState<ImportDetails | null>(null)
  const [isOpen, setOpen] = useState(false)
  const { id, imported } = task
  useEffect(() => {
    let isCurrent = true
    setDetails(null)
    if (imported)
      client.imports.details({ taskId: id }).then(
        (answer) => isCurrent && setDetails(answer.details),
        // It is a note beside the transcript, which says itself what is wrong.
        () => {},
      )
    return () => {
      isCurrent = false
    }
  }, [client, id, imported])
  if (!details) return null
  const own = details.tasks.find(({ taskId }) => taskId === id) ?? details
  return (
    <div className="shrink-0 border-b px-4 py-1.5 text-small text-muted">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span>
          Imported from {toolName(details.source)} {details.toolVersion}. {linesText(own)}
        </span>
        <TextButton aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Details
        </TextButton>
      </p>
      {isOpen ? <Details details={details} /> : null}
    </div>
  )
}

function Details({ details }: { details: ImportDetails }) {
  const { linked, unlinked, orphaned, missing, damage, files, folder, importedAt } = details
  const agents = [
    `${counted(linked, 'sub-agent')} with their calls`,
    unlinked > 0 ? `${unlinked} that no call refers to` : null,
    orphaned > 0 ? `${orphaned} whose session was deleted` : null,
    missing > 0 ? `${counted(missing, 'call')} of a sub-agent without a transcript` : null,
  ].filter(Boolean)
  return (
    <div className="flex max-h-60 flex-col gap-1 overflow-auto py-1">
      <p>
        Imported <RelativeTime at={importedAt} /> from{' '}
        <span className="untrusted wrap-anywhere">{folder}</span>. {agents.join(', ')}.
      </p>
      <ul aria-label="Files">
        {files.map(({ name, bytes, sha256 }) => (
          <li key={name} className="flex gap-2">
            <span className="untrusted min-w-0 flex-1 truncate">{name}</span>
            <Bytes count={bytes} />
            <span title={`SHA-256 ${sha256}`} className="font-mono">
              {sha256.slice(0, 12)}
            </span>
          </li>
        ))}
      </ul>
      {damage.length > 0 ? (
        <ul aria-label="Lines that could not be read">
          {damage.map(({ file, line, reason }) => (
            <li key={`${file}:${line}:${reason}`} className="untrusted">
              {file}:{line}: {reason}
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}
