/** Records that a workspace was restored. */
import type { TaskId } from '../../../shared/records/ids.ts'
import type { Ledger } from '../../ledger/ledger.ts'

const unrecorded = new WeakMap<object, TaskId>()

/**
 * Throws the disk's error. The workspace is back in its place then, so its restore must not be recorded as failed: the
 * next start finds it begun, and records it.
 */
export async function recordRestored(
  ledger: Ledger,
  { id, branch }: { id: TaskId; branch: string | null },
): Promise<void> {
  try {
    await ledger.record({ type: 'workspace.restored', workspaceId: id, branch })
  } catch (error) {
    if (error instanceof Error) unrecorded.set(error, id)
    throw error
  }
}

/** Returns the workspace whose restore only could not be recorded; undefined for any other error. */
export const restoredUnrecorded = (error: unknown): TaskId | undefined =>
  error instanceof Error ? unrecorded.get(error) : undefined
