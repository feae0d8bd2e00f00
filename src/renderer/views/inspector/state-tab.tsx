import { FolderOpen, SquarePen } from 'lucide-react'
import { Fragment, type ReactNode, useState } from 'react'
import type { Run } from '../../../shared/records/tasks/runs.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { counted } from '../../components/primitives/format.ts'
import {
  Button,
  CopyButton,
  Duration,
  RelativeTime,
  StatusIcon,
  Tokens,
} from '../../components/primitives/index.ts'
import { CauseText } from '../../components/task/cause-text.tsx'
import { plainCause } from '../../components/task/plain-cause.ts'
import { useLedger, useStores } from '../../store/hooks.ts'
import { homeRoute, projectRoute, taskRoute } from '../../store/window/route.ts'
import { useActions } from '../app/use-actions.ts'
import { TaskChecks } from '../task/task-checks.tsx'

/** The agent's directory, branch and base commit, its runs, and the removal of its workspace. */
export function StateTab({ task }: { task: Task }) {
  const { openFolder } = useActions()
  const { navigation } = useStores()
  const { workspace } = task
  const used = task.usage.inputTokens + task.usage.outputTokens
  const hasFolder = workspace !== null && workspace.removal === null
  return (
    <div className="flex flex-col gap-6 p-4">
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5">
        <Fact name="ID">
          <Code text={task.id} label="Copy ID" />
        </Fact>
        <Fact name="Agent">
          {task.agent} <span className="text-muted">({task.spec.kind})</span>
        </Fact>
        {workspace ? (
          <>
            <Fact name={hasFolder ? 'Works in' : 'Worked in'}>
              <Code text={workspace.path} label="Copy path" gone={!hasFolder} />
            </Fact>
            <Fact name="Branch">
              {workspace.branch ? <Code text={workspace.branch} label="Copy branch" /> : 'none'}
            </Fact>
            <Fact name="Base">
              {workspace.baseCommit ? (
                <span title={workspace.baseCommit}>
                  <span className="font-mono text-code">{workspace.baseCommit.slice(0, 8)}</span>
                  {workspace.baseBranch ? ` on ${workspace.baseBranch}` : ''}
                </span>
              ) : (
                'the folder as it was'
              )}
            </Fact>
          </>
        ) : null}
        <Fact name="Started">
          <RelativeTime at={task.startedAt ?? task.createdAt} />
        </Fact>
        {used > 0 ? (
          <Fact name="Tokens">
            <Tokens
              input={task.usage.inputTokens}
              output={task.usage.outputTokens}
              complete={task.usage.complete}
            />
          </Fact>
        ) : null}
      </dl>
      {hasFolder ? (
        <div className="flex flex-wrap gap-2">
          <Button icon={<SquarePen />} onClick={() => void openFolder(task.id, 'editor')}>
            Open in editor
          </Button>
          <Button icon={<FolderOpen />} onClick={() => void openFolder(task.id, 'file-manager')}>
            Open folder
          </Button>
        </div>
      ) : null}
      <section>
        <h3 className="mb-1 font-semibold">Runs</h3>
        {task.runs.length === 0 ? (
          <p className="text-muted">No run has started yet.</p>
        ) : (
          <ul className="divide-y">
            {task.runs.map((run) => (
              <RunRow key={run.run} run={run} foldKey={`${task.id}:${run.run}`} />
            ))}
          </ul>
        )}
      </section>
      <TaskChecks
        task={task}
        onOpen={(seq) => navigation.go({ ...taskRoute(task.rootId), transcriptOf: task.id, seq })}
      />
      {hasFolder ? <RemoveWorkspace task={task} /> : null}
    </div>
  )
}

function RunRow({ run, foldKey }: { run: Run; foldKey: string }) {
  const status = run.status === 'running' ? 'spawned' : run.status
  return (
    <li className="flex flex-col py-1">
      <span className="flex items-center gap-2">
        <StatusIcon status={status} />
        <span className="flex-1">Run {run.run}</span>
        <Duration startedAt={run.startedAt} endedAt={run.endedAt} className="text-muted" />
      </span>
      {run.cause ? (
        <CauseText
          text={plainCause(run.cause)}
          foldKey={`${foldKey}:cause`}
          className="pl-6 text-small text-muted"
        />
      ) : null}
    </li>
  )
}

/** Everything recorded goes to the archive; only the worktree is deleted. */
function RemoveWorkspace({ task }: { task: Task }) {
  const { navigation } = useStores()
  const { removeWorkspace } = useActions()
  const [busy, setBusy] = useState(false)
  const below = useLedger(
    ({ ledger }) =>
      [...ledger.tasks.values()].filter(
        (other) => other.rootId === task.id && other.id !== task.id && !other.archived,
      ).length,
  )
  const interrupted = useLedger(
    ({ ledger }) =>
      [...ledger.tasks.values()].filter(
        (other) =>
          other.rootId === task.id &&
          other.id !== task.id &&
          !other.archived &&
          other.status === 'interrupted',
      ).length,
  )
  const worktree = task.workspace?.isolation === 'worktree'
  const running = isRunning(task.status)
  const remove = async () => {
    setBusy(true)
    const removed = await removeWorkspace(task.id, task.title)
    setBusy(false)
    if (removed && task.parentId === null)
      navigation.go(task.projectId ? projectRoute(task.projectId) : homeRoute)
  }
  return (
    <section className="flex flex-col items-start gap-2 border-t pt-4">
      <h3 className="font-semibold">Workspace</h3>
      <p className="text-muted">
        {running ? 'Stops the agent. ' : ''}
        The transcript, reports and a patch of unapplied changes
        {below > 0 ? `, and those of ${counted(below, 'sub-agent')},` : ''} go to the archive.
        {worktree
          ? ' The worktree folder is deleted. You can restore it.'
          : ' The project folder is not touched.'}
        {interrupted > 0
          ? ` ${counted(interrupted, 'interrupted sub-agent')} can be resumed again once it is restored.`
          : ''}
      </p>
      <Button variant="danger" busy={busy} onClick={() => void remove()}>
        {busy ? 'Removing…' : 'Remove workspace'}
      </Button>
    </section>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="untrusted min-w-0">{children}</dd>
    </>
  )
}

/** Splits a path, branch or id where its line may be broken: after separators. */
const breakableParts = (text: string): string[] => text.split(/(?<=[-/\\])/)

function Code(props: { text: string; label: string; gone?: boolean }) {
  const { text, label, gone = false } = props
  return (
    <span className="flex items-start gap-1">
      <span
        className={`min-w-0 font-mono text-code leading-6 wrap-anywhere ${gone ? 'text-muted line-through' : ''}`}
      >
        {breakableParts(text).map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text keep their places
          <Fragment key={index}>
            {part}
            <wbr />
          </Fragment>
        ))}
      </span>
      {gone ? null : <CopyButton text={text} label={label} />}
    </span>
  )
}
