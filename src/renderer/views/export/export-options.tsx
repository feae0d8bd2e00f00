import type { ExportFormat } from '../../../shared/contract/exports.ts'
import { Field, Select } from '../../components/primitives/index.ts'
import type { ExportChoice } from './use-export-preview.ts'

type Children = NonNullable<ExportChoice['children']>

/** What a user chooses about the file, except for what is masked in it. */
interface Options {
  format: ExportFormat
  children: Children
  outputs: 'bounded' | 'whole'
  /** OpenTelemetry: with the texts of prompts, messages, inputs and outputs. */
  content: boolean
  /** Null: all turns. */
  turns: TurnTexts | null
}

/** As typed; empty: from the first, through the last. */
interface TurnTexts {
  from: string
  through: string
}

export const initialOptions: Options = {
  format: 'md',
  children: 'inline',
  outputs: 'bounded',
  content: false,
  turns: null,
}

export function choiceOf({ turns, ...options }: Options) {
  return { ...options, ...rangeOf(turns) }
}

/** Ignores texts that are not whole numbers above 0. */
function rangeOf(turns: TurnTexts | null): Pick<ExportChoice, 'fromTurn' | 'throughTurn'> {
  const numberOf = (text = '') => (/^[1-9][0-9]{0,8}$/.test(text) ? Number(text) : undefined)
  const fromTurn = numberOf(turns?.from)
  const throughTurn = numberOf(turns?.through)
  return {
    ...(fromTurn !== undefined && { fromTurn }),
    ...(throughTurn !== undefined && { throughTurn }),
  }
}

export function ExportOptions(props: {
  options: Options
  onChange(options: Options): void
  hasChildren: boolean
}) {
  const { options, onChange, hasChildren } = props
  const { format, children, outputs, content, turns } = options
  const change = (part: Partial<Options>) => onChange({ ...options, ...part })
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Format">
          <Select
            label="Format"
            value={format}
            onChange={(format) => change({ format })}
            options={formatOptions}
          />
        </Field>
        {hasChildren ? (
          <Field label="Sub-agents">
            <Select
              label="Sub-agents"
              value={children}
              onChange={(children) => change({ children })}
              options={childrenOptions}
            />
          </Field>
        ) : null}
        <Field label="Part">
          <Select
            label="Part"
            value={turns === null ? 'whole' : 'turns'}
            onChange={(part) =>
              change({ turns: part === 'whole' ? null : { from: '1', through: '' } })
            }
            options={partOptions}
          />
        </Field>
        {canShorten(format) && (format !== 'otlp' || content) ? (
          <Field label="Long outputs">
            <Select
              label="Long outputs"
              value={outputs}
              onChange={(outputs) => change({ outputs })}
              options={outputOptions}
            />
          </Field>
        ) : null}
      </div>
      {turns === null ? null : (
        <fieldset className="flex flex-wrap items-center gap-2">
          <legend className="sr-only">Turns</legend>
          <TurnInput
            label="From turn"
            value={turns.from}
            onChange={(from) => change({ turns: { ...turns, from } })}
          />
          <TurnInput
            label="through turn"
            placeholder="last"
            value={turns.through}
            onChange={(through) => change({ turns: { ...turns, through } })}
          />
        </fieldset>
      )}
      {format === 'otlp' ? (
        <label className="flex min-h-7 items-center gap-2">
          <input
            type="checkbox"
            className="size-4 accent-[var(--accent-fill)]"
            checked={content}
            onChange={(event) => change({ content: event.target.checked })}
          />
          Include prompts, messages, inputs and outputs
        </label>
      ) : null}
    </>
  )
}

function TurnInput(props: {
  label: string
  placeholder?: string
  value: string
  onChange(text: string): void
}) {
  const { label, placeholder, value, onChange } = props
  return (
    <label className="flex items-center gap-2">
      {label}
      <input
        type="number"
        min={1}
        placeholder={placeholder}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="tabular h-7 w-20 rounded-md border border-line-field bg-raised px-2 text-ink"
      />
    </label>
  )
}

const formatOptions: { value: ExportFormat; label: string; hint: string }[] = [
  { value: 'md', label: 'Markdown', hint: 'To read, or to paste into an issue' },
  { value: 'html', label: 'Web page', hint: 'One file to open or print, with its images' },
  { value: 'jsonl', label: 'JSON Lines', hint: 'Complete; can be imported and verified' },
  { value: 'json', label: 'JSON', hint: 'The same as one document' },
  { value: 'atif', label: 'ATIF 1.7', hint: 'For Harbor and tools that evaluate agents' },
  { value: 'otlp', label: 'OpenTelemetry', hint: 'Spans in OTLP JSON, for stores of traces' },
  { value: 'agent-trace', label: 'Agent Trace', hint: 'Which lines the agents wrote' },
  { value: 'claude-code', label: 'Claude Code', hint: 'For viewers of its session files' },
]

const childrenOptions: { value: Children; label: string }[] = [
  { value: 'inline', label: 'Where they were started' },
  { value: 'summary', label: 'Only their reports' },
  { value: 'none', label: 'Leave them out' },
]

const partOptions: { value: 'whole' | 'turns'; label: string }[] = [
  { value: 'whole', label: 'The whole transcript' },
  { value: 'turns', label: 'Some of its turns' },
]

const outputOptions: { value: 'bounded' | 'whole'; label: string }[] = [
  { value: 'bounded', label: 'Beginning and end' },
  { value: 'whole', label: 'Whole' },
]

/** These formats hold every output whole, or none. */
const canShorten = (format: ExportFormat): boolean =>
  !['jsonl', 'json', 'agent-trace'].includes(format)
