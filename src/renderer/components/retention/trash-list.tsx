import { FolderOpen } from 'lucide-react'
import { useState } from 'react'
import type { RemovalReason, TrashEntry } from '../../../shared/contract/retention.ts'
import { dayOf } from '../../../shared/text/format-time.ts'
import { counted } from '../primitives/format.ts'
import {
  Button,
  Bytes,
  CopyButton,
  FactLine,
  IconButton,
  RelativeTime,
  TextButton,
  TitleText,
} from '../primitives/index.ts'

/** More rows are shown on demand, because each has several elements. */
const shownMax = 200

const kinds: Record<TrashEntry['kind'], string> = {
  'trashed-transcript': 'Expired transcript',
  'trashed-workspace': 'Deleted agent',
  'trashed-worktree': 'Files left in a worktree',
  'trashed-file': 'Set aside',
}

const reasons: Record<RemovalReason, string | null> = {
  age: 'too old',
  count: 'over the limit',
  bytes: 'over the size limit',
  person: 'deleted by you',
  trash: null,
  'trash-bytes': null,
}

/** The items in the trash. Rows can be selected; actions apply to all selected ones. */
export function TrashList(props: {
  entries: TrashEntry[]
  bytes: number
  bytesMax: number | null
  /** The action in progress, such as "Restored 3 of 12…"; null if none. */
  progress: string | null
  /** The trash folder, absolute. */
  dir: string
  /** Opens the folder of one item, or of the trash; null: paths are offered to copy instead. */
  onOpen: ((name: string | null) => void) | null
  onRestore(names: string[]): void
  /** Called to ask before they are permanently deleted. */
  onDelete(entries: TrashEntry[]): void
}) {
  const { entries, bytes, bytesMax, progress, dir, onOpen, onRestore, onDelete } = props
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const [all, setAll] = useState(false)
  const selected = entries.filter(({ name }) => picked.has(name))
  const restorable = selected.filter(({ notRestorable }) => notRestorable === null)
  const deletable = selected.filter(({ until }) => until !== null)
  const toggle = (name: string) => {
    const next = new Set(picked)
    if (!next.delete(name)) next.add(name)
    setPicked(next)
  }
  const names = (some: TrashEntry[]) => some.map(({ name }) => name)
  const shown = all ? entries : entries.slice(0, shownMax)
  if (entries.length === 0)
    return (
      <p className="p-4 text-center text-muted">
        The trash is empty. Deleted agents, expired transcripts, and files that are in no patch stay
        here before they are deleted.
      </p>
    )
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 border-b px-3 py-1.5">
        <label className="flex items-center gap-3">
          <input
            type="checkbox"
            checked={selected.length === entries.length}
            onChange={() =>
              setPicked(selected.length === entries.length ? new Set() : new Set(names(entries)))
            }
          />
          {selected.length > 0 ? `${selected.length} selected` : 'Select all'}
        </label>
        <span role="status" className="min-w-0 flex-1 truncate text-small text-muted">
          {progress ?? (
            <>
              {counted(entries.length, 'item')}, <Bytes count={bytes} />
              {bytesMax === null ? null : (
                <>
                  {' '}
                  of <Bytes count={bytesMax} />
                </>
              )}
            </>
          )}
        </span>
        <FolderButton dir={dir} name={null} onOpen={onOpen} />
        <Button
          size="small"
          disabled={restorable.length === 0 || progress !== null}
          onClick={() => onRestore(names(restorable))}
        >
          Restore
        </Button>
        <Button
          size="small"
          disabled={deletable.length === 0 || progress !== null}
          onClick={() => onDelete(deletable)}
        >
          Delete permanently…
        </Button>
      </div>
      <section
        aria-label="Trash"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        className="focus-inset min-h-0 flex-1 overflow-y-auto"
      >
        <ul>
          {shown.map((entry) => (
            <Row
              key={entry.name}
              entry={entry}
              {...{ dir, onOpen }}
              picked={picked.has(entry.name)}
              onToggle={() => toggle(entry.name)}
            />
          ))}
        </ul>
        {entries.length > shown.length ? (
          <p className="p-2 text-center">
            <TextButton onClick={() => setAll(true)}>Show all {entries.length}</TextButton>
          </p>
        ) : null}
      </section>
    </div>
  )
}

interface Folder {
  dir: string
  onOpen: ((name: string | null) => void) | null
}

/** Opens the folder, or copies its path if it can't be opened. */
function FolderButton({ dir, name, onOpen }: Folder & { name: string | null }) {
  if (!onOpen) {
    const separator = dir.includes('\\') ? '\\' : '/'
    const path = name === null ? dir : `${dir}${separator}${name}`
    return <CopyButton text={path} label="Copy path of folder" />
  }
  return (
    <IconButton
      size="small"
      label="Open folder"
      icon={<FolderOpen />}
      onClick={() => onOpen(name)}
    />
  )
}

function Row(props: Folder & { entry: TrashEntry; picked: boolean; onToggle(): void }) {
  const { entry, picked, onToggle, dir, onOpen } = props
  const { reason } = entry
  const isOfFiles = entry.kind === 'trashed-worktree' || entry.kind === 'trashed-file'
  const { name, kind, title, count, bytes, since, until, notRestorable, recreatable } = entry
  return (
    <li className={`flex items-start border-b pr-3 ${picked ? 'bg-accent-tint' : ''}`}>
      <label className="flex min-h-11 min-w-0 flex-1 items-start gap-3 px-3 py-1.5">
        <input
          type="checkbox"
          className="mt-1"
          aria-label={`Select ${title}`}
          checked={picked}
          onChange={onToggle}
        />
        <div className="min-w-0 flex-1">
          <TitleText title={title} />
          <FactLine>
            <span>{kinds[kind]}</span>
            {reason === null || reasons[reason] === null ? null : <span>{reasons[reason]}</span>}
            {count === null ? null : (
              <span>{counted(count, kind === 'trashed-workspace' ? 'agent' : 'file')}</span>
            )}
            <Bytes count={bytes} />
            <RelativeTime at={since} />
            <span>
              {until === null
                ? kind === 'trashed-worktree'
                  ? 'kept while it is pinned or its workspace is in use'
                  : 'pinned, so kept'
                : `will be permanently deleted on ${dayOf(until)}`}
            </span>
          </FactLine>
          {kind === 'trashed-worktree' ? (
            <p className="untrusted truncate text-small text-muted" title={`trash/${name}`}>
              trash/{name}
            </p>
          ) : null}
          {notRestorable === null ? null : <p className="text-small text-muted">{notRestorable}</p>}
          {recreatable.length > 0 ? (
            <p className="untrusted truncate text-small text-muted">
              Not kept, because they can be recreated:{' '}
              {recreatable.map(({ path }) => path).join(', ')}
            </p>
          ) : null}
        </div>
      </label>
      {isOfFiles ? (
        <span className="py-1.5">
          <FolderButton dir={dir} name={name} onOpen={onOpen} />
        </span>
      ) : null}
    </li>
  )
}
