/** The complete output of a command, loaded in parts, because it may be 32 MB. */
import { type ReactNode, useContext, useState } from 'react'
import type { ToolDetail } from '../../../../shared/agents/tools.ts'
import { bytes } from '../../primitives/format.ts'
import { TextButton } from '../../primitives/index.ts'
import { TaskActionsContext } from '../task-lookup.ts'
import { LongText } from './long-text.tsx'

type Whole = NonNullable<Extract<ToolDetail, { kind: 'bash' }>['whole']>

interface Shown {
  text: string
  /** The offsets of this part and those before it, in bytes. */
  offsets: number[]
  next: number | null
}

/** `bounded` is the output that the agent got, shown until the whole is requested. */
export function WholeOutput({ whole, bounded }: { whole: Whole; bounded: ReactNode }) {
  const { readOutput } = useContext(TaskActionsContext)
  const [shown, setShown] = useState<Shown | null>(null)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  if (!readOutput) return bounded
  const show = async (offsets: number[]) => {
    setBusy(true)
    setProblem(null)
    try {
      const part = await readOutput(whole.sha256, offsets.at(-1) ?? 0)
      setShown({ text: part.text, offsets, next: part.nextOffset })
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
    setBusy(false)
  }
  const failed = problem === null ? null : <p className="text-small text-red">{problem}</p>
  if (!shown)
    return (
      <div className="text-small">
        {bounded}
        <TextButton className="mt-1" disabled={busy} onClick={() => void show([0])}>
          Open whole output ({bytes(whole.bytes)})
        </TextButton>
        {failed}
      </div>
    )
  const { offsets, next } = shown
  const from = offsets.at(-1) ?? 0
  return (
    <div aria-busy={busy}>
      <LongText key={from} captioned terminal label="Whole output" text={shown.text} />
      <p className="mt-1 flex flex-wrap gap-x-3 text-small text-muted">
        {from > 0 || next !== null ? (
          <span>
            {bytes(from)} to {bytes(next ?? whole.bytes)} of {bytes(whole.bytes)}
          </span>
        ) : null}
        {offsets.length > 1 ? (
          <TextButton disabled={busy} onClick={() => void show(offsets.slice(0, -1))}>
            Previous part
          </TextButton>
        ) : null}
        {next === null ? null : (
          <TextButton disabled={busy} onClick={() => void show([...offsets, next])}>
            Next part
          </TextButton>
        )}
        <TextButton onClick={() => setShown(null)}>Close whole output</TextButton>
      </p>
      {next === null && whole.leftOutBytes > 0 ? (
        <p className="text-small text-muted">
          {bytes(whole.leftOutBytes)} more were printed and are not kept.
        </p>
      ) : null}
      {failed}
    </div>
  )
}
