import { ChevronLeft } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import type { TaskId } from '../../../shared/records/ids.ts'
import { Button, EmptyState, Skeleton, TextButton } from '../../components/primitives/index.ts'
import { useStores, useTaskLookup } from '../../store/hooks.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { NothingHere } from '../shell/nothing-here.tsx'
import { countOf } from './archive-filters.tsx'
import { ArchiveList, type ArchiveListHandle } from './archive-list.tsx'
import { ArchiveReader } from './archive-reader.tsx'
import { ArchiveToolbar } from './archive-toolbar.tsx'
import { PickedBar } from './picked-bar.tsx'
import { type ArchiveQuery, useArchiveQuery } from './use-archive-query.ts'

/** The reports and transcripts of removed workspaces; those of live agents are shown on demand. */
export function ArchiveScreen(props: {
  /** An id or a unique prefix; null: nothing is chosen. */
  selected: string | null
  tab: 'report' | 'transcript'
  /** The entry that the transcript is opened at. */
  seq: number | undefined
  /** Shows the transcript's state at that entry. */
  replaying: boolean
}) {
  const { selected, tab, seq, replaying } = props
  const { navigation, overlay } = useStores()
  const lookup = useTaskLookup(selected ?? '')
  const chosen = lookup.kind === 'found' ? lookup.id : null
  const query = useArchiveQuery(chosen)
  const { transcripts, problem, rows } = query
  const [marked, setMarked] = useState<ReadonlySet<TaskId>>(new Set())
  // Ignores selected tasks that were deleted or restored since, or that the filter hides.
  const picked = useMemo(
    () =>
      new Set(rows.flatMap((row) => (row.kind === 'task' && marked.has(row.key) ? [row.key] : []))),
    [rows, marked],
  )
  const list = useRef<ArchiveListHandle>(null)
  const reader = useRef<HTMLElement>(null)
  const read = () => {
    const scrolls = '[role="tabpanel"] section[tabindex="0"]'
    const panel = reader.current?.querySelector<HTMLElement>(scrolls)
    ;(panel ?? reader.current?.querySelector<HTMLElement>('[role="tabpanel"]'))?.focus()
  }
  if (transcripts?.length === 0)
    return (
      <EmptyState
        title="Archive"
        sentence="Nothing is recorded yet. Transcripts, reports and patches stay here after their workspace is removed."
        action={{ label: 'Import sessions…', onClick: () => overlay.show({ kind: 'import' }) }}
      />
    )
  return (
    <div className="flex min-h-0 flex-1">
      <section
        aria-label="Archive"
        // A narrow window shows only the list or the reader.
        className={`flex w-full min-w-0 shrink-0 flex-col border-r md:w-[300px] lg:w-[360px] ${selected === null ? '' : 'max-md:hidden'}`}
      >
        <ArchiveToolbar query={query} onLeave={() => list.current?.enter()} />
        {picked.size > 0 ? (
          <PickedBar picked={picked} onClear={() => setMarked(new Set())} />
        ) : null}
        {problem ? (
          <ProblemNotice
            problem={problem}
            action={{ label: 'Try again', onClick: query.reload }}
            className="m-2"
          />
        ) : null}
        {transcripts && rows.length === 0 ? (
          <NoRows query={query} />
        ) : transcripts ? (
          <ArchiveList
            ref={list}
            rows={rows}
            picked={picked}
            onPick={(id) => {
              const next = new Set(picked)
              if (!next.delete(id)) next.add(id)
              setMarked(next)
            }}
            onToggle={query.toggleFold}
            selected={chosen}
            onRead={read}
            onSelect={(taskId) =>
              navigation.go({ screen: 'archive', taskId, tab }, { replace: selected !== null })
            }
          />
        ) : problem ? null : (
          <Skeleton lines={8} className="p-3" />
        )}
      </section>
      <section
        ref={reader}
        aria-label="Reader"
        className={`flex min-w-0 flex-1 flex-col ${selected === null ? 'max-md:hidden' : ''}`}
      >
        {selected === null ? null : (
          <Button
            variant="quiet"
            icon={<ChevronLeft />}
            onClick={() => navigation.go({ screen: 'archive', taskId: null, tab })}
            className="m-1 self-start md:hidden"
          >
            Archive
          </Button>
        )}
        {selected === null ? (
          <EmptyState sentence="Select an agent to read its report and transcript." />
        ) : chosen ? (
          <ArchiveReader
            key={chosen}
            taskId={chosen}
            tab={tab}
            seq={seq}
            replaying={replaying}
            summary={transcripts?.find(({ taskId }) => taskId === chosen) ?? null}
          />
        ) : (
          <NothingHere what="task" id={selected} lookup={lookup} />
        )}
      </section>
    </div>
  )
}

function NoRows({ query }: { query: ArchiveQuery }) {
  const { preferences } = useStores()
  const { text, status, choices, show, cleanUp } = query
  return (
    <p className="p-4 text-center text-muted">
      {text.trim() !== '' || status !== 'all' || countOf(choices) > 0
        ? 'No matches. '
        : show === 'archived'
          ? 'Nothing is archived yet. '
          : show === 'expiring' && !cleanUp.isKnown
            ? 'Checking what the next clean-up would remove… '
            : 'Nothing here. '}
      {show === 'all' ? null : (
        <TextButton onClick={() => preferences.setState({ archiveShow: 'all' })}>
          Show all agents
        </TextButton>
      )}
    </p>
  )
}
