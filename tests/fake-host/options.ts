/** What a suite gives the fake host. */

import type { AgentCheck, InstalledAgentState } from '../../src/shared/agents/agent-checks.ts'
import type { PendingPermission, PermissionSettings } from '../../src/shared/agents/permissions.ts'
import type { ModelTest, ProviderEntry } from '../../src/shared/agents/provider-settings.ts'
import type { ApplyOutcome, UndoOutcome } from '../../src/shared/agents/tools.ts'
import type { AppInfo } from '../../src/shared/contract/app.ts'
import type { TargetComparison } from '../../src/shared/contract/changes/changes.ts'
import type { TaskChecks } from '../../src/shared/contract/changes/checks.ts'
import type { PublishState } from '../../src/shared/contract/changes/publish.ts'
import type { FileAuthors } from '../../src/shared/contract/changes/review.ts'
import type { Continuation } from '../../src/shared/contract/continuation.ts'
import type { Examination } from '../../src/shared/contract/doctor.ts'
import type { ExportResult, RedactionHit } from '../../src/shared/contract/exports.ts'
import type {
  FoundImportSession,
  ImportDetails,
  ImportedSession,
  ImportProgress,
  ImportSourceFound,
  ImportWatchState,
  ReportedCommit,
  SkippedSession,
} from '../../src/shared/contract/imports.ts'
import type { OpenedLog } from '../../src/shared/contract/opened.ts'
import type { ProjectSetup } from '../../src/shared/contract/projects.ts'
import type {
  ClockAhead,
  ReceiptSummary,
  RemovedItem,
  RetentionSettings,
  TrashEntry,
} from '../../src/shared/contract/retention.ts'
import type { SearchIndexState } from '../../src/shared/contract/search.ts'
import type { StatedFiles, TurnFile } from '../../src/shared/contract/transcripts/turn-files.ts'
import type { Damage, WorkspaceDiff } from '../../src/shared/contract/workspace.ts'
import type { LedgerState } from '../../src/shared/projections/ledger/ledger-state.ts'
import type { DriftReport } from '../../src/shared/records/drift.ts'
import type { Entry } from '../../src/shared/records/entries.ts'
import type { PartialMessage } from '../../src/shared/records/entry-types/messages.ts'
import type { TaskId } from '../../src/shared/records/ids.ts'
import type { LedgerEvent, LedgerRecord } from '../../src/shared/records/ledger.ts'
import type { Project } from '../../src/shared/records/projects/projects.ts'
import type { SandboxSupport } from '../../src/shared/records/projects/sandbox.ts'
import type { Activity } from '../../src/shared/records/tasks/activity.ts'

export interface FakeHostOptions {
  dataDir?: string
  /** Where the clock stands still, in milliseconds since the epoch; else each record is a second after the last. */
  nowMs?: number
  info?: Partial<AppInfo>
  /** Absent: bubblewrap. */
  sandbox?: SandboxSupport
  /** Presets that are not named are not installed. */
  agents?: InstalledAgentState[]
  /** Absent: it is ready. */
  agentChecks?: Record<string, AgentCheck>
  /** What a project's folder configures for an agent, by its id; nothing unless given. */
  agentConfiguration?: Record<string, string>
  /** What happened before. */
  records?: LedgerRecord[]
  sessions?: Record<
    TaskId,
    { entries: Entry[]; partial?: PartialMessage | null; damage?: Damage[] }
  >
  /** The Markdown of its report, by task. */
  reports?: Record<TaskId, string>
  /** What an agent checked; nothing unless given. */
  checks?: Record<TaskId, TaskChecks>
  /** Absent: it is ready. */
  searchIndex?: SearchIndexState
  /** Finding in a transcript goes on forever once it has searched this many entries; absent: it ends. */
  findStopsAfter?: number
  /** What an export masks, unless it is kept. */
  exportHits?: RedactionHit[]
  /** What a scan of other tools' logs finds; nothing unless given. */
  importSources?: ImportSourceFound[]
  /** By tool and folder, such as `codex /home/ada/code`. */
  importSessions?: Record<string, FoundImportSession[]>
  /** What an import of sessions reports, until it is stopped. */
  importEvents?: (
    | ({ type: 'progress' } & ImportProgress)
    | { type: 'session'; session: ImportedSession }
    | { type: 'skipped'; skipped: SkippedSession }
  )[]
  /** Absent: it is off. */
  importWatch?: Partial<ImportWatchState>
  /** A scan never ends. */
  importScanGoesOn?: boolean
  /** An import fails with this after its events, at the first try. */
  importFails?: string
  /** An import ends only when it is stopped. */
  importGoesOn?: boolean
  /** The log that can be opened; absent: none can. Calls on it are answered by this host itself. */
  openedLog?: OpenedLog
  /** Where imported tasks came from. */
  importDetails?: Record<TaskId, ImportDetails>
  /** Commits that other tools ascribe to imported tasks. */
  reportedCommits?: Record<TaskId, ReportedCommit[]>
  /** Where imported tasks can be continued; nowhere unless given. */
  continuations?: Record<TaskId, Continuation>
  /** What is otherwise counted from the entries. */
  exportResult?: Partial<ExportResult>
  /** Images of transcripts, by their SHA-256; `data` is base64. */
  images?: Record<string, { mediaType: string; data: string }>
  activity?: Record<TaskId, Activity | null>
  /** What a project asks for; nothing unless given. */
  setup?: (project: Project) => Omit<ProjectSetup, 'trusted'> | null
  /** What every workspace and project has; nothing unless given. */
  files?: string[]
  /** The files of a task after some of its entries, the oldest first; none were recorded unless given. */
  turnStates?: Record<TaskId, FakeTurnState[]>
  /** What each workspace changed; nothing unless given. */
  diff?: (taskId: TaskId) => WorkspaceDiff
  /** How they stand in the target; unless given, nothing is applied. */
  comparison?: (taskId: TaskId) => TargetComparison
  /** What of a root can be committed and pushed; unless given, it can only be committed. */
  publish?: PublishState
  /** Who wrote the changes of a file; nothing is known unless given. Anchors: those of `movedLines`, by their lines. */
  authors?: (
    taskId: TaskId,
    path: string,
  ) => Omit<FileAuthors, 'anchors'> & {
    movedLines?: Record<number, FileAuthors['anchors'][number]>
  }
  /** What applying and taking back answer; unless given, they go well, with the files of the diff. */
  apply?: ApplyOutcome
  undo?: UndoOutcome
  /** What has changed since a task stopped; nothing unless given. */
  drift?: Record<TaskId, DriftReport>
  /** Why a sub-agent can't be taken out of the archive; nothing is in the way unless given. */
  unrestorable?: Map<TaskId, string>
  permissions?: FakePermissionOptions
  models?: FakeModelOptions
  retention?: Omit<FakeRetentionOptions, 'state' | 'record'>
  examination?: Examination
  /** Entries of a page of a transcript and of a session's snapshot: few, so that a short transcript has several pages. */
  pageEntriesMax?: number
  /** Awaited before what has changed is told: a host that is slow, or can't tell. */
  beforePlan?: () => Promise<void>
  /** Awaited before a call such as 'search.find' is answered: a host that is slow, or can't answer. */
  before?: (path: string) => Promise<void> | undefined
  /** What happens once an agent was started, or goes on; nothing runs by itself. */
  onStart?: (taskId: TaskId) => Promise<void>
  onGoOn?: (taskId: TaskId) => Promise<void>
}

/** The files after the entry `seq`, by path. */
export interface FakeTurnState {
  seq: number
  turn?: number | null
  notStored?: StatedFiles['notStored']
  /** A text, or what else the host answers for it. */
  files: Record<string, string | { content: TurnFile['content']; bytes: number | null }>
}

export interface FakeModelOptions {
  entries?: ProviderEntry[]
  /** The environment of Shiplog's own process. */
  env?: Record<string, string>
  defaultModel?: string
  /** By provider; one that is not here can't be reached. */
  lists?: Record<string, string[]>
  test?: ModelTest
}

interface FakePermissionOptions {
  questions?: PendingPermission[]
  everywhere?: PermissionSettings
  project?: PermissionSettings
}

export interface FakeRetentionOptions {
  state: LedgerState
  record: (...events: LedgerEvent[]) => void
  settings?: RetentionSettings
  /** What a sweep removes, as long as it is not removed. */
  plan?: (settings: RetentionSettings) => RemovedItem[]
  kept?: number
  /** Receipts of earlier sweeps; what of them is in the trash, `inTrash` says. */
  receipts?: ReceiptSummary[]
  unreadable?: string[]
  nowMs?: number
  /** In the trash, beside what `state` says is there. */
  trash?: TrashEntry[]
  /** The clock is weeks past the newest record: sweeps are refused until the user confirms it. */
  clockAhead?: () => ClockAhead | null
}
