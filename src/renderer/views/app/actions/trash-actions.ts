import type { TaskId } from '../../../../shared/records/ids.ts'
import { counted } from '../../../components/primitives/format.ts'
import { toast } from '../../../components/primitives/index.ts'
import type { Stores } from '../../../store/stores.ts'
import { attempt, readShownMs, showOutcome } from '../toasts.ts'

export interface TrashActions {
  /** Moves an archived root to the trash; the toast offers to undo it. */
  trash(taskId: TaskId, title: string): Promise<void>
  /** Moves archived roots to the trash, one after the other; one toast offers to undo all. */
  trashAll(taskIds: TaskId[], onProgress: (text: string) => void): Promise<void>
  /** Restores items of the trash, one after the other; `onProgress` gets "Restored 3 of 12…". */
  restoreTrashed(names: string[], onProgress: (text: string) => void): Promise<void>
  /** Deletes items of the trash permanently. */
  deleteTrashed(names: string[], onProgress: (text: string) => void): Promise<void>
  /** Opens an item in the file manager; null: the whole trash. */
  openTrash(name: string | null): Promise<void>
}

export function createTrashActions({
  appInfo,
  client,
  navigation,
}: Pick<Stores, 'appInfo' | 'client' | 'navigation'>): TrashActions {
  return {
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
      // The shown transcript may be one of the deleted ones.
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
      showOutcome(`Restored ${counted(sum.done, 'item')}.`, 'restored', sum.left)
    },
    async deleteTrashed(names, onProgress) {
      onProgress(`Deleting ${counted(names.length, 'item')}…`)
      const answer = await attempt('delete it from the trash', () =>
        client.retention.deleteTrashed({ names }),
      )
      if (!answer) return
      const said = `Permanently deleted ${counted(answer.deleted.length, 'item')}.`
      showOutcome(said, 'deleted', answer.left)
    },
    async openTrash(name) {
      await attempt('open the folder', () => client.retention.openTrash({ name }))
    },
  }
}
