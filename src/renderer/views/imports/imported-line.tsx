import { useEffect, useState } from 'react'
import type { ImportDetails, ReportedCommit } from '../../../shared/contract/imports.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { toolName } from '../../../shared/text/import-text.ts'
import { counted } from '../../components/primitives/format.ts'
import { Bytes, RelativeTime, TextButton, TitleText } from '../../components/primitives/index.ts'
import { useLedger, useStores } from '../../store/hooks.ts'
import { DamageList } from './damage-list.tsx'
import { linesText, reportedText, reporterName } from './import-texts.ts'

/** Where an imported task came from, and how many lines of its log were read. Nothing for other tasks. */
export function ImportedLine(props: {
  task: Task
  /** The log was opened without being imported. */
  isOpened: boolean
  onShow(id: TaskId): void
}) {
  const { task, isOpened, onShow } = props
  const { client } = useStores()
  const [details, setDetails] = useState<ImportDetails | null>(null)
  const [reported, setReported] = useState<ReportedCommits>({ commits: [], moreCommits: 0 })
  const [isOpen, setOpen] = useState(false)
  const { id, imported } = task
  useEffect(() => {
    const abort = new AbortController()
    const { signal } = abort
    setDetails(null)
    setReported({ commits: [], moreCommits: 0 })
    // These notes are optional: the transcript reports the same failures.
    const ignore = () => {}
    if (imported) {
      client.imports
        .details({ taskId: id }, { signal })
        .then((answer) => signal.aborted || setDetails(answer.details), ignore)
      client.imports
        .reported({ taskId: id }, { signal })
        .then((answer) => signal.aborted || setReported(answer), ignore)
    }
    return () => abort.abort()
  }, [client, id, imported])
  if (!details) return null
  const own = details.tasks.find(({ taskId }) => taskId === id) ?? details
  return (
    <div className="shrink-0 border-b px-4 py-1.5 text-small text-muted">
      <p>
        {isOpened ? 'Read' : 'Imported'} from {toolName(details.source)} {details.toolVersion}.{' '}
        {linesText(own)} {reported.commits.length > 0 ? `${reportedText(reported.commits)} ` : null}
        <TextButton aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Details
        </TextButton>
      </p>
      {details.orphaned > 0 && task.parentId === null ? (
        <OrphanedAgents rootId={id} onShow={onShow} />
      ) : null}
      {isOpen ? <Details details={details} reported={reported} /> : null}
    </div>
  )
}

const orphansListed = 20

/** A session whose file was deleted has an empty transcript, so its sub-agents are listed here. */
function OrphanedAgents({ rootId, onShow }: { rootId: TaskId; onShow(id: TaskId): void }) {
  const agents = useLedger(({ children }) => children.get(rootId)) ?? []
  return (
    <div>
      <p>The file of this session was deleted before the import. Its sub-agents are kept:</p>
      <ul aria-label="Sub-agents">
        {agents.slice(0, orphansListed).map(({ id, title }) => (
          <li key={id}>
            <TextButton className="max-w-full truncate text-left" onClick={() => onShow(id)}>
              <TitleText title={title} />
            </TextButton>
          </li>
        ))}
        {agents.length > orphansListed ? (
          <li>and {counted(agents.length - orphansListed, 'more sub-agent')} in the list</li>
        ) : null}
      </ul>
    </div>
  )
}

interface ReportedCommits {
  commits: ReportedCommit[]
  moreCommits: number
}

function Details(props: { details: ImportDetails; reported: ReportedCommits }) {
  const { details, reported } = props
  const { linked, unlinked, orphaned, missing, continues, damage, files, folder, importedAt } =
    details
  const agents = [
    linked > 0
      ? `${counted(linked, 'sub-agent')} linked to ${linked === 1 ? 'its call' : 'their calls'}`
      : null,
    unlinked > 0 ? `${counted(unlinked, 'sub-agent')} that no call refers to` : null,
    orphaned > 0 ? `${counted(orphaned, 'sub-agent')} whose session was deleted` : null,
    missing > 0 ? `${counted(missing, 'call')} of a sub-agent without a transcript` : null,
    continues && continues.copies > 0
      ? `${counted(continues.copies, 'record')} copied from the session that it continues, and shown there`
      : null,
  ].filter(Boolean)
  return (
    <div className="flex max-h-60 flex-col gap-1 overflow-auto py-1">
      <p>
        Read <RelativeTime at={importedAt} /> from{' '}
        <span className="untrusted wrap-anywhere">{folder}</span>.
        {agents.length > 0 ? ` ${agents.join(', ')}.` : ''}
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
      {damage.length > 0 ? <DamageList {...details} /> : null}
      {reported.commits.length > 0 ? <Reported {...reported} /> : null}
    </div>
  )
}

/** Claims of other tools in the repository, attributed to them because they may be wrong or forged. */
function Reported({ commits, moreCommits }: ReportedCommits) {
  return (
    <>
      <p>Reported by others in the repository; Shiplog did not check it:</p>
      <ul aria-label="Reported commits" className="flex flex-col gap-1">
        {commits.map(({ by, commit, subject, at, agent, files, moreFiles }) => (
          <li key={`${by} ${commit}`}>
            <p className="flex flex-wrap items-baseline gap-x-2">
              <span className="font-mono" title={commit}>
                {commit.slice(0, 8)}
              </span>
              <span className="untrusted min-w-0 wrap-anywhere">{subject}</span>
              <RelativeTime at={at} />
              <span>
                reported by {reporterName(by)}
                {agent === null ? null : (
                  <>
                    {' '}
                    as written by <span className="untrusted">{agent}</span>
                  </>
                )}
              </span>
            </p>
            <ul className="pl-4">
              {files.map(({ path, lines }) => (
                <li key={path} className="untrusted wrap-anywhere" dir="ltr">
                  {path}
                  {lines === null ? '' : `: lines ${lines}`}
                </li>
              ))}
              {moreFiles > 0 ? <li>and {counted(moreFiles, 'file')} more</li> : null}
            </ul>
          </li>
        ))}
      </ul>
      {moreCommits > 0 ? <p>and {counted(moreCommits, 'commit')} more</p> : null}
    </>
  )
}
