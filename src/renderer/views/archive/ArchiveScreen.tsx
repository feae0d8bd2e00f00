import { ArrowDownUp, ChevronLeft } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import {
  Button,
  EmptyState,
  IconButton,
  Select,
  Skeleton,
  TextInput,
} from '../../components/primitives/index.ts'
import { usePreference, useStores, useTaskLookup } from '../../store/hooks.ts'
import { ProblemNotice } from '../app/ProblemNotice.tsx'
import { NothingHere } from '../shell/NothingHere.tsx'
import { ArchiveList } from './ArchiveList.tsx'
import { ArchiveReader } from './ArchiveReader.tsx'
import { type ArchiveSortKey, type ArchiveStatus, archiveRows } from './archive-rows.ts'
import { useTranscripts } from './use-transcripts.ts'

const statuses: { value: ArchiveStatus; label: string }[] = [
  { value: 'all', label: 'Any status' },
  { value: 'completed', label: 'Completed' },
  { value: 'interrupted', label: 'Interrupted' },
  { value: 'failed', label: 'Failed' },
  { value: 'running', label: 'Running' },
]

const sorts: { value: ArchiveSortKey; label: string }[] = [
  { value: 'tree', label: 'By project' },
  { value: 'ended', label: 'Last active' },
  { value: 'started', label: 'Began' },
  { value: 'title', label: 'Title' },
  { value: 'agent', label: 'Agent' },
  { value: 'status', label: 'Status' },
  { value: 'runs', label: 'Runs' },
  { value: 'entries', label: 'Entries' },
  { value: 'size', label: 'Size' },
  { value: 'project', label: 'Project name' },
]

/** Every report and transcript that is kept, of live and cleaned-up agents alike. */
export function ArchiveScreen(props: {
  /** An id or a unique prefix; null: nothing is chosen. */
  selected: string | null
  tab: 'report' | 'transcript'
}) {
  const { selected, tab } = props
  const { navigation, preferences } = useStores()
  const by = usePreference('archiveSort')
  const reversed = usePreference('archiveReversed')
  const { transcripts, problem, reload } = useTranscripts()
  const [text, setText] = useState('')
  const [status, setStatus] = useState<ArchiveStatus>('all')
  const rows = useMemo(
    () => archiveRows(transcripts ?? [], { text, status }, { by, reversed }),
    [transcripts, text, status, by, reversed],
  )
  const reader = useRef<HTMLElement>(null)
  const read = () => {
    const scrolls = '[role="tabpanel"] section[tabindex="0"]'
    const panel = reader.current?.querySelector<HTMLElement>(scrolls)
    ;(panel ?? reader.current?.querySelector<HTMLElement>('[role="tabpanel"]'))?.focus()
  }
  const lookup = useTaskLookup(selected ?? '')
  const chosen = lookup.kind === 'found' ? lookup.id : null
  if (transcripts?.length === 0)
    return (
      <EmptyState
        sentence="Nothing is kept yet. Whatever an agent reports, says and changes will be here, also after its workspace is gone."
        action={{ label: 'Back', onClick: () => navigation.go({ screen: 'home' }) }}
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
            <h1 className="flex-1 text-title font-semibold">Archive</h1>
            <Select
              quiet
              label="Sorted by"
              value={by}
              onChange={(chosen) => preferences.setState({ archiveSort: chosen })}
              options={sorts}
              className="shrink-0"
            />
            {by === 'tree' ? null : (
              <IconButton
                label="The other way round"
                icon={<ArrowDownUp />}
                pressed={reversed}
                onClick={() => preferences.setState({ archiveReversed: !reversed })}
              />
            )}
          </div>
          <div className="flex gap-1">
            <TextInput
              type="search"
              aria-label="Filter by title, agent or id"
              placeholder="Filter"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
            <Select
              quiet
              label="Status"
              value={status}
              onChange={(chosen) => setStatus(chosen)}
              options={statuses}
              className="shrink-0"
            />
          </div>
        </div>
        {problem ? (
          <ProblemNotice
            problem={problem}
            action={{ label: 'Try again', onClick: reload }}
            className="m-2"
          />
        ) : null}
        {transcripts ? (
          <ArchiveList
            rows={rows}
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
            Everything that is kept
          </Button>
        )}
        {selected === null ? (
          <EmptyState sentence="Choose an agent on the left to read its report and its transcript." />
        ) : chosen ? (
          <ArchiveReader
            key={chosen}
            taskId={chosen}
            tab={tab}
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
