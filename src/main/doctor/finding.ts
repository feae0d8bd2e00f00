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
  /** The root of the tree that it concerns: it is not examined while that is running. */
  rootId?: TaskId | undefined
  /** Present when something can be done about it without loss. Rejects when it could not be done. */
  repair?: (() => Promise<void>) | undefined
}

export type Findings = AsyncGenerator<Finding>

export interface Case {
  ledger: Ledger
  git: Git
  turnStore: Pick<TurnStore, 'open' | 'damagedFiles'>
  layout: DataLayout
  sessions: Sessions
  workspaces: WorkspaceService
  /** Later files are being made, and are no strays. Milliseconds since the epoch. */
  startedAtMs: number
  /** Nothing runs yet: whatever the clock shows, files that this process is not writing were left by another one. */
  nothingRuns: boolean
  /** The ledger can be read to its last record: only then does its silence about something mean anything. */
  ledgerIsWhole: boolean
  /** Runs whose report is durable according to the ledger. */
  reported: Map<TaskId, Set<number>>
  /** Trees that entries name, by the task whose transcript holds them. */
  trees: Map<TaskId, Set<string>>
  looked(): void
  note(note: { kind: DoctorNote['kind']; path: string; detail: string }): void
  /** Moves it to the trash, under the path that it had. */
  toTrash(path: string): Promise<void>
}
