import { FileText } from 'lucide-react'
import { useRef, useState } from 'react'
import { scenarioBytesMax } from '../../../shared/agents/agent-specs.ts'
import { bytes, counted } from '../../components/primitives/format.ts'
import { Button, Field } from '../../components/primitives/index.ts'

export interface ScenarioFile {
  name: string
  text: string
}

/**
 * Selects a scenario file of the user's, which is read here and sent as text; a file that can't be read whole is
 * refused.
 */
export function ScenarioField(props: {
  value: ScenarioFile | null
  error: string | null
  onChange(file: ScenarioFile | null): void
}) {
  const { value, error, onChange } = props
  const input = useRef<HTMLInputElement>(null)
  const [refused, setRefused] = useState<string | null>(null)
  const read = async (file: File | undefined) => {
    if (!file) return
    const text = file.size > scenarioBytesMax ? null : await file.text().catch(() => null)
    setRefused(text === null ? refusalOf(file) : null)
    onChange(text === null ? null : { name: file.name, text })
    // Allows selecting the same file again after it was corrected.
    if (input.current) input.current.value = ''
  }
  return (
    <Field
      label="Scenario file"
      hint="The YAML file that the scripted agent follows. It is checked at the start; with an error in it nothing runs."
      error={refused ?? error}
    >
      <div className="flex items-center gap-2">
        <Button icon={<FileText />} onClick={() => input.current?.click()}>
          {value ? 'Choose another…' : 'Choose a file…'}
        </Button>
        <span className="untrusted min-w-0 flex-1 truncate text-muted">
          {value ? `${value.name} · ${counted(lineCount(value.text), 'line')}` : null}
        </span>
        <input
          ref={input}
          type="file"
          accept=".yaml,.yml"
          aria-label="Scenario file"
          className="sr-only"
          tabIndex={-1}
          onChange={(event) => void read(event.target.files?.[0])}
        />
      </div>
    </Field>
  )
}

/** A line break at the end begins no line. */
const lineCount = (text: string): number =>
  text === '' ? 0 : text.replace(/\r?\n$/, '').split('\n').length

const refusalOf = ({ name, size }: File): string =>
  size > scenarioBytesMax
    ? `${name} is too large: ${bytes(size)}. A scenario has at most ${bytes(scenarioBytesMax)}.`
    : `${name} could not be read. Choose it again.`
