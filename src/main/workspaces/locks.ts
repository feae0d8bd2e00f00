/**
 * The locks of the workspace service, in lock order: the holder of one acquires only those below it, since two
 * holders that acquired them in opposite order would deadlock. Each part of the service receives only the locks that
 * it may acquire.
 *
 * 1. `workspace`: any change of a whole workspace. A root's before those of its descendants.
 * 2. `folder`: changing the files in a folder, or removing it.
 * 3. `session`: moving a session directory, or writing into one other than the writer's.
 * 4. `leftovers`: sorting or restoring a worktree's files in the trash.
 */

import { createKeyedMutex } from '../../shared/async/keyed-mutex.ts'
import type { TaskId } from '../../shared/records/ids.ts'

export interface WorkspaceLocks {
  workspace<T>(id: TaskId, work: () => Promise<T>): Promise<T>
  folder<T>(path: string, work: () => Promise<T>): Promise<T>
  session<T>(id: TaskId, work: () => Promise<T>): Promise<T>
  /** `name` is the name of the worktree in the trash. */
  leftovers<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Resolves when no lock is held. */
  settled(): Promise<void>
}

export function createWorkspaceLocks(): WorkspaceLocks {
  const serially = createKeyedMutex()
  return {
    workspace: (id, work) => serially(`workspace ${id}`, work),
    folder: (path, work) => serially(`folder ${path}`, work),
    session: (id, work) => serially(`session ${id}`, work),
    leftovers: (name, work) => serially(`leftovers ${name}`, work),
    settled: () => serially.settled(),
  }
}
