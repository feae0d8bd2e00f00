import { ArrowDown, ArrowUp, Check, GitMerge, MessageSquarePlus } from 'lucide-react'
import type { Ref } from 'react'
import { visibleText } from '../../../../shared/text/shown-text.ts'
import { Button, IconButton } from '../../../components/primitives/index.ts'
import type { ChangedFile } from '../../../components/review/file-tree.ts'
import type { PartialApply } from '../use-apply.ts'

/** The name of the file and the actions on the whole file; stays in view while its changes scroll. */
export function FileReviewHeader(props: {
  ref: Ref<HTMLDivElement>
  file: ChangedFile
  viewed: boolean
  applied: boolean
  conflicts: boolean
  partial: PartialApply
  onToggleViewed(): void
  onStep(by: 1 | -1): void
  onComment(): void
}) {
  const { file, viewed, applied, conflicts, partial, onToggleViewed, onStep, onComment } = props
  return (
    <div
      ref={props.ref}
      className="sticky top-0 z-10 -mx-4 flex flex-wrap items-center gap-2 border-b bg-canvas px-4 py-2"
    >
      <h2 className="untrusted min-w-[160px] flex-1 font-mono text-code break-all" dir="ltr">
        {file.oldPath ? `${visibleText(file.oldPath)} → ` : ''}
        {visibleText(file.path)}
      </h2>
      <label className="flex h-6 items-center gap-1.5 text-small text-muted">
        <input
          type="checkbox"
          checked={viewed}
          onChange={onToggleViewed}
          className="size-3.5 accent-(--accent-fill)"
        />
        Viewed
      </label>
      <IconButton
        size="small"
        label="Previous change"
        shortcut="p"
        icon={<ArrowUp />}
        onClick={() => onStep(-1)}
      />
      <IconButton
        size="small"
        label="Next change"
        shortcut="n"
        icon={<ArrowDown />}
        onClick={() => onStep(1)}
      />
      <Button
        size="small"
        aria-label="Comment on the file"
        icon={<MessageSquarePlus />}
        onClick={onComment}
      >
        Comment
      </Button>
      {applied ? (
        <span className="flex h-6 items-center gap-1 px-1.5 text-small text-green">
          <Check aria-hidden className="size-3.5" />
          Applied to {partial.target}
        </span>
      ) : (
        <Button
          size="small"
          icon={<GitMerge />}
          busy={partial.applying}
          disabled={partial.notNow !== null || conflicts}
          title={
            partial.notNow ??
            (conflicts ? 'Conflicts; see below' : `Apply only this file to ${partial.target}`)
          }
          onClick={() => partial.apply([{ path: file.path }])}
        >
          Apply file
        </Button>
      )}
    </div>
  )
}
