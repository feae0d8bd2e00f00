/** One update of files that is being written, settled or undone. */
import type { FileUpdate } from '../../../shared/records/projects/file-updates.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Git, UpdateManifest } from '../../git/index.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { DataLayout } from '../../sessions/session-files.ts'
import type { KeepPatchStatus } from '../changes/patch-status.ts'
import type { Direction } from './swap-files.ts'

/** The inputs of one update's swap. */
export interface ActiveUpdate {
  task: Task
  update: Pick<FileUpdate, 'id' | 'reason' | 'undoes' | 'partial' | 'root' | 'commit' | 'files'>
  manifest: UpdateManifest
}

export interface FileUpdateDependencies {
  ledger: Ledger
  git: Git
  layout: DataLayout
  keepPatchStatus: KeepPatchStatus
  clock: () => number
  /** Called for a failure that has no consequences. */
  onIgnored?: (what: string, error: unknown) => void
}

export const directionOf = ({ reason }: Pick<FileUpdate, 'reason'>): Direction =>
  reason === 'undo' ? 'backward' : 'forward'
