/** The bar above a transcript that selects which of its entries are shown. */
import { X } from 'lucide-react'
import type { FilterAnswer } from '../../../../shared/contract/transcripts/filter.ts'
import {
  filterKinds,
  type TranscriptFilter,
} from '../../../../shared/projections/transcript/filter-units.ts'
import { plainText } from '../../../../shared/text/plain-text.ts'
import { counted, exactCount } from '../../primitives/format.ts'
import { classNames, IconButton, Select } from '../../primitives/index.ts'

/** `answer` is null until the transcript has been read. */
export function FilterBar(props: {
  filter: TranscriptFilter
  answer: FilterAnswer | null
  busy: boolean
  onChange(filter: TranscriptFilter): void
  onClose(): void
}) {
  const { filter, answer, busy, onChange, onClose } = props
  const { kinds = null, tools = [], files = [] } = answer?.counts ?? {}
  const isFiltered = filter.kind !== null || filter.tool !== null || filter.file !== null
  return (
    <section
      aria-label="Filter the transcript"
      aria-busy={busy}
      className="flex shrink-0 flex-wrap items-center gap-x-1 gap-y-1 border-b px-4 py-1"
    >
      <Kind
        label="All"
        count={null}
        isShown={filter.kind === null}
        onClick={() => onChange({ ...filter, kind: null })}
      />
      {filterKinds.map((kind) => (
        <Kind
          key={kind}
          label={kindLabels[kind]}
          hint={kindHints[kind]}
          count={kinds?.[kind] ?? null}
          isShown={filter.kind === kind}
          onClick={() => onChange({ ...filter, kind })}
        />
      ))}
      <Choice
        label="Tool"
        any="Any tool"
        value={filter.tool}
        choices={tools}
        onChange={(tool) => onChange({ ...filter, tool })}
      />
      <Choice
        label="File"
        any="Any file"
        value={filter.file}
        choices={files}
        onChange={(file) => onChange({ ...filter, file })}
      />
      <span
        role="status"
        className={classNames(
          'tabular px-1 text-small text-muted',
          // The selected kind already shows the count.
          filter.tool === null && filter.file === null && !busy && 'sr-only',
        )}
      >
        {isFiltered && answer && !busy ? counted(answer.matches, 'match', 'matches') : ''}
        {busy ? 'Reading…' : ''}
      </span>
      <IconButton
        size="small"
        label={isFiltered ? 'Clear the filter' : 'Close the filter'}
        shortcut="f"
        icon={<X />}
        onClick={onClose}
        className="ml-auto"
      />
    </section>
  )
}

const kindLabels = {
  messages: 'Messages',
  tools: 'Tools',
  edits: 'Edit calls',
  errors: 'Errors',
  changes: 'Calls that changed files',
}

const kindHints: Partial<Record<keyof typeof kindLabels, string>> = {
  edits: 'Calls of tools that write or edit one file',
  changes: 'Calls of any tool, such as a command, after which files were different',
}

function Kind(props: {
  label: string
  hint?: string | undefined
  count: number | null
  isShown: boolean
  onClick(): void
}) {
  const { label, hint, count, isShown, onClick } = props
  return (
    <button
      type="button"
      aria-pressed={isShown}
      title={hint}
      onClick={onClick}
      className={classNames(
        'flex h-7 items-center gap-1.5 rounded-md px-2 text-ui',
        isShown ? 'bg-accent-tint text-ink' : 'text-muted hover:bg-hover hover:text-ink',
      )}
    >
      {label}
      {count === null ? null : (
        <span className="tabular text-small text-muted">{exactCount(count)}</span>
      )}
    </button>
  )
}

/** The value of "any", which is no tool name and no path. */
const anyValue = ''

function Choice(props: {
  label: string
  any: string
  value: string | null
  choices: FilterAnswer['counts']['tools']
  onChange(value: string | null): void
}) {
  const { label, any, value, choices, onChange } = props
  const isListed = value === null || choices.some(({ name }) => name === value)
  const options = [
    { value: anyValue, label: any },
    ...(isListed ? [] : [{ value, label: plainText(value) }]),
    ...choices.map(({ name, count }) => ({
      value: name,
      label: plainText(name),
      hint: counted(count, 'call'),
    })),
  ]
  return (
    <Select
      quiet
      label={label}
      value={value ?? anyValue}
      options={options}
      onChange={(chosen) => onChange(chosen === anyValue ? null : chosen)}
      className={classNames('max-w-56', value !== null && 'bg-accent-tint text-ink')}
    />
  )
}
