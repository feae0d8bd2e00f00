/**
 * The locks of the workspace service, in the order in which they are taken: whoever holds one asks only for those
 * below it, since two that took them the other way round would wait for each other for ever. Each part of the
 * service is given only the locks that it may take.
 *
 * 1. `workspace`: what is done to one, as a whole. A root's before those of what is below it.
 * 2. `folder`: changing the files in a folder, or taking it away.
 * 3. `session`: moving a session directory, or writing into one that is not the writer's own.
 * 4. `leftovers`: sorting what the trash holds of a worktree, or bringing it back.
 */
import type { TaskId } from '../../shared/ids.ts'
import { createKeyedMutex } from '../../shared/keyed-mutex.ts'

export interface WorkspaceLocks {
  workspace<T>(id: TaskId, work: () => Promise<T>): Promise<T>
  folder<T>(path: string, work: () => Promise<T>): Promise<T>
  session<T>(id: TaskId, work: () => Promise<T>): Promise<T>
  /** `name`: theirs in the trash. */
  leftovers<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Resolves when none is held. */
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
