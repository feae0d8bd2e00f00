import { useMemo, useRef, useState } from 'react'
import type { TargetComparison } from '../../../../shared/contract/changes/changes.ts'
import type { TaskId } from '../../../../shared/records/ids.ts'
import type { Task } from '../../../../shared/records/tasks/tasks.ts'
import { visibleText } from '../../../../shared/text/shown-text.ts'
import type { PatchLine } from '../../../components/diff/file-patch.tsx'
import { PatchView } from '../../../components/diff/patch-view.tsx'
import { NoticeLine, Skeleton } from '../../../components/primitives/index.ts'
import { authorsOfChange } from '../../../components/review/authors-of-change.ts'
import { ChangeAuthors } from '../../../components/review/change-authors.tsx'
import { ChangeBar } from '../../../components/review/change-bar.tsx'
import { changesOfPatch, isApplied } from '../../../components/review/changes-of-patch.ts'
import { ConflictView } from '../../../components/review/conflict-view.tsx'
import type { ChangedFile } from '../../../components/review/file-tree.ts'
import { usePreference, useStores } from '../../../store/hooks.ts'
import { taskRoute } from '../../../store/window/route.ts'
import { ProblemNotice } from '../../app/problem-notice.tsx'
import { commentDrafts } from '../comments/comment-drafts.ts'
import { Comment, CommentThread } from '../comments/comment-thread.tsx'
import type { PlacedComment } from '../comments/place-comments.ts'
import { useFileComments } from '../comments/use-file-comments.ts'
import { useReplies } from '../comments/use-replies.ts'
import type { PartialApply } from '../use-apply.ts'
import { useFilePatch } from '../use-review-diff.ts'
import { FileReviewHeader } from './file-review-header.tsx'
import { FileTurns } from './file-turns.tsx'
import { linesOfPatch } from './patch-lines.ts'
import { useChangeSteps } from './use-change-steps.ts'
import { useFileKeys } from './use-file-keys.ts'
import { useLineCursor } from './use-line-cursor.ts'

const wholeFile: PatchLine = { side: 'additions', line: 0 }

interface FileReviewProps {
  task: Task
  file: ChangedFile
  /** The tree of the diff that is shown. */
  tree: string | null
  comparison: TargetComparison | null
  partial: PartialApply
  viewed: boolean
  onToggleViewed(): void
  /** The change to go to once the file is shown; null for none. */
  arriveAt: 'first' | 'last' | null
  /** Called at the last or first change, to step into another file. */
  onPastEnd(by: 1 | -1): void
}

/** The changes of one file, each with Apply, and the comments on them. */
export function FileReview(props: FileReviewProps) {
  const { task, file, tree, comparison, partial, viewed, onToggleViewed, arriveAt, onPastEnd } =
    props
  const { drafts, navigation, overlay } = useStores()
  const layout = usePreference('reviewLayout')
  const ignoreSpace = usePreference('reviewIgnoresSpace')
  const whole = usePreference('reviewWholeFile')
  const view = useFilePatch(task, file, { ignoreSpace, whole })
  const [writing, setWriting] = useState<PatchLine | null>(null)
  const typed = useMemo(
    () => commentDrafts(drafts, `comment ${task.id} ${file.path}`),
    [drafts, task.id, file.path],
  )
  const content = useRef<HTMLDivElement>(null)
  const heading = useRef<HTMLDivElement>(null)
  const patch = view.phase === 'ready' ? view.patch : null
  const lines = useMemo(() => linesOfPatch(patch ?? ''), [patch])
  const changes = useMemo(() => changesOfPatch(patch ?? ''), [patch])
  const { authors, placed, add } = useFileComments(task, file, { tree, lines })
  const replies = useReplies(task)
  const written = useMemo(
    () => (authors ? changes.map(({ range }) => authorsOfChange(range, authors)) : []),
    [authors, changes],
  )
  const openTurn = (seq: number, taskId = task.id) =>
    navigation.go({ ...taskRoute(task.rootId), transcriptOf: taskId, seq })
  /** `of`: a root that this one continues. */
  const openTurnOf = (seq: number, of?: TaskId) =>
    of ? navigation.go({ ...taskRoute(of), transcriptOf: of, seq }) : openTurn(seq)
  const openReview = (taskId: string) =>
    navigation.go({ screen: 'review', taskId, path: file.path })
  const notes = useMemo(() => {
    const shown = placed.flatMap(({ comment, line }) =>
      line === null || line === 0 ? [] : [{ side: comment.side, line }],
    )
    const open = writing && writing.line > 0 ? [writing] : []
    const labels = changes.flatMap(({ label }) => label ?? [])
    const byLine = new Map(
      [...labels, ...open, ...shown].map((one) => [`${one.side} ${one.line}`, one]),
    )
    return [...byLine.values()]
  }, [placed, writing, changes])
  const inTarget = comparison?.files.find(({ path }) => path === file.path)
  const conflict = comparison?.conflicts.find(({ path }) => path === file.path)
  const applied = inTarget?.state === 'applied'
  const cursor = useLineCursor(lines, { content, heading })
  const steps = useChangeSteps({
    changes,
    content,
    heading,
    arriveAt,
    onPastEnd,
    isReady: view.phase === 'ready',
    onGo: cursor.put,
  })
  /** Opens the last turn that wrote the focused change, or the first change if none is focused. */
  const openAuthor = () => {
    const author = written[steps.focused() ?? 0]?.findLast(({ seq }) => seq !== null)
    if (author?.seq != null) openTurnOf(author.seq, author.of?.taskId)
  }
  useFileKeys({
    steps,
    cursor,
    openAuthor,
    comment: () => setWriting(cursor.line ?? wholeFile),
  })

  const save = async (at: PatchLine, text: string) => {
    const kept = await add(at, text)
    if (kept) setWriting(null)
    return kept
  }
  const shownComment = (one: PlacedComment) => (
    <Comment
      key={one.comment.id}
      taskId={task.id}
      placed={one}
      typed={typed}
      reply={one.comment.sent ? replies.get(one.comment.sent.promptId) : undefined}
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
        typed={typed}
        onSave={(text) => save(at, text)}
        onCancel={() => setWriting(null)}
      />
    )
  }
  /** `at`: null for what is above the diff. */
  const labelsAt = (at: PatchLine | null) =>
    changes.map((change, index) =>
      change.label?.side === at?.side && change.label?.line === at?.line ? (
        <ChangeBar
          key={change.range.newStart}
          ref={(bar) => {
            if (bar) steps.onLabel(index, bar)
          }}
          index={index}
          count={changes.length}
          applied={applied || isApplied(change, inTarget?.hunks ?? [])}
          applying={partial.applying}
          notNow={
            ignoreSpace
              ? 'Turn off “Ignore white space” to apply single changes'
              : conflict && changes.length === 1
                ? 'Conflicts; see above'
                : partial.notNow
          }
          target={partial.target}
          isAboveDiff={at === null}
          onApply={() => partial.apply([{ path: file.path, hunks: [change.range] }])}
        >
          <ChangeAuthors authors={written[index] ?? []} onOpen={openTurnOf} onReview={openReview} />
        </ChangeBar>
      ) : null,
    )
  const replace = () => {
    const apply = () => partial.apply([{ path: file.path, replace: true }])
    if (!inTarget?.uncommitted) return apply()
    overlay.show({
      kind: 'confirm',
      confirmation: {
        title: `Replace ${visibleText(file.path)}?`,
        action: 'Replace the file',
        doing: 'replace the file',
        danger: true,
        text: `The file in ${partial.target} has changes that are in no commit. All of them are replaced with the agent’s file, also those that don’t conflict.`,
        kept: 'Undo brings them back until the file is changed again.',
        run: async () => apply(),
      },
    })
  }
  const outdated = placed.filter(({ line }) => line === null)
  return (
    <div ref={content} className="flex flex-col gap-2 px-4 pb-4">
      <FileReviewHeader
        ref={heading}
        file={file}
        viewed={viewed}
        applied={applied}
        conflicts={conflict !== undefined}
        partial={partial}
        onToggleViewed={onToggleViewed}
        onStep={steps.step}
        onComment={() => setWriting(wholeFile)}
      />
      <p className="sr-only" aria-live="polite">
        {cursor.line ? lineName(cursor.line) : ''}
      </p>
      <FileTurns authors={authors?.authors ?? []} onOpen={openTurnOf} />
      {conflict ? (
        <ConflictView
          conflict={conflict}
          target={partial.target}
          applying={partial.applying}
          notNow={partial.notNow}
          uncommitted={inTarget?.uncommitted ?? false}
          onReplace={replace}
        />
      ) : null}
      {thread(wholeFile)}
      {outdated.length > 0 ? (
        <div className="flex flex-col gap-2">
          <p className="text-small text-muted">On lines that are not in this diff:</p>
          {outdated.map(shownComment)}
        </div>
      ) : null}
      {view.phase === 'loading' ? <Skeleton lines={8} /> : null}
      {view.phase === 'failed' ? <ProblemNotice problem={view.problem} /> : null}
      {view.phase === 'ready' && view.truncated ? (
        <NoticeLine
          tone="info"
          text="The file is too long to show in full; this is its beginning."
        />
      ) : null}
      {labelsAt(null)}
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
          cursor={cursor.line}
          onPointerMove={cursor.hide}
        />
      ) : null}
      {view.phase === 'ready' && view.patch === null ? (
        <p className="text-muted">{noLines(file, ignoreSpace)}</p>
      ) : null}
    </div>
  )
}

const lineName = ({ side, line, text }: PatchLine & { text: string }): string =>
  `${side === 'deletions' ? 'Removed line' : 'Line'} ${line}: ${text.trim() || 'empty'}`

function noLines({ additions, oldPath }: ChangedFile, ignoreSpace: boolean): string {
  if (additions === null) return 'Binary file: no lines to compare.'
  if (oldPath !== null) return 'Renamed; the content is the same.'
  return ignoreSpace ? 'Only white space changed.' : 'No lines changed.'
}
