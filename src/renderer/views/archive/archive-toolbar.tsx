import { ArrowDownUp, ChevronsDownUp, ChevronsUpDown, ListFilter } from 'lucide-react'
import { startTransition, useState } from 'react'
import { counted, exactCount } from '../../components/primitives/format.ts'
import {
  Bytes,
  IconButton,
  Select,
  TextButton,
  TextInput,
} from '../../components/primitives/index.ts'
import { useStores } from '../../store/hooks.ts'
import { sorts, statuses } from './archive-choices.ts'
import { ArchiveFilters, countOf } from './archive-filters.tsx'
import { ShowSelect } from './show-select.tsx'
import type { CleanUp } from './use-archive-facts.ts'
import type { ArchiveQuery } from './use-archive-query.ts'

/** Above the list: the number of agents, the sort order, and the filters. */
export function ArchiveToolbar({
  query,
  onLeave,
}: {
  query: ArchiveQuery
  /** Called when the user moves from the filter to the list. */
  onLeave(): void
}) {
  const { preferences } = useStores()
  const { index, count, bytes, by, reversed, status, choices, trees, allFolded, cleanUp } = query
  return (
    <div className="flex shrink-0 flex-col gap-1 border-b px-3 py-2">
      <div className="flex items-center gap-1">
        <h1 className="text-title font-semibold">Archive</h1>
        <span
          title={`${counted(count, 'agent')} of ${exactCount(index?.size ?? 0)}`}
          className="tabular min-w-0 flex-1 truncate pl-1 text-small text-muted"
        >
          {index ? exactCount(count) : null}
        </span>
        {by === 'tree' && trees.length > 0 && query.text.trim() === '' ? (
          <IconButton
            label={allFolded ? 'Expand all' : 'Collapse all'}
            icon={allFolded ? <ChevronsUpDown /> : <ChevronsDownUp />}
            onClick={query.foldAll}
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
      <FilterInput onChange={query.setText} onLeave={onLeave} />
      <div className="flex gap-1">
        <ShowSelect />
        <Select
          quiet
          label="Status"
          value={status}
          onChange={query.setStatus}
          options={statuses}
          className="shrink-0"
        />
        {/* Hidden where it would be cut to one digit. */}
        <span className="flex min-w-0 flex-1 items-center justify-end px-1 text-small text-muted max-lg:invisible">
          {index ? <Bytes count={bytes} className="truncate" /> : null}
        </span>
        <IconButton
          label={countOf(choices) > 0 ? `More filters, ${countOf(choices)} set` : 'More filters'}
          icon={<ListFilter className={countOf(choices) > 0 ? 'text-accent' : undefined} />}
          pressed={query.filtersOpen}
          onClick={() => query.setFiltersOpen(!query.filtersOpen)}
        />
      </div>
      {query.filtersOpen ? (
        <ArchiveFilters
          choices={choices}
          onChange={query.setChoices}
          index={index}
          tools={query.tools}
        />
      ) : null}
      {query.show === 'expiring' ? <CleanUpNote {...cleanUp} /> : null}
    </div>
  )
}

/** Explains the list of the next sweep, and links to its settings. */
function CleanUpNote({ ids, isKnown, problem, clockAhead }: CleanUp) {
  const { navigation } = useStores()
  return problem ? (
    <p role="alert" className="text-small text-red">
      {[problem.message, problem.next].filter(Boolean).join(' ')}
    </p>
  ) : (
    <p className="text-small text-muted">
      {clockAhead
        ? 'The clock looks wrong, so nothing is removed until you confirm it. '
        : isKnown && ids.size === 0
          ? 'The next clean-up moves no transcript to the trash. '
          : 'The next clean-up moves these transcripts to the trash; reports and patches stay. Pin what you want to keep. '}
      <TextButton onClick={() => navigation.go({ screen: 'settings', section: 'retention' })}>
        Settings
      </TextButton>
    </p>
  )
}

/** The typed text is shown at once; a list of a hundred thousand rows updates later. */
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
