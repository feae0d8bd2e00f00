/** What calls wait for each other by (`KeyedMutex`). */
import type { TaskId } from '../../../shared/ids.ts'

/** Who changes or removes a folder waits for whoever else does (`KeyedMutex`). */
export const folderKey = (path: string): string => `folder ${path}`

/** Who writes into a session directory that is not its own waits while it is moved elsewhere, and the other way round. */
export const sessionKey = (taskId: TaskId): string => `session ${taskId}`
