/** The answers about workspaces: what was changed in them, their removal, the archive and the trash. */

import { createTreeChanges } from '../../src/main/review/tree-changes.ts'
import { rankFiles } from '../../src/main/workspaces/files/rank-files.ts'
import { transcriptSummaryOf } from '../../src/shared/contract/transcripts/summary.ts'
import type { TranscriptSummary, WorkspaceDiff } from '../../src/shared/contract/workspace.ts'
import { refused } from '../../src/shared/failure.ts'
import { ancestorsOf, descendantsOf } from '../../src/shared/projections/ledger/ledger-state.ts'
import { createRecordedEdits } from '../../src/shared/projections/transcript/recorded-edits.ts'
import { shortId, type TaskId } from '../../src/shared/records/ids.ts'
import type { Workspace } from '../../src/shared/records/projects/workspaces.ts'
import { canStillRun } from '../../src/shared/records/tasks/task-status.ts'
import type { Task } from '../../src/shared/records/tasks/tasks.ts'
import type { Happenings } from './happenings.ts'
import type { Implementer } from './implementer.ts'
import type { Memory } from './memory.ts'

/** So that it has several parts. */
const partBytesMax = 16_384
/** Several frames, like a file that is read. */
const readOutputMs = 100
/** What every command printed that printed more than its result shows. */
export const wholeOutput = Array.from({ length: 4000 }, (_, line) => `line ${line + 1}\n`).join('')

/** Throws FailureError where there is no state to compare with. */
export function isolated(task: Task): { task: Task; workspace: Workspace } {
  const { title, workspace } = task
  if (workspace?.baseCommit) return { task, workspace }
  return refused(
    'not-git',
    workspace
      ? `"${title}" works outside Git, so there is no state to compare with.`
      : `"${title}" has not started, so there are no changes yet.`,
  )
}

/** Where its work belongs: the nearest ancestor's folder that is left, else the project's own. */
export function applyTarget({ state }: Memory, task: Task): string {
  for (const id of ancestorsOf(state, task.id)) {
    const workspace = state.tasks.get(id)?.workspace
    if (workspace && workspace.removal === null) return workspace.path
  }
  return task.projectDir
}

export function diffOf(memory: Memory, task: Task): WorkspaceDiff {
  const target = { path: applyTarget(memory, task), branch: 'main' }
  return (
    memory.given.diff?.(task.id) ?? { files: [], patch: '', truncated: false, target, tree: null }
  )
}

export function workspaceAnswers(
  os: Implementer,
  { memory, happenings }: { memory: Memory; happenings: Happenings },
) {
  const { given, state, record, sessionOf, find } = memory
  const tasks = () => [...state.tasks.values()]
  const treeChanges = createTreeChanges({
    state,
    diff: async (id) => diffOf(memory, find(id)),
    async edits(id) {
      const edits = createRecordedEdits()
      for (const entry of sessionOf(id).entries) edits.add(entry)
      return edits.answer()
    },
  })
  const bytesOf = (id: TaskId) => JSON.stringify(sessionOf(id).entries).length

  function remove(text: string): TaskId[] {
    const task = find(text, 'workspace')
    // Deepest first: a parent is a leaf once its children are gone.
    const tree = [...descendantsOf(state, task.id), task].sort((a, b) => b.depth - a.depth)
    const busy = tree.find(({ workspace }) => workspace?.restoring)
    if (busy) refused('in-use', `"${busy.title}" is being restored. Try again once that is done.`)
    const removed = tree.filter(({ workspace, archived }) => workspace && !archived)
    for (const { id, status } of removed) {
      if (status === 'spawned' || status === 'resumed')
        happenings.interrupt(id, { kind: 'stopped', by: 'person' })
      happenings.archive(id)
    }
    return removed.map(({ id }) => id)
  }

  /** A root with what below it can go on, or such a sub-agent alone (R6). */
  function restore(text: string) {
    const task = find(text, 'workspace')
    if (task.parentId !== null) refuseWhatStays(task)
    else archivedRoot(task)
    const below = descendantsOf(state, task.id).filter(
      ({ status, archived }) => task.parentId === null && archived && canStillRun(status),
    )
    const why = (id: TaskId) => given.unrestorable?.get(id)
    const hindered = why(task.id)
    if (hindered) refused('removed', hindered)
    if (task.trashed) record({ type: 'workspace.untrashed', workspaceId: task.id })
    const restored = [task, ...below].map(({ id }) => id).filter((id) => !why(id))
    for (const workspaceId of restored)
      record({ type: 'workspace.restored', workspaceId, branch: null })
    return {
      restored,
      left: below.flatMap(({ id: taskId, title }) => {
        const found = why(taskId)
        return found ? [{ taskId, title, why: found }] : []
      }),
    }
  }

  function refuseWhatStays({ title, status, archived, rootId, workspace }: Task): void {
    if (!workspace || !archived)
      refused('not-archived', `"${title}" is not in the archive: its workspace was not removed.`)
    if (!canStillRun(status))
      refused(
        'not-archived',
        `"${title}" is a sub-agent that is ${status}: it stays in the archive, with its root ${rootId}.`,
      )
    if (state.tasks.get(rootId)?.archived)
      refused(
        'removed',
        `"${title}" is in the archive with its root. Restore that: \`shiplog workspaces restore ${shortId(rootId)}\`.`,
      )
  }

  const summarize = (task: Task): TranscriptSummary =>
    transcriptSummaryOf(task, {
      entries: task.transcriptExpired ? 0 : sessionOf(task.id).entries.length,
      bytes: task.transcriptExpired ? 0 : bytesOf(task.id),
    })
  const lastActive = ({ endedAt, startedAt }: TranscriptSummary) => endedAt ?? startedAt ?? ''

  return {
    readOutput: os.workspace.readOutput.handler(async ({ input }) => {
      find(input.taskId)
      await new Promise((resolve) => setTimeout(resolve, readOutputMs))
      const end = input.offset + Math.min(input.bytesMax, partBytesMax)
      return {
        text: wholeOutput.slice(input.offset, end),
        total: wholeOutput.length,
        nextOffset: end < wholeOutput.length ? end : null,
      }
    }),
    listTranscripts: os.workspace.listTranscripts.handler(({ input: { projectDir, taskIds } }) => ({
      transcripts: tasks()
        .filter(
          (task) =>
            !task.trashed &&
            (task.hasTranscript || task.hasReport) &&
            (taskIds === undefined || taskIds.includes(task.id)) &&
            (projectDir === undefined || task.projectDir === projectDir),
        )
        .map(summarize)
        .sort((a, b) => lastActive(b).localeCompare(lastActive(a))),
    })),
    list: os.workspace.list.handler(({ input }) => ({
      workspaces: tasks().flatMap((task) => {
        const { id, parentId, title, projectDir, status, archived, trashed, workspace } = task
        if (!workspace || archived !== input.archived || trashed) return []
        const { path, branch, createdAt, pending } = workspace
        return {
          id,
          title,
          projectDir,
          status,
          archived,
          path,
          branch,
          createdAt,
          pending,
          kind: parentId === null ? ('root' as const) : ('task' as const),
          bytes: bytesOf(id),
        }
      }),
    })),
    remove: os.workspace.remove.handler(({ input }) => ({ removed: remove(input.workspaceId) })),
    leftovers: os.workspace.leftovers.handler(({ input }) => {
      find(input.workspaceId, 'workspace')
      return { leftovers: [] }
    }),
    restore: os.workspace.restore.handler(({ input }) => restore(input.workspaceId)),
    trash: os.workspace.trash.handler(({ input }) => {
      const { id, trashed } = archivedRoot(find(input.workspaceId, 'workspace'))
      if (trashed) return { trashed: [] }
      record({ type: 'workspace.trashed', workspaceId: id })
      return { trashed: [...descendantsOf(state, id).map((task) => task.id), id] }
    }),
    untrash: os.workspace.untrash.handler(({ input }) => {
      const { id, title, trashed, purged } = archivedRoot(find(input.workspaceId, 'workspace'))
      if (purged) refused('removed', `"${title}" is no longer in the trash: it has expired.`)
      if (!trashed) refused('not-archived', `"${title}" is not in the trash.`)
      record({ type: 'workspace.untrashed', workspaceId: id })
      return {}
    }),
    compareTarget: os.workspace.compareTarget.handler(({ input }) => {
      const { task } = isolated(find(input.workspaceId, 'workspace'))
      const { files, tree } = diffOf(memory, task)
      const open = files.map(({ path }) => ({
        path,
        state: task.patch === 'applied' ? ('applied' as const) : ('open' as const),
        hunks: [],
        uncommitted: false,
      }))
      return memory.given.comparison?.(task.id) ?? { tree, files: open, conflicts: [] }
    }),
    treeChanges: os.workspace.treeChanges.handler(({ input }) =>
      treeChanges.count(find(input.workspaceId, 'workspace').id),
    ),
    diff: os.workspace.diff.handler(({ input }) => {
      const { task } = isolated(find(input.workspaceId, 'workspace'))
      const found = diffOf(memory, task)
      const { file } = input
      if (!file) return found
      const ofFile = (part: string) => file.paths.some((path) => part.includes(` b/${path}\n`))
      return {
        ...found,
        patch: found.patch
          .split(/^(?=diff --git )/m)
          .filter(ofFile)
          .join(''),
      }
    }),
    findFiles: os.workspace.findFiles.handler(({ input: { query, limit } }) => ({
      files: rankFiles(memory.given.files ?? [], query, limit),
    })),
    openFolder: os.workspace.openFolder.handler(({ input }) => {
      const { title, workspace } = find(input.workspaceId, 'workspace')
      if (!workspace || workspace.removal !== null)
        refused('removed', `"${title}" has no folder now; its changes are kept as a patch.`)
      return {}
    }),
  }
}

function archivedRoot(task: Task): Task {
  const { title, parentId, rootId, workspace, archived } = task
  if (parentId !== null)
    refused('not-archived', `"${title}" is a sub-agent: it is kept with its root, ${rootId}.`)
  if (!workspace || !archived)
    refused('not-archived', `"${title}" is not in the archive: its workspace has not been removed.`)
  return task
}
