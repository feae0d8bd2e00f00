/**
 * The paths inside the data directory and a session. Only this file spells these names, except
 * those that the journal creates (`blobs`, `lease.json`) and those of artifacts, which their
 * writers define.
 */
import { isAbsolute, join, relative, sep } from 'node:path'
import type { ProjectId, TaskId } from '../../shared/records/ids.ts'
import { indexFileOf } from '../journal/index.ts'

export const chatFile = 'chat.jsonl'
/**
 * The offset index of a long transcript; disposable. The journal writes it (../journal/FORMAT.md,
 * "Offsets").
 */
export const chatIndexFile = indexFileOf(chatFile)
/** A checkpoint of the fold of a long transcript; disposable (FORMAT.md, "The checkpoint"). */
export const checkpointFile = 'chat.state.json'
export const partialFile = 'partial.json'
/** The output so far of running calls (FORMAT.md, "`running.json`"). */
export const runningFile = 'running.json'
/** Contents of files before agents changed them, each named by its hash. */
export const fileHistoryFolder = 'file-history'
/** The parts of a transcript, moved together when a session is archived. */
export const transcriptParts = [
  chatFile,
  partialFile,
  'blobs',
  fileHistoryFolder,
  chatIndexFile,
  checkpointFile,
] as const

export interface DataLayout {
  dataDir: string
  lease: string
  /** Locked by the process that holds the lease; never opened by any other code. */
  leaseLock: string
  ledger: string
  /** The port of the web host, and hashes of its pages' tokens. */
  webHost: string
  /** Settings of this data directory, for all hosts. */
  settings: string
  /** What agents may do without asking: `permissions.json`. */
  permissions: string
  /** The default limits of new trees: `limits.json`. */
  limits: string
  /** Whether other tools' sessions are kept as they grow: `imports.json`. */
  imports: string
  /** Providers of models, without their keys: `providers.json`. */
  providers: string
  /** The keys of providers: `keys.json`. */
  keys: string
  /** The user's own agent commands, permissions to fetch agents, and the newest checks: `installed-agents.json`. */
  installedAgents: string
  sessions: string
  archive: string
  /** A data directory for each log that is open without being imported. */
  openedLogs: string
  /** The receipts of sweeps: what each removed and why. */
  receipts: string
  trash: string
  /** When items in the trash were first seen, for those that the ledger does not list. */
  trashSeen: string
  /** Since when items in the trash are due to be deleted permanently. */
  trashDue: string
  worktrees: string
  /** A bare repository of Shiplog's own for each project, with the files of every turn. */
  turnStore: string
  projects: string
  /** A folder for each running command of an agent. */
  running: string
  /** Temporary folders of Git operations. */
  scratch: string
  /** The index of full-text search; disposable. */
  searchIndex: string
  /** Shiplog's own log files; never read. */
  logs: string
  demo: string
  sessionDir(id: TaskId): string
  archiveDir(rootId: TaskId): string
  /** Files of a project that can't be written into its own folder. */
  projectDir(id: ProjectId): string
}

/**
 * Returns a path as the ledger stores it: relative if it is inside the data directory, so that it
 * moves along with it.
 */
export function storedPath({ dataDir }: DataLayout, path: string): string {
  const below = relative(dataDir, path)
  const inside = below !== '' && !below.startsWith('..') && !isAbsolute(below)
  return inside ? below.split(sep).join('/') : path
}

/** Returns the paths of a data directory. Creates nothing. */
export function layoutOf(dataDir: string): DataLayout {
  const sessions = join(dataDir, 'sessions')
  const archive = join(dataDir, 'archive')
  const projects = join(dataDir, 'projects')
  return {
    dataDir,
    lease: join(dataDir, 'lease.json'),
    leaseLock: join(dataDir, 'lease.lock'),
    ledger: join(dataDir, 'ledger.jsonl'),
    webHost: join(dataDir, 'web-host.json'),
    settings: join(dataDir, 'settings.json'),
    permissions: join(dataDir, 'permissions.json'),
    limits: join(dataDir, 'limits.json'),
    imports: join(dataDir, 'imports.json'),
    providers: join(dataDir, 'providers.json'),
    keys: join(dataDir, 'keys.json'),
    installedAgents: join(dataDir, 'installed-agents.json'),
    sessions,
    archive,
    openedLogs: join(dataDir, 'opened'),
    receipts: join(dataDir, 'receipts'),
    trash: join(dataDir, 'trash'),
    trashSeen: join(dataDir, 'trash-seen.json'),
    trashDue: join(dataDir, 'trash-due.json'),
    worktrees: join(dataDir, 'worktrees'),
    turnStore: join(dataDir, 'turn-store'),
    projects,
    running: join(dataDir, 'running'),
    scratch: join(dataDir, 'scratch'),
    searchIndex: join(dataDir, 'search.db'),
    logs: join(dataDir, 'logs'),
    demo: join(dataDir, 'demo'),
    sessionDir: (id) => join(sessions, id),
    archiveDir: (rootId) => join(archive, rootId),
    projectDir: (id) => join(projects, id),
  }
}
