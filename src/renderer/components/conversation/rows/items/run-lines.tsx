/** Lines where a run starts, ends, or is resumed. */
import { Play, RotateCcw } from 'lucide-react'
import { useId } from 'react'
import type { TranscriptItem } from '../../../../../shared/projections/transcript/transcript-items.ts'
import { plainText } from '../../../../../shared/text/plain-text.ts'
import { StatusIcon, TextButton } from '../../../primitives/index.ts'
import { beginningOf, CauseText } from '../../../task/cause-text.tsx'
import { useFold } from '../../fold-state.ts'
import { Divider } from '../quiet-line.tsx'
import { runEndText } from '../row-name.ts'

type Item<Kind extends TranscriptItem['kind']> = Extract<TranscriptItem, { kind: Kind }>

const reasonTexts = { prompt: '', resume: ', resumed', retry: ', retried' }

export function RunStart({ item: { run, reason } }: { item: Item<'run-start'> }) {
  return (
    <Divider icon={reason === 'prompt' ? <Play /> : <RotateCcw />}>
      Run {run}
      {reasonTexts[reason]}
    </Divider>
  )
}

export function RunEnd({ item, foldKey }: { item: Item<'run-end'>; foldKey: string }) {
  const { outcome, why } = runEndText(item)
  const isLong = beginningOf(why) !== why
  return (
    <>
      <Divider icon={<StatusIcon status={item.status} decorative />}>
        <span className="untrusted">
          {outcome}
          {isLong ? null : why}
        </span>
      </Divider>
      {isLong ? (
        <CauseText
          text={why.replace(/^:? /, '')}
          foldKey={`${foldKey}:cause`}
          className="pb-2 pl-5.5 text-ui text-muted"
        />
      ) : null}
    </>
  )
}

/** Where the task was resumed, and what had changed since it stopped. */
export function Resumed({ item: { drift }, foldKey }: { item: Item<'resume'>; foldKey: string }) {
  const [open, toggle] = useFold(`${foldKey}:drift`)
  const bodyId = useId()
  const [first] = drift
  return (
    <>
      <Divider icon={<RotateCcw />}>
        Resumed
        {drift.length === 0 ? (
          ' · nothing had changed'
        ) : (
          <>
            {' · '}
            <span className="untrusted">
              {drift.length === 1 && first
                ? plainText(first)
                : `${drift.length} changes since it stopped`}
            </span>
            {drift.length > 1 ? (
              <TextButton
                className="ml-2"
                aria-expanded={open}
                aria-controls={open ? bodyId : undefined}
                onClick={toggle}
              >
                Details
              </TextButton>
            ) : null}
          </>
        )}
      </Divider>
      {open && drift.length > 1 ? (
        <ul id={bodyId} className="flex flex-col gap-0.5 pb-2 pl-5.5 text-small text-muted">
          {drift.map((line) => (
            <li key={line} className="untrusted">
              {plainText(line)}
            </li>
          ))}
        </ul>
      ) : null}
    </>
  )
}
