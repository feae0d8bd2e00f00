/** The handlers of retention: sweeps, the trash and receipts. */
import type { Calls } from '../calls.ts'
import type { RouterDependencies } from '../router-dependencies.ts'

export const retentionHandlers = (
  { os, taskId }: Calls,
  { retention, openFolder }: RouterDependencies,
) => ({
  settings: os.retention.settings.handler(() => retention.settings()),
  setSettings: os.retention.setSettings.handler(({ input }) => retention.setSettings(input)),
  preview: os.retention.preview.handler(({ input }) => retention.preview(input.settings)),
  sweep: os.retention.sweep.handler(({ input }) => retention.sweep(input)),
  trash: os.retention.trash.handler(() => retention.trash()),
  openTrash: os.retention.openTrash.handler(async ({ input }) => {
    await openFolder(await retention.trashFolderOf(input.name), 'file-manager')
    return {}
  }),
  restoreTrashed: os.retention.restoreTrashed.handler(({ input }) =>
    retention.restoreTrashed(input.names),
  ),
  deleteTrashed: os.retention.deleteTrashed.handler(({ input }) =>
    retention.deleteTrashed(input.names),
  ),
  deleteTranscripts: os.retention.deleteTranscripts.handler(({ input }) =>
    retention.deleteTranscripts(input.taskIds.map((id) => taskId(id))),
  ),
  receipts: os.retention.receipts.handler(() => retention.receipts()),
  receipt: os.retention.receipt.handler(({ input }) => retention.receipt(input.receiptId)),
  undo: os.retention.undo.handler(({ input }) =>
    retention.undo(input.receiptId, input.taskId ? taskId(input.taskId) : undefined),
  ),
  pin: os.retention.pin.handler(async ({ input }) => {
    await retention.pin(taskId(input.taskId), input.pinned)
    return {}
  }),
})
