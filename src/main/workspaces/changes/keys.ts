/** Keys of the `KeyedMutex` that orders changes. */
import type { TaskId } from '../../../shared/ids.ts'

/** Changing and removing a folder exclude each other (`KeyedMutex`). */
export const folderKey = (path: string): string => `folder ${path}`

/** Who writes into a session directory that is not its own waits while it is moved elsewhere, and the other way round. */
export const sessionKey = (taskId: TaskId): string => `session ${taskId}`
