/** The complete output of a command, loaded in parts, because it may be 32 MB. */
import { type ReactNode, useContext } from 'react'
import type { ToolDetail } from '../../../../../shared/agents/tools.ts'
import { bytes } from '../../../primitives/format.ts'
import { TextButton } from '../../../primitives/index.ts'
import { TaskActionsContext } from '../../task-lookup.ts'
import { LongText } from '../long-text.tsx'
import { partKey, useOutputParts } from './use-output-parts.ts'

type Whole = NonNullable<Extract<ToolDetail, { kind: 'bash' }>['whole']>

/**
 * `bounded` is the output that the agent received, shown until the whole is requested or a search match is in it. `seq`
 * is its entry.
 */
export function WholeOutput(props: {
  whole: Whole
  bounded: ReactNode
  seq: number | null
  foldKey: string
}) {
  const { whole, bounded, seq, foldKey } = props
  const { readOutput } = useContext(TaskActionsContext)
  const parts = useOutputParts(whole.sha256, seq, foldKey)
  const { part, busy, problem, matchesBefore, show, close } = parts
  if (!readOutput) return bounded
  const failed = problem === null ? null : <p className="text-small text-red">{problem}</p>
  if (!part)
    return (
      <div className="text-small" data-matches-before={matchesBefore}>
        {bounded}
        <TextButton className="mt-1" disabled={busy} onClick={() => show([0])}>
          Open whole output ({bytes(whole.bytes)})
        </TextButton>
        {failed}
      </div>
    )
  const { offsets, next } = part
  const from = offsets.at(-1) ?? 0
  return (
    <div aria-busy={busy} data-matches-before={matchesBefore}>
      <LongText
        key={from}
        captioned
        terminal
        label="Whole output"
        text={part.text}
        foldKey={partKey(foldKey, from)}
      />
      <p data-aside className="mt-1 flex flex-wrap gap-x-3 text-small text-muted">
        {from > 0 || next !== null ? (
          <span>
            {bytes(from)} to {bytes(next ?? whole.bytes)} of {bytes(whole.bytes)}
          </span>
        ) : null}
        {offsets.length > 1 ? (
          <TextButton disabled={busy} onClick={() => show(offsets.slice(0, -1))}>
            Previous part
          </TextButton>
        ) : null}
        {next === null ? null : (
          <TextButton disabled={busy} onClick={() => show([...offsets, next])}>
            Next part
          </TextButton>
        )}
        <TextButton onClick={close}>Close whole output</TextButton>
      </p>
      {next === null && whole.leftOutBytes > 0 ? (
        <p data-aside className="text-small text-muted">
          {bytes(whole.leftOutBytes)} more were printed and are not kept.
        </p>
      ) : null}
      {failed}
    </div>
  )
}
