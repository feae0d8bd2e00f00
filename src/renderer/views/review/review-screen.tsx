/** The changes of an agent, file by file, with comments that go to it as one follow-up. */
import {
  ArrowLeft,
  ChevronDown,
  ChevronUp,
  EyeOff,
  GitCommitHorizontal,
  RefreshCw,
  Send,
} from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { TargetComparison } from '../../../shared/contract/changes.ts'
import { isRunning, type Task } from '../../../shared/records/tasks.ts'
import { Counts } from '../../components/diff/counts.tsx'
import { counted } from '../../components/primitives/format.ts'
import {
  Button,
  EmptyState,
  IconButton,
  Skeleton,
  toast,
} from '../../components/primitives/index.ts'
import { ChangedTree, type Standing } from '../../components/review/changed-tree.tsx'
import { type ChangedFile, filesInOrder } from '../../components/review/file-tree.ts'
import { problemOf } from '../../rpc/problem.ts'
import { usePreference, useStores, useTask, useUnreachable } from '../../store/hooks.ts'
import { type ReviewComment, reviewPrompt } from '../../store/review/review-comments.ts'
import { isViewed } from '../../store/review/viewed-files.ts'
import { taskRoute } from '../../store/window/route.ts'
import { showProblem } from '../app/actions.ts'
import { ProblemNotice } from '../app/problem-notice.tsx'
import { Applied, ApplyButton, ApplyOutcomeNote } from '../inspector/changes-tab.tsx'
import { useKeys } from '../shell/use-keys.ts'
import { TaskHeader } from '../task/task-header.tsx'
import { ConflictsLine } from './conflicts-line.tsx'
import { FileReview } from './file-review.tsx'
import { usePartialApply } from './use-apply.ts'
import { useComparison } from './use-comparison.ts'
import { useReviewDiff } from './use-review-diff.ts'

const none: readonly ReviewComment[] = []

export function ReviewScreen({ taskId, path }: { taskId: string; path: string | null }) {
  const task = useTask(taskId as Task['id'])
  return task ? (
    <Review key={task.id} task={task} path={path} />
  ) : (
    <EmptyState sentence="There is no such agent." />
  )
}

function Review({ task, path }: { task: Task; path: string | null }) {
  const { navigation, overlay, preferences, reviewComments, viewedFiles } = useStores()
  const { diff, problem, refresh } = useReviewDiff(task)
  const files = useMemo(() => filesInOrder(diff?.files ?? []), [diff])
  const comments = useStore(reviewComments.store, (known) => known.get(task.id) ?? none)
  const viewed = useStore(viewedFiles.store)
  const comparison = useComparison(task, diff)
  const partial = usePartialApply(task, diff)
  const layout = usePreference('reviewLayout')
  const ignoreSpace = usePreference('reviewIgnoresSpace')
  const whole = usePreference('reviewWholeFile')
  const selected = files.find((file) => file.path === path) ?? files[0] ?? null
  const back = () => navigation.go(taskRoute(task.id))
  const show = (file: ChangedFile) =>
    navigation.go({ screen: 'review', taskId: task.id, path: file.path }, { replace: true })
  /** At which change the next file is entered, when it was reached from a change. */
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
    <section aria-label={`Review of ${task.title}`} className="flex min-h-0 flex-1 flex-col">
      <TaskHeader
        task={task}
        actions={
          <>
            {diff && files.length > 0 ? <ApplyButton task={task} diff={diff} /> : null}
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
        <div className="flex min-h-0 flex-1">
          <nav
            aria-label="Files"
            // Positioned: what is for screen readers alone would otherwise make the whole window scroll.
            className="relative w-[240px] shrink-0 overflow-y-auto border-r max-[899px]:w-[180px]"
          >
            <ChangedTree
              files={files}
              selected={selected.path}
              isViewed={isMarked}
              standing={(of) => standingOf(of, comparison)}
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
      <SendBar task={task} comments={comments} />
    </section>
  )
}

/** The drafts, to be sent as one follow-up. */
function SendBar({ task, comments }: { task: Task; comments: readonly ReviewComment[] }) {
  const { client, reviewComments } = useStores()
  const unreachable = useUnreachable()
  const [busy, setBusy] = useState(false)
  const drafts = comments.filter(({ sent }) => sent === null)
  if (drafts.length === 0) return null
  const running = isRunning(task.status)
  const notNow =
    unreachable ??
    (task.archived
      ? 'Its workspace was removed: continue from it to send comments'
      : task.parentId !== null && !running
        ? 'A sub-agent that has ended takes no follow-up'
        : undefined)
  const send = async () => {
    const prompt = reviewPrompt(drafts)
    setBusy(true)
    try {
      const { total } = await client.transcripts.page({ taskId: task.id, at: 'end', limit: 1 })
      await client.tasks.prompt({ taskId: task.id, prompt, atNextTurn: running })
      reviewComments.markSent(task.id, { at: Date.now(), prompt, afterSeq: total })
      toast(`Sent ${counted(drafts.length, 'comment')} to ${task.title}`)
    } catch (error) {
      showProblem(problemOf(error, 'send the comments'))
    }
    setBusy(false)
  }
  return (
    <div className="flex shrink-0 items-center gap-3 border-t px-4 py-2">
      <span className="min-w-0 flex-1 text-muted">
        {counted(drafts.length, 'comment')} not sent yet
        {running ? '; the agent reads them before its next turn' : ''}
      </span>
      <Button
        variant="primary"
        icon={<Send />}
        busy={busy}
        disabled={notNow !== undefined}
        title={notNow}
        onClick={() => void send()}
      >
        Send to the agent
      </Button>
    </div>
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

/** A root on a branch of its own. What a sub-agent did goes to its parent. */
const isCommittable = ({ parentId, workspace }: Task): boolean =>
  parentId === null &&
  workspace !== null &&
  workspace.isolation === 'worktree' &&
  workspace.branch !== null &&
  workspace.removal === null

function standingOf(path: string, comparison: TargetComparison | null): Standing {
  if (comparison?.conflicts.some((conflict) => conflict.path === path)) return 'conflict'
  return comparison?.files.find((file) => file.path === path)?.state ?? 'open'
}

const sum = (files: readonly ChangedFile[], of: (file: ChangedFile) => number | null): number =>
  files.reduce((total, file) => total + (of(file) ?? 0), 0)
