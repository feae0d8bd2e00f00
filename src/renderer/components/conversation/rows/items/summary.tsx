/** The summary of a run, and the summary that replaces a part of the agent's context. */
import { History, ScrollText } from 'lucide-react'
import { type ReactNode, useContext, useEffect, useState } from 'react'
import type { OutlineItem } from '../../../../../shared/contract/transcripts/transcripts.ts'
import { messageOf } from '../../../../../shared/error-message.ts'
import type { TranscriptItem } from '../../../../../shared/projections/transcript/transcript-items.ts'
import { exactCount } from '../../../primitives/format.ts'
import { Skeleton, TextButton } from '../../../primitives/index.ts'
import { Disclosure } from '../../disclosure.tsx'
import { OutlineLine } from '../../outline.tsx'
import { TaskActionsContext } from '../../task-lookup.ts'
import { LongMarkdown } from '../long-markdown.tsx'
import { ShownImages } from '../shown-images.tsx'

export function Summary({ text, foldKey }: { text: string; foldKey: string }) {
  return <FoldedSummary line="Summary" text={text} foldKey={foldKey} />
}

/** The summary, and the list of the entries it replaced, which stay in the transcript. */
export function Compaction(props: {
  item: Extract<TranscriptItem, { kind: 'compaction' }>
  foldKey: string
}) {
  const { item, foldKey } = props
  const { readOutline } = useContext(TaskActionsContext)
  const first = item.replacedFromSeq
  const last = item.keptFromSeq - 1
  return (
    <>
      <FoldedSummary
        line="Context compacted: the agent continues from a summary. The transcript keeps everything."
        text={item.summary}
        foldKey={foldKey}
      >
        <ShownImages images={item.images} foldKey={`${foldKey}:images`} />
      </FoldedSummary>
      {readOutline && last >= first ? (
        <Disclosure
          foldKey={`${foldKey}:replaced`}
          className="ml-5.5"
          line={
            <>
              <History aria-hidden className="size-3.5 shrink-0 text-faint" />
              <span className="min-w-0 truncate text-muted">
                Replaced for the agent: entries {exactCount(first)} to {exactCount(last)}
              </span>
            </>
          }
          body={() => <Replaced first={first} last={last} read={readOutline} />}
        />
      ) : null}
    </>
  )
}

function FoldedSummary(props: {
  line: string
  text: string
  foldKey: string
  children?: ReactNode
}) {
  const { line, text, foldKey, children } = props
  return (
    <Disclosure
      foldKey={foldKey}
      line={
        <>
          <ScrollText aria-hidden className="size-3.5 shrink-0 text-faint" />
          <span className="text-muted">{line}</span>
        </>
      }
      body={() => (
        <div className="ml-5.5">
          {children}
          <LongMarkdown text={text} foldKey={`${foldKey}:text`} />
        </div>
      )}
    />
  )
}

/** Prompts and turns loaded per step. */
const stepItems = 20

interface Listed {
  items: OutlineItem[]
  /** Null: all of them are listed. */
  nextSeq: number | null
}

/** Lists the prompts and turns that are no longer in the agent's context; each links to its entry. */
function Replaced(props: {
  first: number
  last: number
  read(fromSeq: number, limit: number): Promise<Listed>
}) {
  const { first, last, read } = props
  const { onGoToEntry } = useContext(TaskActionsContext)
  const [listed, setListed] = useState<Listed>({ items: [], nextSeq: first })
  const [wantedFrom, setWantedFrom] = useState<number | null>(first)
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(() => {
    if (wantedFrom === null) return
    let isCurrent = true
    read(wantedFrom, stepItems)
      .then(({ items, nextSeq }) => {
        if (!isCurrent) return
        const before = items.filter(({ seq }) => seq <= last)
        const isAll = nextSeq === null || nextSeq > last || before.length < items.length
        setListed((known) => ({
          items: [...known.items.filter(({ seq }) => seq < wantedFrom), ...before],
          nextSeq: isAll ? null : nextSeq,
        }))
      })
      .catch((error) => {
        if (isCurrent) setProblem(messageOf(error))
      })
      .finally(() => {
        if (isCurrent) setWantedFrom(null)
      })
    return () => {
      isCurrent = false
    }
  }, [wantedFrom, last, read])
  const { items, nextSeq } = listed
  const more = () => {
    setProblem(null)
    setWantedFrom(nextSeq)
  }
  return (
    <div aria-busy={wantedFrom !== null} className="ml-[7px] border-l pl-2 text-ui">
      <ul aria-label="Replaced entries">
        {items.map((item) => (
          <li key={`${item.kind}:${item.seq}`}>
            <button
              type="button"
              disabled={!onGoToEntry}
              onClick={() => onGoToEntry?.(item.seq)}
              className="flex h-7 w-full items-center gap-2 rounded-md pr-2 text-left enabled:hover:bg-hover"
            >
              <OutlineLine item={item} />
            </button>
          </li>
        ))}
      </ul>
      {wantedFrom !== null && items.length === 0 ? <Skeleton lines={3} className="p-2" /> : null}
      {items.length === 0 && nextSeq === null ? (
        <p className="px-2 text-small text-muted">No prompt or turn is among them.</p>
      ) : null}
      {problem === null ? null : (
        <p className="untrusted px-2 text-small text-red">They could not be listed: {problem}</p>
      )}
      {nextSeq !== null && wantedFrom === null ? (
        <TextButton className="px-2 text-small" onClick={more}>
          {problem === null ? 'Show more' : 'Try again'}
        </TextButton>
      ) : null}
    </div>
  )
}
