import { Check, GitMerge } from 'lucide-react'
import type { ReactNode, Ref } from 'react'
import { Button, classNames } from '../primitives/index.ts'

/** Labels one change inside a diff or above it, with Apply or the fact that it is applied; `children` adds further facts. */
export function ChangeBar(props: {
  index: number
  count: number
  applied: boolean
  applying: boolean
  /** Why it can't be applied now; null if it can. */
  notNow: string | null
  /** The name of the target, as in the button that applies everything. */
  target: string
  isAboveDiff: boolean
  children?: ReactNode
  ref?: Ref<HTMLFieldSetElement>
  onApply(): void
}) {
  const { index, count, applied, applying, notNow, target, isAboveDiff, children } = props
  const { ref, onApply } = props
  return (
    <fieldset
      ref={ref}
      tabIndex={-1}
      data-change={index}
      aria-label={`Change ${index + 1} of ${count}`}
      className={classNames(
        'focus-inset flex min-h-7 min-w-0 flex-wrap content-center items-center gap-x-2 bg-panel px-3 font-sans text-small whitespace-normal text-muted',
        isAboveDiff ? 'rounded-md border' : 'border-y',
      )}
    >
      <span className="tabular shrink-0">
        Change {index + 1} of {count}
      </span>
      <span className="min-w-0 flex-1">{children}</span>
      {applied ? (
        <span className="flex h-6 items-center gap-1 text-green">
          <Check aria-hidden className="size-3.5" />
          Applied
        </span>
      ) : (
        <Button
          size="small"
          icon={<GitMerge />}
          busy={applying}
          disabled={notNow !== null}
          title={notNow ?? `Apply only this change to ${target}`}
          className="border-transparent bg-transparent"
          onClick={onApply}
        >
          Apply change
        </Button>
      )}
    </fieldset>
  )
}
