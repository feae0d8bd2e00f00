import { ArrowDown, ArrowUp, Check, GitMerge, MessageSquarePlus } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { TargetComparison } from '../../../shared/contract/changes.ts'
import type { Task } from '../../../shared/records/tasks.ts'
import type { PatchLine } from '../../components/diff/file-patch.tsx'
import { PatchView } from '../../components/diff/patch-view.tsx'
import { Button, IconButton, NoticeLine, Skeleton } from '../../components/primitives/index.ts'
import { authorsOfChange } from '../../components/review/authors-of-change.ts'
import { ChangeAuthors } from '../../components/review/change-authors.tsx'
import { ChangeBar } from '../../components/review/change-bar.tsx'
import { changesOfPatch, isApplied } from '../../components/review/changes-of-patch.ts'
import { ConflictView } from '../../components/review/conflict-view.tsx'
import type { ChangedFile } from '../../components/review/file-tree.ts'
import { usePreference, useStores } from '../../store/hooks.ts'
import type { ReviewComment } from '../../store/review/review-comments.ts'
import { taskRoute } from '../../store/window/route.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { useKeys } from '../shell/use-keys.ts'
import { Comment, CommentThread } from './comment-thread.tsx'
import { FileTurns } from './file-turns.tsx'
import { linesOfPatch } from './patch-lines.ts'
import { type PlacedComment, placeComment } from './place-comments.ts'
import type { PartialApply } from './use-apply.ts'
import { useFileAuthors } from './use-file-authors.ts'
import { useReplies } from './use-replies.ts'
import { useFilePatch } from './use-review-diff.ts'

/** Pixels of the lines above a change that stay in view. */
const barMargin = 40

const none: readonly ReviewComment[] = []

interface FileReviewProps {
  task: Task
  file: ChangedFile
  comparison: TargetComparison | null
  partial: PartialApply
  viewed: boolean
  onToggleViewed(): void
  /** Which change to go to once the file is shown; null: none. */
  arriveAt: 'first' | 'last' | null
  /** Another file has the next change. */
  onPastEnd(by: 1 | -1): void
}

/** The changes of one file, each with Apply, and the comments on them. */
export function FileReview(props: FileReviewProps) {
  const { task, file, comparison, partial, viewed, onToggleViewed, arriveAt, onPastEnd } = props
  const { navigation, reviewComments } = useStores()
  const layout = usePreference('reviewLayout')
  const ignoreSpace = usePreference('reviewIgnoresSpace')
  const whole = usePreference('reviewWholeFile')
  const view = useFilePatch(task, file, { ignoreSpace, whole })
  const all = useStore(reviewComments.store, (known) => known.get(task.id) ?? none)
  const [writing, setWriting] = useState<PatchLine | null>(null)
  const content = useRef<HTMLDivElement>(null)
  const heading = useRef<HTMLDivElement>(null)
  const patch = view.phase === 'ready' ? view.patch : null
  const lines = useMemo(() => linesOfPatch(patch ?? ''), [patch])
  const changes = useMemo(() => changesOfPatch(patch ?? ''), [patch])
  const comments = useMemo(() => all.filter(({ path }) => path === file.path), [all, file.path])
  const { authors, fates } = useFileAuthors(task, file, comments)
  const replies = useReplies(task, comments)
  const written = useMemo(
    () => (authors ? changes.map(({ range }) => authorsOfChange(range, authors)) : []),
    [authors, changes],
  )
  const openTurn = (seq: number) =>
    navigation.go({ ...taskRoute(task.rootId), transcriptOf: task.id, seq })
  const openReview = (taskId: string) =>
    navigation.go({ screen: 'review', taskId, path: file.path })
  const placed = useMemo(
    () =>
      comments.map((comment) => {
        const fate = fates.get(comment.id)
        return placeComment(comment, { lines, fate, authors: authors?.authors ?? [] })
      }),
    [comments, lines, fates, authors],
  )
  const notes = useMemo(() => {
    const shown = placed.flatMap(({ comment, line }) =>
      line === null || line === 0 ? [] : [{ side: comment.side, line }],
    )
    const open = writing && writing.line > 0 ? [writing] : []
    const labels = changes.map(({ label }) => label)
    const byLine = new Map(
      [...shown, ...open, ...labels].map((one) => [`${one.side} ${one.line}`, one]),
    )
    return [...byLine.values()]
  }, [placed, writing, changes])
  const there = comparison?.files.find(({ path }) => path === file.path)
  const conflict = comparison?.conflicts.find(({ path }) => path === file.path)
  const applied = there?.state === 'applied'

  /** The change that was gone to last; its label is drawn anew once the lines are highlighted. */
  const current = useRef<number | null>(null)
  const goTo = (index: number) => {
    current.current = index
    const bar = content.current?.querySelector<HTMLElement>(`[data-change="${index}"]`)
    const focus = () => {
      bar?.focus({ preventScroll: true })
      if (bar) scrollTo(bar)
    }
    focus()
    if (!bar || document.activeElement === bar) return
    // The label has no place, and can't take the focus, until the diff renderer has drawn the lines.
    const drawn = new ResizeObserver(() => {
      if (bar.offsetHeight === 0) return
      drawn.disconnect()
      if (current.current === index) focus()
    })
    drawn.observe(bar)
  }
  const focusedChange = (): number | null => {
    const focused = document.activeElement?.closest<HTMLElement>('[data-change]')?.dataset.change
    return focused === undefined ? current.current : Number(focused)
  }
  /** Of several turns the last; of a file without a chosen change, that of its first. */
  const openAuthor = () => {
    const seq = written[focusedChange() ?? 0]?.findLast((author) => author.seq !== null)?.seq
    if (seq != null) openTurn(seq)
  }
  /** On its last line, as one does by pointing at it; on the file where no change was gone to. */
  const commentOnChange = () => {
    const at = focusedChange()
    const range = at === null ? undefined : changes[at]?.range
    if (!range) return setWriting({ side: 'additions', line: 0 })
    const { oldStart, oldLines, newStart, newLines } = range
    setWriting(
      newLines > 0
        ? { side: 'additions', line: newStart + newLines - 1 }
        : { side: 'deletions', line: oldStart + oldLines - 1 },
    )
  }
  const step = (by: 1 | -1) => {
    const at = focusedChange()
    const next = at === null ? (by === 1 ? 0 : -1) : at + by
    if (next < 0 || next >= changes.length) onPastEnd(by)
    else goTo(next)
  }
  useKeys([
    { keys: 'n', label: 'Next change', group: 'Review', run: () => step(1) },
    { keys: 'p', label: 'Previous change', group: 'Review', run: () => step(-1) },
    { keys: 't', label: 'Turn that wrote the change', group: 'Review', run: openAuthor },
    { keys: 'c', label: 'Comment on the change', group: 'Review', run: commentOnChange },
  ])
  const arriving = useRef(arriveAt)
  const onLabel = (index: number, count: number, bar: HTMLElement) => {
    if (index === current.current && document.activeElement === document.body)
      bar.focus({ preventScroll: true })
    const wanted = arriving.current === 'first' ? 0 : arriving.current === 'last' ? count - 1 : null
    if (wanted !== index) return
    arriving.current = null
    goTo(index)
  }
  useEffect(() => {
    // Nothing to stop at in a binary or merely renamed file.
    if (view.phase === 'ready' && changes.length === 0) arriving.current = null
  }, [view.phase, changes])

  const save = (at: PatchLine, text: string) => {
    const lineText = lines.find((one) => one.side === at.side && one.line === at.line)?.text ?? ''
    const { path, contentId } = file
    reviewComments.add(task.id, { path, ...at, contentId, lineText, text })
    setWriting(null)
  }
  const shownComment = (one: PlacedComment) => (
    <Comment
      key={one.comment.id}
      taskId={task.id}
      placed={one}
      reply={one.comment.sent ? replies.get(one.comment.sent.prompt) : undefined}
      onOpen={openTurn}
    />
  )
  const thread = (at: PatchLine) => {
    const here = placed.filter(
      ({ comment, line }) => line === at.line && (at.line === 0 || comment.side === at.side),
    )
    const isWriting = writing?.line === at.line && (at.line === 0 || writing.side === at.side)
    if (here.length === 0 && !isWriting) return null
    return (
      <CommentThread
        path={file.path}
        at={at}
        comments={here.map(shownComment)}
        writing={isWriting}
        onSave={(text) => save(at, text)}
        onCancel={() => setWriting(null)}
      />
    )
  }
  const labelsAt = (at: PatchLine) =>
    changes.map((change, index) =>
      change.label.side === at.side && change.label.line === at.line ? (
        <ChangeBar
          key={change.range.newStart}
          ref={(bar) => {
            if (bar) onLabel(index, changes.length, bar)
          }}
          index={index}
          count={changes.length}
          applied={applied || isApplied(change, there?.hunks ?? [])}
          applying={partial.applying}
          notNow={ignoreSpace ? 'Show white space to apply single changes' : partial.notNow}
          target={partial.target}
          onApply={() => partial.apply([{ path: file.path, hunks: [change.range] }])}
        >
          <ChangeAuthors authors={written[index] ?? []} onOpen={openTurn} onReview={openReview} />
        </ChangeBar>
      ) : null,
    )
  /** Moves what is below the header alone: `scrollIntoView` would move the window as well. */
  const scrollTo = (bar: HTMLElement) => {
    const { bottom = 0 } = heading.current?.getBoundingClientRect() ?? {}
    heading.current?.parentElement?.parentElement?.scrollBy({
      top: bar.getBoundingClientRect().top - bottom - barMargin,
    })
  }
  const header = (
    <div
      ref={heading}
      className="sticky top-0 z-10 -mx-4 flex flex-wrap items-center gap-2 border-b bg-canvas px-4 py-2"
    >
      <h2 className="untrusted min-w-[160px] flex-1 font-mono text-code break-all" dir="ltr">
        {file.oldPath ? `${file.oldPath} → ` : ''}
        {file.path}
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
        onClick={() => step(-1)}
      />
      <IconButton
        size="small"
        label="Next change"
        shortcut="n"
        icon={<ArrowDown />}
        onClick={() => step(1)}
      />
      <Button
        size="small"
        aria-label="Comment on the file"
        icon={<MessageSquarePlus />}
        onClick={() => setWriting({ side: 'additions', line: 0 })}
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
          disabled={partial.notNow !== null || conflict !== undefined}
          title={
            partial.notNow ??
            (conflict ? 'Conflicts; see below' : `Apply only this file to ${partial.target}`)
          }
          onClick={() => partial.apply([{ path: file.path }])}
        >
          Apply file
        </Button>
      )}
    </div>
  )
  const outdated = placed.filter(({ line }) => line === null)
  return (
    <div ref={content} className="flex flex-col gap-2 px-4 pb-4">
      {header}
      <FileTurns authors={authors?.authors ?? []} onOpen={openTurn} />
      {conflict ? (
        <ConflictView
          conflict={conflict}
          target={partial.target}
          applying={partial.applying}
          notNow={partial.notNow}
          onReplace={() => partial.apply([{ path: file.path, replace: true }])}
        />
      ) : null}
      {thread({ side: 'additions', line: 0 })}
      {outdated.length > 0 ? (
        <div className="flex flex-col gap-2">
          <p className="text-small text-muted">On lines that are not in this diff:</p>
          {outdated.map(shownComment)}
        </div>
      ) : null}
      {view.phase === 'loading' ? <Skeleton lines={8} /> : null}
      {view.phase === 'failed' ? <ProblemNotice problem={view.problem} /> : null}
      {view.phase === 'ready' && view.truncated ? (
        <NoticeLine tone="info" text="The file is too long to show whole; this is its beginning." />
      ) : null}
      {view.phase === 'ready' && view.patch !== null ? (
        <PatchView
          key={file.path}
          grows
          patch={view.patch}
          path={file.path}
          layout={layout}
          notes={notes}
          renderNote={(at) => (
            <>
              {thread(at)}
              {labelsAt(at)}
            </>
          )}
          onAddNote={setWriting}
        />
      ) : null}
      {view.phase === 'ready' && view.patch === null ? (
        <p className="text-muted">{noLines(file, ignoreSpace)}</p>
      ) : null}
    </div>
  )
}

function noLines({ additions, oldPath }: ChangedFile, ignoreSpace: boolean): string {
  if (additions === null) return 'Binary file: no lines to compare.'
  if (oldPath !== null) return 'Renamed; the content is the same.'
  return ignoreSpace ? 'Only white space changed.' : 'No lines changed.'
}
