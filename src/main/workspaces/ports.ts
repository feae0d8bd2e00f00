/** What WorkspaceService needs of those above it. The composition root provides it. */
import type { TaskId } from '../../shared/ids.ts'

export interface RunStopper {
  /** Stops what runs in the workspace and resolves once its end is recorded. Nothing running is fine. */
  stopForRemoval(taskId: TaskId): Promise<void>
}
