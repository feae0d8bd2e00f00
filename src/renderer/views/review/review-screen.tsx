/** The changes of an agent, file by file, with comments that go to it as one follow-up. */
import {
  ArrowLeft,
  ChevronDown,
  ChevronUp,
  EyeOff,
  GitCommitHorizontal,
  RefreshCw,
} from 'lucide-react'
import { useMemo, useRef } from 'react'
import { useStore } from 'zustand'
import type { TargetComparison } from '../../../shared/contract/changes/changes.ts'
import type { ReviewComment } from '../../../shared/records/review-comments.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { Counts } from '../../components/diff/counts.tsx'
import { counted } from '../../components/primitives/format.ts'
import { Button, EmptyState, IconButton, Skeleton } from '../../components/primitives/index.ts'
import { ChangedTree, type Standing } from '../../components/review/changed-tree.tsx'
import { type ChangedFile, filesInOrder } from '../../components/review/file-tree.ts'
import { usePreference, useStores, useTask, useTaskLookup } from '../../store/hooks.ts'
import { isViewed } from '../../store/review/viewed-files.ts'
import { taskRoute } from '../../store/window/route.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { Applied, ApplyButton, ApplyOutcomeNote } from '../inspector/changes-tab.tsx'
import { useComparison } from '../inspector/use-comparison.ts'
import { Deleted, NothingHere } from '../shell/nothing-here.tsx'
import { useKeys } from '../shell/use-keys.ts'
import { TaskHeader } from '../task/task-header.tsx'
import { SendComments } from './comments/send-comments.tsx'
import { ConflictsLine } from './conflicts-line.tsx'
import { FileReview } from './file/file-review.tsx'
import { UncommittedLine } from './uncommitted-line.tsx'
import { usePartialApply } from './use-apply.ts'
import { useReviewDiff } from './use-review-diff.ts'

const none: readonly ReviewComment[] = []

export function ReviewScreen(props: { requestedId: string; path: string | null }) {
  const { requestedId, path } = props
  const lookup = useTaskLookup(requestedId)
  const task = useTask(lookup.kind === 'found' ? lookup.id : null)
  if (lookup.kind !== 'found') return <NothingHere what="task" id={requestedId} lookup={lookup} />
  if (task?.trashed) return <Deleted task={task} />
  return task ? <Review key={task.id} task={task} path={path} /> : null
}

function Review({ task, path }: { task: Task; path: string | null }) {
  const { navigation, overlay, preferences, viewedFiles } = useStores()
  const { diff, problem, refresh } = useReviewDiff(task)
  const files = useMemo(() => filesInOrder(diff?.files ?? []), [diff])
  const comments = task.reviewComments ?? none
  const viewed = useStore(viewedFiles.store)
  const comparison = useComparison(task, diff)
  const standings = useMemo(() => standingsOf(comparison), [comparison])
  const partial = usePartialApply(task, diff)
  const layout = usePreference('reviewLayout')
  const ignoreSpace = usePreference('reviewIgnoresSpace')
  const whole = usePreference('reviewWholeFile')
  const selected = files.find((file) => file.path === path) ?? files[0] ?? null
  const back = () => navigation.go(taskRoute(task.id))
  const show = (file: ChangedFile) =>
    navigation.go({ screen: 'review', taskId: task.id, path: file.path }, { replace: true })
  /** The change at which the next file is entered, if it was reached by stepping through changes. */
  const arriveAt = useRef<'first' | 'last' | null>(null)
  const step = (by: 1 | -1, arriving: 'first' | 'last' | null = null) => {
    const next = files[(selected ? files.indexOf(selected) : -1) + by]
    arriveAt.current = next ? arriving : null
    if (next) show(next)
  }
  const isMarked = (file: ChangedFile) => isViewed(viewed, task.id, file)
  const toggleViewed = () => {
    if (selected && viewedFiles.toggle(task.id, selected)) step(1)
  }
  const nextUnviewed = () => {
    const at = selected ? files.indexOf(selected) : -1
    const next = [...files.slice(at + 1), ...files.slice(0, at)].find((file) => !isMarked(file))
    arriveAt.current = null
    if (next) show(next)
  }
  const setLayout = () =>
    preferences.setState({ reviewLayout: layout === 'split' ? 'unified' : 'split' })
  useKeys([
    { keys: 'j', label: 'Next file', group: 'Review', run: () => step(1) },
    { keys: 'k', label: 'Previous file', group: 'Review', run: () => step(-1) },
    { keys: 'u', label: 'Next file not viewed', group: 'Review', run: nextUnviewed },
    { keys: 'v', label: 'Mark the file as viewed', group: 'Review', run: toggleViewed },
    { keys: 's', label: 'Side by side or unified', group: 'Review', run: setLayout },
    { keys: 'Escape', label: 'Back to the agent', group: 'Review', run: back },
  ])
  const viewedCount = files.filter(isMarked).length
  return (
    <section
      aria-label={`Review of ${task.title}`}
      // In a low window, such as at 200 % zoom, the lines above the files scroll away.
      className="flex min-h-0 flex-1 flex-col [@media(max-height:520px)]:overflow-y-auto"
    >
      <TaskHeader
        isReview
        task={task}
        actions={
          <>
            {diff && files.length > 0 ? (
              <ApplyButton task={task} diff={diff} comparison={comparison} />
            ) : null}
            {diff && files.length > 0 && isCommittable(task) ? (
              <Button
                icon={<GitCommitHorizontal />}
                disabled={isRunning(task.status)}
                title={isRunning(task.status) ? 'The agent is still running' : undefined}
                onClick={() =>
                  overlay.show({ kind: 'commit', taskId: task.id, base: diff.target.branch })
                }
              >
                Commit…
              </Button>
            ) : null}
            <Button icon={<ArrowLeft />} onClick={back}>
              Back
            </Button>
          </>
        }
      />
      <div className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b px-4 py-1.5 max-[899px]:gap-x-2">
        <span className="text-muted max-[899px]:hidden">{counted(files.length, 'file')}</span>
        <Counts
          additions={sum(files, ({ additions }) => additions)}
          deletions={sum(files, ({ deletions }) => deletions)}
        />
        <span className="text-small text-muted">
          {viewedCount} of {files.length} viewed
        </span>
        <span className="flex-1" />
        <Toggle label="Side by side" on={layout === 'split'} onChange={setLayout} />
        <Toggle
          label="Ignore white space"
          on={ignoreSpace}
          onChange={() => preferences.setState({ reviewIgnoresSpace: !ignoreSpace })}
        />
        <Toggle
          label="Whole file"
          on={whole}
          onChange={() => preferences.setState({ reviewWholeFile: !whole })}
        />
        <IconButton
          label="Previous file"
          shortcut="k"
          icon={<ChevronUp />}
          onClick={() => step(-1)}
        />
        <IconButton label="Next file" shortcut="j" icon={<ChevronDown />} onClick={() => step(1)} />
        <IconButton
          label="Next file not viewed"
          shortcut="u"
          icon={<EyeOff />}
          onClick={nextUnviewed}
        />
        <IconButton label="Refresh" icon={<RefreshCw />} onClick={refresh} />
      </div>
      <Applied task={task} target={partial.target} />
      {comparison && comparison.conflicts.length > 0 ? (
        <ConflictsLine files={files} comparison={comparison} partial={partial} onShow={show} />
      ) : (
        <ApplyOutcomeNote task={task} />
      )}
      {comparison ? <UncommittedLine comparison={comparison} target={partial.target} /> : null}
      {problem ? (
        <ProblemNotice
          problem={problem}
          action={{ label: 'Try again', onClick: refresh }}
          className="m-4"
        />
      ) : null}
      {!diff && !problem ? <Skeleton className="p-4" /> : null}
      {diff && files.length === 0 ? <EmptyState sentence="No files changed." /> : null}
      {selected ? (
        <div className="flex min-h-0 flex-1 [@media(max-height:520px)]:min-h-full [@media(max-height:520px)]:shrink-0">
          <nav
            aria-label="Files"
            // Positioned, because texts for screen readers would otherwise make the whole window scroll.
            className="relative flex w-[240px] shrink-0 flex-col border-r max-[899px]:w-[180px]"
          >
            <ChangedTree
              files={files}
              selected={selected.path}
              isViewed={isMarked}
              standing={(of) => standings.get(of) ?? 'open'}
              comments={(of) => comments.filter((one) => one.path === of).length}
              onSelect={(chosen) => {
                const file = files.find((one) => one.path === chosen)
                if (file) show(file)
              }}
            />
          </nav>
          <div
            key={selected.path}
            className="relative flex min-h-0 min-w-0 flex-1 flex-col overflow-y-auto"
          >
            <FileReview
              task={task}
              file={selected}
              tree={diff?.tree ?? null}
              comparison={comparison}
              partial={partial}
              viewed={isMarked(selected)}
              onToggleViewed={toggleViewed}
              arriveAt={arriveAt.current}
              onPastEnd={(by) => step(by, by === 1 ? 'first' : 'last')}
            />
          </div>
        </div>
      ) : null}
      <SendComments task={task} />
    </section>
  )
}

function Toggle(props: { label: string; on: boolean; onChange(): void }) {
  return (
    <label className="flex items-center gap-1.5 text-small text-muted">
      <input
        type="checkbox"
        checked={props.on}
        onChange={props.onChange}
        className="size-3.5 accent-(--accent-fill)"
      />
      {props.label}
    </label>
  )
}

/** Whether the task is a root on a branch of its own; the changes of a sub-agent go to its parent. */
const isCommittable = ({ parentId, workspace }: Task): boolean =>
  parentId === null &&
  workspace !== null &&
  workspace.isolation === 'worktree' &&
  workspace.branch !== null &&
  workspace.removal === null

/** The state of each file in the target, by path. */
const standingsOf = (comparison: TargetComparison | null): Map<string, Standing> =>
  new Map<string, Standing>([
    ...(comparison?.files ?? []).map(({ path, state }) => [path, state] as const),
    ...(comparison?.conflicts ?? []).map(({ path }) => [path, 'conflict'] as const),
  ])

const sum = (files: readonly ChangedFile[], of: (file: ChangedFile) => number | null): number =>
  files.reduce((total, file) => total + (of(file) ?? 0), 0)
