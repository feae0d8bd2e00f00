import { useRef } from 'react'
import { dayMs } from '../../../shared/durations.ts'
import { importToolSchema } from '../../../shared/records/exported-tasks.ts'
import { toolName } from '../../../shared/text/import-text.ts'
import { Select, TextButton } from '../../components/primitives/index.ts'
import type { ArchiveIndex } from './archive-index.ts'

/** The chosen filters; `''` means any. */
interface ArchiveChoices {
  agent: string
  model: string
  tool: string
  source: string
  active: keyof typeof periods
  size: keyof typeof sizes
  cost: keyof typeof costs
}
export const noChoices: ArchiveChoices = {
  agent: '',
  model: '',
  tool: '',
  source: '',
  active: '',
  size: '',
  cost: '',
}

/** A period since the last activity, in days. */
interface Period {
  label: string
  since?: number
  before?: number
}
const periods = {
  '': { label: 'Any time' },
  day: { label: 'Last 24 hours', since: 1 },
  week: { label: 'Last 7 days', since: 7 },
  month: { label: 'Last 30 days', since: 30 },
  older: { label: 'Over 30 days ago', before: 30 },
  oldest: { label: 'Over 90 days ago', before: 90 },
} satisfies Record<string, Period>

const sizes = {
  '': { label: 'Any size', bytes: 0 },
  large: { label: 'Over 1 MB', bytes: 1e6 },
  larger: { label: 'Over 10 MB', bytes: 1e7 },
  largest: { label: 'Over 100 MB', bytes: 1e8 },
}

const costs = {
  '': { label: 'Any cost', usd: 0 },
  some: { label: 'Over $0.10', usd: 0.1 },
  more: { label: 'Over $1', usd: 1 },
  most: { label: 'Over $10', usd: 10 },
}

/** Converts the choices to a filter for the rows. */
export function filterOf(
  { agent, model, source, active, size, cost }: ArchiveChoices,
  nowMs: number,
) {
  const { since, before }: Period = periods[active]
  const daysAgo = (days: number | undefined) =>
    days === undefined ? null : new Date(nowMs - days * dayMs).toISOString()
  return {
    agent: agent === '' ? null : agent,
    model: model === '' ? null : model,
    source: source === '' ? null : source,
    since: daysAgo(since),
    before: daysAgo(before),
    bytesMin: sizes[size].bytes,
    costMin: costs[cost].usd,
  }
}

export const countOf = (choices: ArchiveChoices): number =>
  Object.values(choices).filter((value) => value !== '').length

/** Returns the name of the program that recorded a tree. */
function sourceName(source: string): string {
  const tool = importToolSchema.safeParse(source)
  if (!tool.success) return source === 'here' ? 'Recorded here' : source
  return tool.data === 'shiplog' ? 'Exports of Shiplog' : toolName(tool.data)
}

/** Longer lists are impractical to read; the text filter finds the other values. */
const optionsMax = 200

/** The filters that are needed less often than text and status. */
export function ArchiveFilters(props: {
  choices: ArchiveChoices
  onChange(choices: ArchiveChoices): void
  index: ArchiveIndex | null
  /** Null while they are read, or if there is no search index. */
  tools: readonly string[] | null
}) {
  const { choices, onChange, index, tools } = props
  const fields = useRef<HTMLFieldSetElement>(null)
  const named = (
    any: string,
    values: { value: string; count: number }[],
    nameOf = (value: string) => value,
  ) => [
    { value: '', label: any },
    ...values.slice(0, optionsMax).map(({ value, count }) => ({
      value,
      label: nameOf(value),
      hint: count.toLocaleString('en'),
    })),
  ]
  const labelled = <Key extends string>(of: Record<Key, { label: string }>) =>
    (Object.keys(of) as Key[]).map((value) => ({ value, label: of[value].label }))
  return (
    <fieldset ref={fields} tabIndex={-1} className="grid grid-cols-2 gap-1 outline-none">
      <legend className="sr-only">More filters</legend>
      <Select
        label="Agent"
        value={choices.agent}
        onChange={(agent) => onChange({ ...choices, agent })}
        options={named('Any agent', index?.agents ?? [])}
      />
      <Select
        label="Model"
        value={choices.model}
        onChange={(model) => onChange({ ...choices, model })}
        options={named('Any model', index?.models ?? [])}
      />
      <Select
        label="Tool"
        value={choices.tool}
        onChange={(tool) => onChange({ ...choices, tool })}
        options={[
          { value: '', label: 'Any tool' },
          ...(tools ?? []).map((tool) => ({ value: tool, label: tool })),
        ]}
      />
      <Select
        label="Source"
        value={choices.source}
        onChange={(source) => onChange({ ...choices, source })}
        options={named('Any source', index?.sources ?? [], sourceName)}
      />
      <Select
        label="Last active"
        value={choices.active}
        onChange={(active) => onChange({ ...choices, active })}
        options={labelled(periods)}
      />
      <Select
        label="Size"
        value={choices.size}
        onChange={(size) => onChange({ ...choices, size })}
        options={labelled(sizes)}
      />
      <Select
        label="Cost"
        value={choices.cost}
        onChange={(cost) => onChange({ ...choices, cost })}
        options={labelled(costs)}
      />
      {countOf(choices) > 0 ? (
        <span className="col-span-2">
          <TextButton
            onClick={() => {
              // The button is removed with its focus.
              fields.current?.focus()
              onChange(noChoices)
            }}
          >
            Clear these filters
          </TextButton>
        </span>
      ) : null}
    </fieldset>
  )
}
