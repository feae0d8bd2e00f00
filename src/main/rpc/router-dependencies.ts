/** The services that implement the contract, and the functions that the host provides. */

import type {
  AgentCheck,
  InstalledAgentState,
  OwnAgentInput,
} from '../../shared/agents/agent-checks.ts'
import type { PermissionQuestions } from '../../shared/agents/permissions.ts'
import type {
  ModelDefaults,
  ModelTest,
  ProviderEntry,
  ProviderState,
} from '../../shared/agents/provider-settings.ts'
import type { ConfigurationToAllow } from '../../shared/contract/agents.ts'
import type { AppInfo } from '../../shared/contract/app.ts'
import type { ProjectId, TaskId } from '../../shared/records/ids.ts'
import type { Transcripts } from '../archive/transcripts.ts'
import type { TurnFiles } from '../archive/turn-files.ts'
import type { Checks } from '../checks/checks.ts'
import type { Doctor } from '../doctor/doctor.ts'
import type { ExportService } from '../export/export-service.ts'
import type { ReportedCommits } from '../imports/reported-commits.ts'
import type { SessionImports } from '../imports/session-imports.ts'
import type { WatchedImport } from '../imports/watch/watched-import.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Log } from '../log/log.ts'
import type { OpenedLogs } from '../opened-logs/opened-logs.ts'
import type { PublishService } from '../publish/publish-service.ts'
import type { Retention } from '../retention/retention.ts'
import type { FileAuthorsReader } from '../review/file-authors.ts'
import type { TreeChangesReader } from '../review/tree-changes.ts'
import type { SearchService } from '../search/search-service.ts'
import type { TranscriptFinder } from '../search/transcript/transcript-finder.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { AgentHistory } from '../tasks/agent-history/agent-history.ts'
import type { Demo } from '../tasks/demo.ts'
import type { LimitSettingsStore } from '../tasks/limits/settings.ts'
import type { TaskService } from '../tasks/task-service.ts'
import type { WorkspaceService } from '../workspaces/workspace-service.ts'

/** The calls about models and their providers. */
interface ModelCalls {
  providers: {
    list(): ProviderState[]
    save(entry: ProviderEntry, key: string | null | undefined): Promise<void>
    remove(name: string): Promise<void>
    defaults(): ModelDefaults
    setDefaults(change: Partial<ModelDefaults>): Promise<void>
  }
  list(provider: string): Promise<string[]>
  isPriced(name: string): Promise<boolean | null>
  test(input: {
    model: string
    baseUrl?: string | undefined
    keyEnv?: string | undefined
  }): Promise<ModelTest>
}

/** The calls about installed agents. */
interface AgentCalls {
  list(): Promise<InstalledAgentState[]>
  check(id: string, options: { prompts: boolean }): Promise<AgentCheck>
  allowFetch(id: string, version: string): Promise<AgentCheck>
  signIn(id: string): Promise<{ opened: boolean; command: string[] | null }>
  authenticate(id: string, method: string): Promise<AgentCheck>
  configuration: {
    find(id: string, projectId: ProjectId): Promise<ConfigurationToAllow>
    allow(id: string, projectId: ProjectId, sha256s: readonly string[]): Promise<void>
  }
  saveOwn(agent: OwnAgentInput): Promise<void>
  removeOwn(name: string): Promise<void>
}

export interface RouterDependencies {
  agentHistory: Pick<AgentHistory, 'makePlanningFolder' | 'planning'>
  ledger: Ledger
  sessions: Sessions
  tasks: TaskService
  transcripts: Transcripts
  turnFiles: TurnFiles
  checks: Pick<Checks, 'list'>
  fileAuthors: FileAuthorsReader
  treeChanges: TreeChangesReader
  publish: PublishService
  workspaces: WorkspaceService
  demo: Demo
  permissions: PermissionQuestions
  limitSettings: Pick<LimitSettingsStore, 'current' | 'save'>
  agents: AgentCalls
  models: ModelCalls
  retention: Retention
  search: Pick<SearchService, 'find' | 'state' | 'tools' | 'tasksUsing'>
  finder: Pick<TranscriptFinder, 'find' | 'filter'>
  exports: ExportService
  imports: SessionImports & ReportedCommits & { watched: WatchedImport }
  opened: OpenedLogs
  doctor: Pick<Doctor, 'check'>
  info: () => AppInfo
  log: Pick<Log, 'warning' | 'error'>
  pickFolder: () => Promise<string | null>
  /** Returns false if the host has no windows. */
  openWindow: (place: { taskId: TaskId; seq?: number | undefined }) => boolean
  openFolder: (path: string, opener: 'editor' | 'file-manager') => Promise<void>
}
