import {
  ArrowDownUp,
  ChevronLeft,
  ChevronsDownUp,
  ChevronsUpDown,
  ListFilter,
  Trash2,
} from 'lucide-react'
import { startTransition, useMemo, useRef, useState } from 'react'
import type { TaskId } from '../../../shared/records/ids.ts'
import { counted, exactCount } from '../../components/primitives/format.ts'
import {
  Button,
  Bytes,
  EmptyState,
  IconButton,
  Select,
  Skeleton,
  TextButton,
  TextInput,
} from '../../components/primitives/index.ts'
import { usePreference, useStores, useTaskLookup, useUnreachable } from '../../store/hooks.ts'
import { toggled as withToggled } from '../../store/window/preferences.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { useActions } from '../app/use-actions.ts'
import { NothingHere } from '../shell/nothing-here.tsx'
import { shows, sorts, statuses } from './archive-choices.ts'
import { ArchiveFilters, countOf, filterOf, noChoices } from './archive-filters.tsx'
import { archiveIndex } from './archive-index.ts'
import { ArchiveList, type ArchiveListHandle } from './archive-list.tsx'
import { ArchiveReader } from './archive-reader.tsx'
import { type ArchiveStatus, archiveRows } from './archive-rows.ts'
import { TrashView } from './trash-view.tsx'
import { type CleanUp, useCleanUp, useToolFilter } from './use-archive-facts.ts'
import { useTranscripts } from './use-transcripts.ts'

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
  const { navigation, overlay, preferences } = useStores()
  const by = usePreference('archiveSort')
  const reversed = usePreference('archiveReversed')
  const { transcripts, problem, reload } = useTranscripts()
  const [text, setText] = useState('')
  const [status, setStatus] = useState<ArchiveStatus>('all')
  const wanted = usePreference('archiveShow')
  const show = wanted === 'trash' ? 'archived' : wanted
  const lookup = useTaskLookup(selected ?? '')
  const chosen = lookup.kind === 'found' ? lookup.id : null
  const [folds, setFolds] = useState<string[]>([])
  const { trashAll } = useActions()
  const unreachable = useUnreachable()
  /** How far the deletion of several is; null: nothing is under way. */
  const [deleting, setDeleting] = useState<string | null>(null)
  const [choices, setChoices] = useState(noChoices)
  const [filtersOpen, setFiltersOpen] = useState(false)
  const { tools, using } = useToolFilter(filtersOpen, choices.tool)
  const cleanUp = useCleanUp(show === 'expiring')
  const index = useMemo(() => (transcripts ? archiveIndex(transcripts) : null), [transcripts])
  const { rows, count, bytes } = useMemo(() => {
    const filter = {
      ...{ text, status, show, selected: chosen, using, expiring: cleanUp.ids },
      ...filterOf(choices, Date.now()),
    }
    return index
      ? archiveRows(index, filter, { by, reversed }, new Set(folds))
      : { rows: [], count: 0, bytes: 0 }
  }, [index, text, status, show, chosen, by, reversed, folds, choices, using, cleanUp.ids])
  const trees = useMemo(
    () => rows.flatMap((row) => (row.kind === 'task' && row.below > 0 ? [row] : [])),
    [rows],
  )
  const allFolded = trees.length > 0 && trees.every(({ folded }) => folded)
  /** Folds every tree, or unfolds every tree once all are folded. */
  const foldAll = () => {
    const change = trees.filter(({ folded }) => folded === allFolded).map(({ key }) => key)
    setFolds(change.reduce<string[]>(withToggled, folds))
  }
  const [marked, setMarked] = useState<ReadonlySet<TaskId>>(new Set())
  // One that was deleted or restored since, or that the filter hides, is not meant any more.
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
  const chooseShown = (
    <Select
      quiet
      label="Show"
      value={wanted}
      onChange={(archiveShow) => {
        preferences.setState({ archiveShow })
        // The trash has no reader beside it: an open agent would stay in its place.
        if (archiveShow === 'trash' && selected !== null)
          navigation.go({ screen: 'archive', taskId: null, tab })
      }}
      options={shows}
      className="shrink-0"
    />
  )
  // A link to an agent opens it, whatever was shown last.
  if (wanted === 'trash' && selected === null)
    return (
      <TrashView
        show={chooseShown}
        onBack={() => preferences.setState({ archiveShow: 'archived' })}
      />
    )
  if (transcripts?.length === 0)
    return (
      <EmptyState
        sentence="Nothing is recorded yet. Transcripts, reports and patches stay here after their workspace is removed."
        action={{ label: 'Back', onClick: () => navigation.go({ screen: 'home' }) }}
        secondAction={{
          label: 'Import sessions…',
          onClick: () => overlay.show({ kind: 'import' }),
        }}
      />
    )
  return (
    <div className="flex min-h-0 flex-1">
      <section
        aria-label="Archive"
        // A narrow window has room for one of the two.
        className={`flex w-full min-w-0 shrink-0 flex-col border-r md:w-[300px] lg:w-[360px] ${selected === null ? '' : 'max-md:hidden'}`}
      >
        <div className="flex shrink-0 flex-col gap-1 border-b px-3 py-2">
          <div className="flex items-center gap-1">
            <h1 className="text-title font-semibold">Archive</h1>
            <span
              title={`${counted(count, 'agent')} of ${exactCount(index?.size ?? 0)}`}
              className="tabular min-w-0 flex-1 truncate pl-1 text-small text-muted"
            >
              {index ? exactCount(count) : null}
            </span>
            {by === 'tree' && trees.length > 0 && text.trim() === '' ? (
              <IconButton
                label={allFolded ? 'Expand all' : 'Collapse all'}
                icon={allFolded ? <ChevronsUpDown /> : <ChevronsDownUp />}
                onClick={foldAll}
              />
            ) : null}
            <Select
              quiet
              label="Sort by"
              value={by}
              onChange={(chosen) => preferences.setState({ archiveSort: chosen })}
              options={sorts}
              className="shrink-0"
            />
            {by === 'tree' ? null : (
              <IconButton
                label="Reverse order"
                icon={<ArrowDownUp />}
                pressed={reversed}
                onClick={() => preferences.setState({ archiveReversed: !reversed })}
              />
            )}
          </div>
          <FilterInput onChange={setText} onLeave={() => list.current?.enter()} />
          <div className="flex gap-1">
            {chooseShown}
            <Select
              quiet
              label="Status"
              value={status}
              onChange={(chosen) => setStatus(chosen)}
              options={statuses}
              className="shrink-0"
            />
            {/* Left out where it would be cut to one digit. */}
            <span className="flex min-w-0 flex-1 items-center justify-end px-1 text-small text-muted max-lg:invisible">
              {index ? <Bytes count={bytes} className="truncate" /> : null}
            </span>
            <IconButton
              label={
                countOf(choices) > 0 ? `More filters, ${countOf(choices)} set` : 'More filters'
              }
              icon={<ListFilter className={countOf(choices) > 0 ? 'text-accent' : undefined} />}
              pressed={filtersOpen}
              onClick={() => setFiltersOpen(!filtersOpen)}
            />
          </div>
          {filtersOpen ? (
            <ArchiveFilters choices={choices} onChange={setChoices} index={index} tools={tools} />
          ) : null}
          {show === 'expiring' ? <CleanUpNote {...cleanUp} /> : null}
        </div>
        {picked.size > 0 ? (
          <div className="flex shrink-0 items-center gap-2 border-b px-3 py-1.5">
            <span role="status" className="min-w-0 flex-1 truncate">
              {deleting ?? `${picked.size} selected`}
            </span>
            <Button size="small" disabled={deleting !== null} onClick={() => setMarked(new Set())}>
              Cancel
            </Button>
            <Button
              size="small"
              icon={<Trash2 />}
              disabled={deleting !== null || unreachable !== undefined}
              title={unreachable}
              onClick={async () => {
                setDeleting('Deleting…')
                await trashAll([...picked], setDeleting)
                setDeleting(null)
                setMarked(new Set())
              }}
            >
              Delete
            </Button>
          </div>
        ) : null}
        {problem ? (
          <ProblemNotice
            problem={problem}
            action={{ label: 'Try again', onClick: reload }}
            className="m-2"
          />
        ) : null}
        {transcripts && rows.length === 0 ? (
          <p className="p-4 text-center text-muted">
            {text.trim() !== '' || status !== 'all' || countOf(choices) > 0
              ? 'No matches. '
              : show === 'archived'
                ? 'Nothing is archived yet. '
                : show === 'expiring' && !cleanUp.isKnown
                  ? 'Looking through what is kept… '
                  : 'Nothing here. '}
            {show === 'all' ? null : (
              <TextButton onClick={() => preferences.setState({ archiveShow: 'all' })}>
                Show all agents
              </TextButton>
            )}
          </p>
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
            onToggle={(key) => setFolds(withToggled(folds, key))}
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
          <NothingHere
            what="task"
            id={selected}
            candidates={lookup.kind === 'ambiguous' ? lookup.candidates : []}
          />
        )}
      </section>
    </div>
  )
}

/** What the list of the next clean-up is, and where to change it. */
function CleanUpNote({ problem, clockAhead }: Pick<CleanUp, 'problem' | 'clockAhead'>) {
  const { navigation } = useStores()
  return problem ? (
    <p role="alert" className="text-small text-red">
      {[problem.message, problem.next].filter(Boolean).join(' ')}
    </p>
  ) : (
    <p className="text-small text-muted">
      {clockAhead
        ? 'The clock looks wrong, so nothing is removed until you confirm it. '
        : 'The next clean-up moves these transcripts to the trash; reports and patches stay. Pin what you want to keep. '}
      <TextButton onClick={() => navigation.go({ screen: 'settings' })}>Settings</TextButton>
    </p>
  )
}

/** What is typed is shown at once, and a list of a hundred thousand follows. */
function FilterInput({ onChange, onLeave }: { onChange(text: string): void; onLeave(): void }) {
  const [text, setText] = useState('')
  return (
    <TextInput
      type="search"
      aria-label="Filter by title, report, agent, model, project or id"
      placeholder="Filter by title, agent, model or id"
      value={text}
      onChange={(event) => {
        const { value } = event.target
        setText(value)
        startTransition(() => onChange(value))
      }}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown' && event.key !== 'Enter') return
        event.preventDefault()
        onLeave()
      }}
    />
  )
}
