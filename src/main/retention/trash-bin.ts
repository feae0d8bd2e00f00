/** The trash as shown to the user: listing, restoring and permanently deleting its items. */
import { randomUUID } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type {
  RemovalReason,
  RemovedItem,
  RetentionSettings,
  TrashEntry,
} from '../../shared/contract/retention.ts'
import { messageOf } from '../../shared/error-message.ts'
import { invalid } from '../../shared/failure.ts'
import { descendantsOf } from '../../shared/projections/ledger/ledger-state.ts'
import type { ReceiptId, TaskId } from '../../shared/records/ids.ts'
import { bytesBelow } from '../artifacts/index.ts'
import { exists, removeDurable, renameDurable } from '../journal/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import { beingDeletedName, namesInTrash, sortedName } from '../sessions/trash-names.ts'
import type { WorkspaceService } from '../workspaces/workspace-service.ts'
import type { Expiry } from './expiry.ts'
import { confirmedByTime } from './second-look.ts'
import {
  lookAtTrash,
  type PlannedPurge,
  planPurge,
  type Trashed,
  trashedThings,
  whatIs,
} from './trash.ts'

interface PlanOptions {
  remember: boolean
  dateIsRight?: boolean | undefined
}

export interface TrashBin {
  /** `reasons` are the reasons why transcripts expired. */
  list(
    settings: RetentionSettings,
    reasons: ReadonlyMap<TaskId, RemovalReason>,
  ): Promise<TrashEntry[]>
  /** See `Retention.trashFolderOf`. */
  folderOf(name: string | null): Promise<string>
  /**
   * Returns the items to delete now: their time is over, or the trash exceeds its limit, and that was so a day ago as well
   * (`second-look.ts`). `dateIsRight`: the user confirmed the date, so one look is enough. `remember` is false for a preview.
   */
  plan(settings: RetentionSettings, options: PlanOptions): Promise<PlannedPurge[]>
  /** Returns the existing items among the names, to be deleted at the user's request. */
  chosen(names: string[], settings: RetentionSettings): Promise<PlannedPurge[]>
  itemOf(planned: PlannedPurge): RemovedItem
  /**
   * Resolves with false if the item was restored meanwhile, or could not be deleted, which is
   * reported.
   */
  deleteForGood(planned: PlannedPurge, receiptId: ReceiptId): Promise<boolean>
  /** Resolves with the reason for a failure, or null. */
  restore(name: string): Promise<string | null>
}

export function createTrashBin(deps: {
  ledger: Ledger
  layout: DataLayout
  workspaces: WorkspaceService
  expiry: Expiry
  clock: () => number
  onProblem: (text: string, error: unknown) => void
}): TrashBin {
  const { ledger, layout, workspaces, expiry, clock } = deps
  const { state } = ledger

  async function listTrashed({ trashTtlDays }: RetentionSettings): Promise<Trashed[]> {
    const nowMs = clock()
    const names = await namesInTrash(layout.trash)
    const looked = await lookAtTrash(layout.trashSeen, names, nowMs, bytesOf)
    return trashedThings(names, state, looked, trashTtlDays, nowMs)
  }

  /**
   * The leftovers of a worktree were measured when they were sorted; other items are measured once.
   */
  async function bytesOf(name: string): Promise<number> {
    return leftoversOf(name)?.bytes ?? bytesBelow(join(layout.trash, name))
  }

  function leftoversOf(name: string) {
    const { taskId } = whatIs(name, state)
    const { leftovers = [] } = (taskId && state.tasks.get(taskId)) || {}
    return leftovers.find((one) => one.name === sortedName(name))
  }

  function shown(
    { name, kind, taskId, bytes, sinceMs, untilMs }: Trashed,
    reasons: ReadonlyMap<TaskId, RemovalReason>,
  ): TrashEntry {
    const task = taskId ? state.tasks.get(taskId) : undefined
    const left = leftoversOf(name)
    const tasks =
      kind === 'trashed-workspace' && taskId ? descendantsOf(state, taskId).length + 1 : null
    return {
      name,
      kind,
      taskId,
      title: task?.title ?? name,
      projectDir: task?.projectDir ?? null,
      count: left?.files ?? tasks,
      bytes,
      reason: reasonOf(kind, (taskId && reasons.get(taskId)) ?? null),
      since: new Date(sinceMs).toISOString(),
      until: untilMs === null ? null : new Date(untilMs).toISOString(),
      notRestorable: whyNotRestorable(name),
      recreatable: left?.recreatable ?? [],
    }
  }

  async function folderOf(name: string | null): Promise<string> {
    if (name === null) return layout.trash
    const names = await namesInTrash(layout.trash)
    const found = [name, sortedName(name)].find((one) => names.includes(one))
    if (found === undefined) return invalid('name', `${name} is not in the trash any more.`)
    const path = join(layout.trash, found)
    // Never the file itself, because opening a file could run it.
    return (await lstat(path)).isDirectory() ? path : layout.trash
  }

  function whyNotRestorable(name: string): string | null {
    const { kind, taskId } = whatIs(name, state)
    const task = taskId ? state.tasks.get(taskId) : undefined
    if (kind === 'trashed-transcript')
      return task?.trashed ? 'Its workspace is in the trash too: restore that first.' : null
    if (kind === 'trashed-workspace') return null
    if (kind !== 'trashed-worktree' || !task)
      return 'Shiplog does not know where it belongs. Open its folder to copy it.'
    if (task.parentId !== null)
      return 'The worktree of this sub-agent is gone. Open its folder to copy what you need.'
    return task.archived
      ? 'Restore the workspace from the archive: these files come back with it.'
      : null
  }

  async function restore(name: string): Promise<string | null> {
    const { kind, taskId } = whatIs(name, state)
    const why = whyNotRestorable(name)
    if (why !== null) return why
    if (taskId === null) return 'It is not in the trash any more.'
    try {
      if (kind === 'trashed-transcript') return await expiry.restoreTranscript(taskId)
      if (kind === 'trashed-workspace') await workspaces.untrash(taskId)
      else await workspaces.restoreLeftovers(taskId)
      return null
    } catch (error) {
      return messageOf(error)
    }
  }

  function itemOf({ name, kind, taskId, reason, bytes, sinceMs }: PlannedPurge): RemovedItem {
    const isOfTask = kind === 'trashed-transcript' || kind === 'trashed-workspace'
    return {
      id: isOfTask && taskId ? taskId : name,
      kind,
      reason,
      bytes,
      title: (taskId && state.tasks.get(taskId)?.title) || name,
      lastActiveAt: new Date(sinceMs).toISOString(),
    }
  }

  /** Records the deletion first, because a half-deleted item must never be restored as a whole one. */
  async function deleteForGood(planned: PlannedPurge, receiptId: ReceiptId): Promise<boolean> {
    const { name, kind, taskId } = planned
    try {
      if (taskId && (kind === 'trashed-transcript' || kind === 'trashed-workspace')) {
        if (!(await recordGone(name, kind, taskId, receiptId))) return false
        await removeDurable(join(layout.trash, name))
        return true
      }
      // Waits while it is being sorted or restored.
      if (taskId) await workspaces.leftovers(taskId)
      const doomed = join(layout.trash, beingDeletedName(randomUUID()))
      const take = async () => {
        const path = join(layout.trash, sortedName(name))
        if (!(await exists(path))) return false
        await renameDurable(path, doomed)
        return true
      }
      const taken = taskId ? await workspaces.exclusively(taskId, take) : await take()
      if (taken) await removeDurable(doomed)
      return taken
    } catch (error) {
      deps.onProblem(`${name} could not be deleted from the trash`, error)
      return false
    }
  }

  /** Records the deletion. Resolves with false if the item was restored meanwhile. */
  const recordGone = (
    name: string,
    kind: 'trashed-transcript' | 'trashed-workspace',
    taskId: TaskId,
    receiptId: ReceiptId,
  ): Promise<boolean> =>
    expiry.exclusively(taskId, async () => {
      if (whatIs(name, state).kind !== kind) return false
      await ledger.record(
        kind === 'trashed-transcript'
          ? { type: 'transcript.purged', taskId, receiptId }
          : { type: 'workspace.purged', workspaceId: taskId, receiptId },
      )
      return true
    })

  return {
    async list(settings, reasons) {
      const all = await listTrashed(settings)
      return all
        .toSorted((a, b) => b.sinceMs - a.sinceMs || (a.name < b.name ? -1 : 1))
        .map((one) => shown(one, reasons))
    },
    folderOf,
    async plan(settings, { remember, dateIsRight }) {
      const nowMs = clock()
      const planned = planPurge(await listTrashed(settings), settings, nowMs)
      if (dateIsRight) return planned
      return confirmedByTime(layout.trashDue, planned, nowMs, { remember })
    },
    async chosen(names, settings) {
      const wanted = new Set(names)
      return (await listTrashed(settings)).flatMap(({ untilMs, ...one }) =>
        wanted.has(one.name) && untilMs !== null ? [{ ...one, reason: 'person' as const }] : [],
      )
    },
    itemOf,
    deleteForGood,
    restore,
  }
}

/** Workspaces are only deleted by the user. */
const reasonOf = (kind: Trashed['kind'], expired: RemovalReason | null): RemovalReason | null =>
  ({
    'trashed-transcript': expired,
    'trashed-workspace': 'person' as const,
    'trashed-worktree': null,
    'trashed-file': null,
  })[kind]
