/** The interfaces that WorkspaceService requires of higher layers. The composition root provides them. */
import type { TaskId } from '../../shared/records/ids.ts'

export interface RunStopper {
  /** Stops what runs in the workspace and resolves once its end is recorded. Nothing running is fine. */
  stopForRemoval(taskId: TaskId): Promise<void>
}
