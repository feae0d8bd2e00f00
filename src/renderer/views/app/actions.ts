/** What a person does from more than one place: the call, then one toast that says how it came out. */

import type { AgentPreset } from '../../../shared/agents/installed-agents.ts'
import type { ApplyOutcome } from '../../../shared/agents/tools.ts'
import type { ContractErrorCode } from '../../../shared/contract/base.ts'
import type { ChangeSelection } from '../../../shared/contract/changes.ts'
import type { RetentionSettings } from '../../../shared/contract/retention.ts'
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Budget } from '../../../shared/records/tasks/budgets.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import { counted } from '../../components/primitives/format.ts'
import { toast } from '../../components/primitives/index.ts'
import { type Problem, problemOf } from '../../rpc/problem.ts'
import type { Stores } from '../../store/stores.ts'
import { fullScreenRoute, linkTo, taskRoute } from '../../store/window/route.ts'

/** Long enough to copy the details of what went wrong, or to take back what was done. */
const readShownMs = 12_000

export interface Actions {
  /** `agent`: an installed one that takes part. */
  startDemo(agent?: AgentPreset): Promise<boolean>
  stop(taskId: TaskId): Promise<void>
  /** Asks it and everything below it to report now. */
  wrapUp(taskId: TaskId): Promise<void>
  setBudget(taskId: TaskId, budget: Budget | null): Promise<void>
  /** A tree that waits for a quota goes on at once, or not at all. */
  wake(taskId: TaskId): Promise<void>
  cancelSleep(taskId: TaskId): Promise<void>
  /**
   * The toast says how it came out; the card that asked shows it as well. `target`: where the changes go,
   * in the words of the button that was pressed. `selection`: only these files and hunks.
   */
  applyPatch(taskId: TaskId, target?: string, selection?: ChangeSelection): Promise<void>
  /** Takes the newest apply back. What changed since is named where the changes are shown. */
  undoApply(taskId: TaskId): Promise<void>
  removeWorkspace(taskId: TaskId, title: string): Promise<boolean>
  restore(taskId: TaskId, title: string): Promise<void>
  /** To the trash; the toast takes it back. */
  trash(taskId: TaskId, title: string): Promise<void>
  /** The transcript alone, of a root or a sub-agent; its report stays. The toast takes it back. */
  deleteTranscript(taskId: TaskId, title: string): Promise<void>
  /** Several roots to the trash, one after the other; one toast takes them all back. */
  trashAll(taskIds: TaskId[], onProgress: (text: string) => void): Promise<void>
  /** Out of the trash, one after the other; `onProgress` hears "Restored 3 of 12…". */
  restoreTrashed(names: string[], onProgress: (text: string) => void): Promise<void>
  /** For good. */
  deleteTrashed(names: string[], onProgress: (text: string) => void): Promise<void>
  /** Null: the whole trash. */
  openTrash(name: string | null): Promise<void>
  openFolder(taskId: TaskId, program: 'editor' | 'file-manager'): Promise<void>
  copy(text: string, what: string): Promise<void>
  /** In a window of its own, or in a browser in a tab, at an entry or where it usually opens. */
  openTranscript(taskId: TaskId, seq: number | undefined): Promise<void>
  saveRetention(settings: RetentionSettings): Promise<void>
  /** Sweeps now; the toast takes it back. `clockIsRight`: the person said so of a clock that leapt ahead. */
  cleanUp(clockIsRight: boolean): Promise<void>
  /** Takes transcripts back from the trash: all of a receipt, or that of one task. */
  undoSweep(receiptId: string, taskId?: TaskId): Promise<boolean>
  /** A pinned task is kept with everything below it. */
  pin(taskId: TaskId, pinned: boolean): Promise<void>
}

export function createActions(stores: Stores): Actions {
  const { client, ledger, navigation, applies, appInfo, preferences } = stores

  async function attempt<Value>(doing: string, call: () => Promise<Value>): Promise<Value | null> {
    try {
      return await call()
    } catch (error) {
      showProblem(problemOf(error, doing))
      return null
    }
  }

  async function restore(taskId: TaskId, title: string): Promise<void> {
    const restored = await attempt('restore the workspace', () =>
      client.workspace.restore({ workspaceId: taskId }),
    )
    if (!restored) return
    navigation.go(taskRoute(taskId))
    const below = restored.restored.length - 1
    const said = `Restored “${title}” with its worktree${below > 0 ? ` and ${counted(below, 'sub-agent')}` : ''}.`
    if (restored.left.length === 0) toast.success(said)
    else
      toast.warning(`${said} ${restored.left.length} could not be restored.`, {
        description: restored.left.map((one) => `${one.title}: ${one.why}`).join('\n'),
        duration: readShownMs,
      })
  }

  async function undoSweep(receiptId: string, taskId?: TaskId): Promise<boolean> {
    const undone = await attempt('restore it from the trash', () =>
      client.retention.undo({ receiptId, taskId }),
    )
    if (!undone) return false
    // The notice of the sweep is obsolete.
    void appInfo.load()
    toldOf(`Restored ${counted(undone.restored.length, 'transcript')}.`, 'restored', undone.left)
    return true
  }

  /** Where Git does not know its worktree, a second button says to discard it. */
  async function removeOrAsk(taskId: TaskId): Promise<'removed' | 'failed'> {
    try {
      await client.workspace.remove({ workspaceId: taskId })
      return 'removed'
    } catch (error) {
      const problem = problemOf(error, 'remove the workspace')
      if (problem.reason !== 'unknown-worktree') {
        showProblem(problem)
        return 'failed'
      }
      toast.error(problem.message, {
        duration: Number.POSITIVE_INFINITY,
        action: {
          label: 'Discard the worktree',
          onClick: async () => {
            const done = await attempt('remove the workspace', () =>
              client.workspace.remove({ workspaceId: taskId, discardUnknownWorktree: true }),
            )
            if (done) toast.success('Archived. The files of the worktree are in the trash.')
          },
        },
      })
      return 'failed'
    }
  }

  /** The inspector's Changes of a task: what was applied, and what kept it from being undone. */
  function showChanges(taskId: TaskId): void {
    preferences.setState({ inspectorTab: 'changes', inspectorOpen: true })
    navigation.go(taskRoute(taskId))
  }

  async function undoApply(taskId: TaskId): Promise<void> {
    const view = await applies.undo(taskId)
    switch (view.kind) {
      case 'failed':
        return showProblem(view.problem)
      case 'undone':
        toast.success(`Undone. ${counted(view.files, 'file is', 'files are')} as before.`)
        return
      case 'changed-since':
        toast.warning(`${counted(view.paths.length, 'file')} changed since. Nothing was undone.`, {
          action: { label: 'Show', onClick: () => showChanges(taskId) },
        })
    }
  }

  return {
    undoApply,
    async startDemo(agent) {
      const started = await attempt('start the demo', () =>
        client.projects.startDemo({ ...(agent && { agent }) }),
      )
      if (started) navigation.go(taskRoute(started.taskId))
      return started !== null
    },
    async wrapUp(taskId) {
      const done = await attempt('ask it to wrap up', () => client.tasks.wrapUp({ taskId }))
      if (done)
        toast(
          done.asked.length > 1
            ? `Asked ${done.asked.length} agents to report at their next step.`
            : 'Asked it to report at its next step.',
        )
    },
    async wake(taskId) {
      await attempt('wake the agent', () => client.tasks.wake({ taskId }))
    },
    async cancelSleep(taskId) {
      await attempt('end the wait', () => client.tasks.cancelSleep({ taskId }))
    },
    async setBudget(taskId, budget) {
      await attempt('set the limits', () => client.tasks.setBudget({ taskId, budget }))
    },
    async stop(taskId) {
      const stopped = await attempt('stop the agent', () => client.tasks.stop({ taskId }))
      if (stopped && stopped.stopped.length > 1)
        toast(`Stopped ${stopped.stopped.length} agents. Their partial output was saved.`)
    },
    async applyPatch(taskId, target, selection) {
      const view = await applies.apply(taskId, selection)
      if (view.kind === 'failed') showProblem(view.problem)
      else if (view.kind !== 'applying' && view.kind !== 'undoing') {
        const task = ledger.store.getState().ledger.tasks.get(taskId)
        showApplied(view, target ?? (task ? targetName(task) : 'its target'), {
          undo: () => void undoApply(taskId),
          show: () => showChanges(taskId),
        })
      }
    },
    async removeWorkspace(taskId, title) {
      const removed = await removeOrAsk(taskId)
      if (removed === 'failed') return false
      const show = {
        label: 'Show',
        onClick: () => navigation.go({ screen: 'archive', taskId, tab: 'report' }),
      }
      // A sub-agent is kept with its root and does not come back by itself.
      const isRoot = ledger.store.getState().ledger.tasks.get(taskId)?.parentId === null
      toast(`Archived “${title}”.`, {
        description: 'Reports, transcripts and the patch are in the archive.',
        duration: readShownMs,
        ...(isRoot
          ? { action: { label: 'Undo', onClick: () => void restore(taskId, title) }, cancel: show }
          : { action: show }),
      })
      return true
    },
    restore,
    async trash(taskId, title) {
      const route = navigation.route.getState()
      const trashed = await attempt('delete it', () =>
        client.workspace.trash({ workspaceId: taskId }),
      )
      if (!trashed) return
      navigation.go({ screen: 'archive', taskId: null, tab: 'report' })
      toast(`Moved “${title}” to the trash.`, {
        duration: readShownMs,
        action: {
          label: 'Undo',
          onClick: async () => {
            const back = await attempt('restore it', () =>
              client.workspace.untrash({ workspaceId: taskId }),
            )
            if (!back) return
            navigation.go(route)
            toast.success(`Restored “${title}” to the archive.`)
          },
        },
      })
    },
    async deleteTranscript(taskId, title) {
      const answer = await attempt('delete the transcript', () =>
        client.retention.deleteTranscripts({ taskIds: [taskId] }),
      )
      if (!answer) return
      const { receipt, left } = answer
      if (!receipt)
        return void toast.error('The transcript was kept.', { description: left[0]?.why })
      toast(`Moved the transcript of “${title}” to the trash.`, {
        duration: readShownMs,
        action: { label: 'Undo', onClick: () => void undoSweep(receipt, taskId) },
      })
    },
    async trashAll(taskIds, onProgress) {
      const route = navigation.route.getState()
      const shown = 'taskId' in route ? route.taskId : null
      const gone: TaskId[] = []
      for (const [n, id] of taskIds.entries()) {
        onProgress(`Deleting ${n + 1} of ${taskIds.length}…`)
        const trashed = await attempt('delete it', () =>
          client.workspace.trash({ workspaceId: id }),
        )
        if (!trashed) break
        gone.push(id)
      }
      if (gone.length === 0) return
      // What the reader shows may be among them.
      if (shown !== null && gone.some((id) => id.startsWith(shown)))
        navigation.go({ screen: 'archive', taskId: null, tab: 'report' })
      toast(`Moved ${counted(gone.length, 'agent')} to the trash.`, {
        description: 'Their sub-agents went with them.',
        duration: readShownMs,
        action: {
          label: 'Undo',
          onClick: async () => {
            let back = 0
            for (const id of gone) {
              const done = await attempt('restore it', () =>
                client.workspace.untrash({ workspaceId: id }),
              )
              if (!done) break
              back++
            }
            if (back > 0) toast.success(`Restored ${counted(back, 'agent')} to the archive.`)
          },
        },
      })
    },
    async restoreTrashed(names, onProgress) {
      const sum = { done: 0, left: [] as { why: string }[] }
      for (const [n, name] of names.entries()) {
        const answer = await attempt('restore it from the trash', () =>
          client.retention.restoreTrashed({ names: [name] }),
        )
        if (!answer) break
        sum.done += answer.restored.length
        sum.left.push(...answer.left)
        onProgress(`Restored ${n + 1} of ${names.length}…`)
      }
      // The notice of the sweep is obsolete.
      void appInfo.load()
      toldOf(`Restored ${counted(sum.done, 'item')}.`, 'restored', sum.left)
    },
    async deleteTrashed(names, onProgress) {
      onProgress(`Deleting ${counted(names.length, 'item')}…`)
      const answer = await attempt('delete it from the trash', () =>
        client.retention.deleteTrashed({ names }),
      )
      if (!answer) return
      const said = `Permanently deleted ${counted(answer.deleted.length, 'item')}.`
      toldOf(said, 'deleted', answer.left)
    },
    async openTrash(name) {
      await attempt('open the folder', () => client.retention.openTrash({ name }))
    },
    async openFolder(taskId, program) {
      await attempt(program === 'editor' ? 'open the editor' : 'open the folder', () =>
        client.workspace.openFolder({ workspaceId: taskId, with: program }),
      )
    },
    async saveRetention(settings) {
      const saved = await attempt('save the settings', () => client.retention.setSettings(settings))
      if (saved) toast.success('Saved. Takes effect at the next clean-up.')
    },
    async cleanUp(clockIsRight) {
      const sweep = await attempt('clean up', () => client.retention.sweep({ clockIsRight }))
      if (!sweep) return
      // What asked about the clock is answered.
      if (clockIsRight) void appInfo.load()
      const { receipt, removed } = sweep
      const moved = removed.filter((item) => item.kind === 'transcript').length
      const deleted = removed.length - moved
      const said = [
        moved > 0 ? `Moved ${counted(moved, 'transcript')} to the trash.` : null,
        deleted > 0 ? `Permanently deleted ${counted(deleted, 'item')}.` : null,
      ].filter((text) => text !== null)
      toast(said.join(' ') || 'Nothing to remove.', {
        duration: readShownMs,
        ...(receipt && moved > 0
          ? { action: { label: 'Undo', onClick: () => void undoSweep(receipt) } }
          : {}),
      })
    },
    undoSweep,
    async pin(taskId, pinned) {
      await attempt(pinned ? 'pin it' : 'unpin it', () => client.retention.pin({ taskId, pinned }))
    },
    async openTranscript(taskId, seq) {
      const place = { taskId, ...(seq === undefined ? {} : { seq }) }
      if (appInfo.store.getState().info?.host !== 'desktop')
        return void window.open(linkTo(fullScreenRoute(taskId, seq)), '_blank', 'noopener')
      await attempt('open a window', () => client.app.openWindow(place))
    },
    async copy(text, what) {
      try {
        await navigator.clipboard.writeText(text)
        toast(`Copied ${what}.`)
      } catch {
        toast.error('The browser blocked copying.', { description: text })
      }
    },
  }
}

/** `left`: those of which it could not be done, each with a reason. */
function toldOf(said: string, done: string, left: readonly { why: string }[]): void {
  const [first] = left
  if (!first) toast.success(said)
  else toast.warning(`${said} ${left.length} could not be ${done}.`, { description: first.why })
}

/** `target`: where the changes went. There they are files that changed: nothing is ever committed for the person. */
function showApplied(
  outcome: ApplyOutcome,
  target: string,
  { undo, show }: { undo(): void; show(): void },
): void {
  switch (outcome.kind) {
    case 'applied':
      toast.success(
        `Applied to ${target}: ${counted(outcome.files.length, 'file')} changed, not committed.`,
        {
          description: outcome.converted
            ? `Git wrote ${counted(outcome.converted.length, 'file')} with the line endings or keywords that .gitattributes asks for.`
            : undefined,
          duration: readShownMs,
          action: { label: 'Undo', onClick: undo },
          cancel: { label: 'Show', onClick: show },
        },
      )
      return
    case 'nothing-to-apply':
      toast('Nothing to apply: no files were changed.')
      return
    case 'already-applied':
      toast('These changes are already applied.')
      return
    case 'conflict':
      // The files and Git's own words stay where it was asked for.
      toast.warning(`Conflicts in ${counted(outcome.paths.length, 'file')}. Nothing was changed.`)
  }
}

/**
 * Where a task's changes are applied: a root's on the project's branch, or in its folder where that has none. The
 * branch of a parent's worktree has a generated name that says less.
 */
export const targetName = ({ parentId, projectDir }: Task, branch?: string | null): string =>
  parentId
    ? 'the parent’s worktree'
    : (branch ?? projectDir.split(/[\\/]/).findLast((part) => part !== '') ?? projectDir)

/** Codes whose message is the answer to what was asked, not a fault. */
const answers: readonly (ContractErrorCode | 'CONNECTION' | 'INTERNAL')[] = ['REFUSED', 'INVALID']

export function showProblem(problem: Problem): void {
  toast.error(problem.message, {
    description: problem.next ?? undefined,
    duration: readShownMs,
    action: answers.includes(problem.code)
      ? undefined
      : {
          label: 'Copy details',
          onClick: () => void navigator.clipboard.writeText(problem.details).catch(() => {}),
        },
  })
}
