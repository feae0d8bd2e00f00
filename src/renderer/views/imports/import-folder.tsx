/** A folder with sessions of another tool: imported as a whole, or opened to choose among its sessions. */
import { ChevronDown, ChevronRight } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import type { FoundImportSession, ImportSourceFound } from '../../../shared/contract/imports.ts'
import { plainText } from '../../../shared/text/plain-text.ts'
import { counted, exactCount } from '../../components/primitives/format.ts'
import { Bytes, IconButton, RelativeTime, Skeleton } from '../../components/primitives/index.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { hasNew, keyOf, type LeftOut, newIn, withFolders, withSession } from './import-choices.ts'
import { useFolderSessions } from './use-folder-sessions.ts'

type FoundProject = ImportSourceFound['byProject'][number]

interface FolderProps {
  tool: ImportSourceFound['tool']
  project: FoundProject
  leftOut: LeftOut
  onChange(leftOut: LeftOut): void
}

export function ImportFolder(props: FolderProps) {
  const { tool, project, leftOut, onChange } = props
  const { dir, sessions, imported, bytes, lastAt, expiringSoon } = project
  const [isOpen, setIsOpen] = useState(false)
  const list = useId()
  const key = keyOf(tool, dir)
  const isNew = hasNew(project)
  const left = leftOut.sessions.get(key)?.size ?? 0
  const path = dir === null ? 'No known folder' : plainText(dir)
  return (
    <>
      <div className="flex items-center pl-1">
        <IconButton
          size="small"
          label={`Sessions of ${path}`}
          icon={isOpen ? <ChevronDown /> : <ChevronRight />}
          aria-expanded={isOpen}
          aria-controls={isOpen ? list : undefined}
          onClick={() => setIsOpen(!isOpen)}
        />
        <Choice
          isChosen={isNew && !leftOut.folders.has(key)}
          isPartly={left > 0}
          disabled={!isNew}
          title={isNew ? undefined : 'All of its sessions are in the archive.'}
          onChoose={(isTaken) => onChange(withFolders(leftOut, [key], isTaken || left > 0))}
          facts={
            <>
              {counted(sessions, 'session')}
              {isNew
                ? imported > 0
                  ? `, ${exactCount(newIn([project]))} new`
                  : null
                : ', in the archive'}
              {left > 0 ? `, ${exactCount(newIn([project]) - left)} chosen` : null}
              {expiringSoon > 0 && isNew ? (
                <span className="text-amber">, {exactCount(expiringSoon)} deleted soon</span>
              ) : null}{' '}
              · <Bytes count={bytes} /> · last written <RelativeTime at={lastAt} />
            </>
          }
        >
          {/* Folders of one place differ at their ends, so a long path is cut at its beginning. */}
          <span title={path} dir="rtl" className="min-w-0 flex-1 truncate text-left">
            <bdi dir="ltr" className="untrusted">
              {path}
            </bdi>
          </span>
        </Choice>
      </div>
      {isOpen ? (
        <div id={list} className="border-t bg-panel py-1 pl-8">
          <FolderSessions {...props} />
        </div>
      ) : null}
    </>
  )
}

function FolderSessions({ tool, project, leftOut, onChange }: FolderProps) {
  const { dir } = project
  const { found, problem, load } = useFolderSessions(tool, dir)
  if (problem)
    return <ProblemNotice problem={problem} action={{ label: 'Try again', onClick: load }} />
  if (!found) return <Skeleton lines={Math.min(project.sessions, 4)} />
  const key = keyOf(tool, dir)
  const all = found.sessions.filter(({ imported }) => !imported)
  return (
    <>
      <ul aria-label={`Sessions of ${dir === null ? 'no known folder' : plainText(dir)}`}>
        {found.sessions.map((session) => (
          <li key={session.session}>
            <SessionChoice
              session={session}
              // Older ones, which are not listed, would come with it.
              disabled={leftOut.folders.has(key) && found.more > 0}
              isChosen={
                !session.imported &&
                !leftOut.folders.has(key) &&
                !leftOut.sessions.get(key)?.has(session.session)
              }
              onChoose={(isTaken) =>
                onChange(withSession(leftOut, { key, session, all, older: found.more }, isTaken))
              }
            />
          </li>
        ))}
      </ul>
      {found.more > 0 ? (
        <p className="px-3 py-1 text-small text-muted">
          {counted(found.more, 'older session')} more, imported with the folder.
        </p>
      ) : null}
    </>
  )
}

function SessionChoice(props: {
  session: FoundImportSession
  disabled: boolean
  isChosen: boolean
  onChoose(isTaken: boolean): void
}) {
  const { session, disabled, isChosen, onChoose } = props
  const { title, imported, expiringSoon, bytes, lastAt } = session
  const name = title === null ? session.session : plainText(title)
  return (
    <Choice
      isChosen={isChosen}
      disabled={imported || disabled}
      title={imported ? 'It is in the archive.' : undefined}
      onChoose={onChoose}
      facts={
        <>
          {imported ? 'in the archive · ' : null}
          {expiringSoon && !imported ? <span className="text-amber">deleted soon · </span> : null}
          <Bytes count={bytes} /> · <RelativeTime at={lastAt} />
        </>
      }
    >
      <span title={name} dir="auto" className="untrusted min-w-0 flex-1 truncate text-left">
        {name}
      </span>
    </Choice>
  )
}

/** `isPartly`: only some of the sessions below it are chosen. */
function Choice(props: {
  isChosen: boolean
  isPartly?: boolean
  disabled: boolean
  title: string | undefined
  facts: ReactNode
  children: ReactNode
  onChoose(isTaken: boolean): void
}) {
  const { isChosen, isPartly = false, disabled, title, facts, children, onChoose } = props
  return (
    <label
      className={`flex min-h-8 min-w-0 flex-1 items-center gap-2 py-1 pr-3 pl-1 ${disabled ? 'text-muted' : ''}`}
      title={title}
    >
      <input
        type="checkbox"
        ref={(input) => {
          if (input) input.indeterminate = isPartly
        }}
        className="size-4 shrink-0 accent-[var(--accent-fill)]"
        checked={isChosen}
        disabled={disabled}
        onChange={(event) => onChoose(event.target.checked)}
      />
      {children}
      <span className="tabular shrink-0 text-small text-muted">{facts}</span>
    </label>
  )
}
