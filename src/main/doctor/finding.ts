/** Inputs and results of the examiners. */
import type { DoctorNote, ProblemKind } from '../../shared/contract/doctor.ts'
import type { TaskId } from '../../shared/records/ids.ts'
import type { Git } from '../git/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { TurnStore } from '../turn-store/turn-store.ts'
import type { WorkspaceService } from '../workspaces/workspace-service.ts'

export interface Finding {
  kind: ProblemKind
  /** Absolute. */
  path: string
  detail: string
  /** The root of the affected tree, which is not examined while it is running. */
  rootId?: TaskId | undefined
  /** Present if the problem can be repaired without loss. Rejects if the repair failed. */
  repair?: (() => Promise<void>) | undefined
}

export type Findings = AsyncGenerator<Finding>

/** What is examined, and the services that read and repair it. */
export interface Examined {
  ledger: Ledger
  git: Git
  turnStore: Pick<TurnStore, 'open' | 'damagedFiles'>
  layout: DataLayout
  sessions: Sessions
  workspaces: WorkspaceService
}

/** One examination. */
export interface Case extends Examined {
  /** Files created later are in use and no leftovers. Milliseconds since the epoch. */
  startedAtMs: number
  /**
   * True before any agent runs: any temporary file that this process is not writing is a leftover,
   * whatever its time.
   */
  nothingRuns: boolean
  /**
   * True if every record of the ledger was read; otherwise the absence of an event proves nothing.
   */
  ledgerIsWhole: boolean
  /** Runs whose report is durable according to the ledger. */
  reported: Map<TaskId, Set<number>>
  /** Trees that entries refer to, by the task of the transcript. */
  trees: Map<TaskId, Set<string>>
  /** Counts something that was examined. */
  looked(): void
  note(note: { kind: DoctorNote['kind']; path: string; detail: string }): void
  /** Moves a path to the trash, under its path in the data directory. */
  toTrash(path: string): Promise<void>
}
