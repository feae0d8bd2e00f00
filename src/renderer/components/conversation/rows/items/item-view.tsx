/** Items of a transcript that are not part of a turn. */

import { Braces, FolderGit2, GitFork, GitPullRequest } from 'lucide-react'
import { useContext } from 'react'
import { assertNever } from '../../../../../shared/assert-never.ts'
import { externalLink } from '../../../../../shared/text/external-link.ts'
import { readableText } from '../../../../../shared/text/shown-text.ts'
import { ExternalLink } from '../../../text/index.ts'
import { Disclosure } from '../../disclosure.tsx'
import { TaskLookupContext } from '../../task-lookup.ts'
import { JsonValue } from '../json-value.tsx'
import { Divider, Note, QuietLine } from '../quiet-line.tsx'
import type { Row } from '../row.ts'
import { foreignText, forkTexts } from '../row-name.ts'
import { ShownImages } from '../shown-images.tsx'
import { Plan } from './plan.tsx'
import { Resumed, RunEnd, RunStart } from './run-lines.tsx'
import { Compaction, Summary } from './summary.tsx'

type Item = Extract<Row, { kind: 'item' }>['item']

export function ItemView({ item, foldKey }: { item: Item; foldKey: string }) {
  switch (item.kind) {
    case 'prompt':
      return <Prompt item={item} foldKey={foldKey} />
    case 'run-start':
      return <RunStart item={item} />
    case 'run-end':
      return <RunEnd item={item} foldKey={foldKey} />
    case 'resume':
      return <Resumed item={item} foldKey={foldKey} />
    case 'worktree':
      return <Worktree path={item.path} branch={item.branch} />
    case 'pr-link':
      return <PullRequest url={item.url} />
    case 'note':
      return <Note about={item.about} text={item.text} foldKey={foldKey} />
    case 'summary':
      return <Summary text={item.text} foldKey={foldKey} />
    case 'fork':
      return <Divider icon={<GitFork />}>{forkTexts[item.edge]}</Divider>
    case 'plan':
      return <Plan items={item.items} foldKey={foldKey} />
    case 'compaction':
      return <Compaction item={item} foldKey={foldKey} />
    case 'foreign':
      return (
        <UnchangedEntry
          line={`${foreignText(item.source, item.content)}, kept unchanged`}
          json={item.content}
          foldKey={foldKey}
        />
      )
    case 'unknown':
      return (
        <UnchangedEntry
          line={`Entry of unknown type “${item.entry.originalType}”, kept unchanged: ${item.entry.reason}`}
          json={item.entry.record}
          foldKey={foldKey}
        />
      )
    default:
      return assertNever(item)
  }
}

function Prompt({ item, foldKey }: { item: Extract<Item, { kind: 'prompt' }>; foldKey: string }) {
  return (
    <div className="my-2 rounded-md bg-accent-tint px-3 py-2">
      {item.toRunning ? (
        <p className="text-small text-muted">You, while it was running</p>
      ) : (
        <span className="sr-only">Prompt: </span>
      )}
      <ShownImages images={item.images} foldKey={foldKey} />
      <div className="untrusted text-read whitespace-pre-wrap" dir="auto">
        {readableText(item.text)}
      </div>
    </div>
  )
}

/** `path` null: the agent left its worktree. */
function Worktree({ path, branch }: { path: string | null; branch: string | null }) {
  const isGone = useContext(TaskLookupContext).isGone?.(path ?? '') ?? false
  return (
    <QuietLine icon={<FolderGit2 />}>
      {path ? (
        <>
          {isGone ? 'Worked in' : 'Works in'}{' '}
          <span className="untrusted font-mono text-small" title={path}>
            {lastParts(path)}
          </span>
          {branch ? ` on ${branch}` : ''}
          {isGone ? ', a worktree that was removed' : ''}
        </>
      ) : (
        'Left the worktree'
      )}
    </QuietLine>
  )
}

/** The last two parts identify a path. */
const lastParts = (path: string): string => {
  const parts = path.split(/[\\/]/)
  return parts.length > 3 ? `…/${parts.slice(-2).join('/')}` : path
}

function PullRequest({ url }: { url: string }) {
  const link = externalLink(url)
  return (
    <QuietLine icon={<GitPullRequest />}>
      Pull request {link ? <ExternalLink url={link}>{url}</ExternalLink> : <span>{url}</span>}
    </QuietLine>
  )
}

/** An entry that Shiplog can't interpret: one line, which expands to its JSON. */
function UnchangedEntry({ line, json, foldKey }: { line: string; json: unknown; foldKey: string }) {
  return (
    <Disclosure
      foldKey={foldKey}
      line={
        <>
          <Braces aria-hidden className="size-3.5 shrink-0 text-faint" />
          <span className="untrusted truncate text-muted">{line}</span>
        </>
      }
      body={() => <JsonValue label="Entry" value={json} foldKey={`${foldKey}:json`} />}
    />
  )
}
