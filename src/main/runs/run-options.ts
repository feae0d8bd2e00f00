import type { AgentHost, OpenAgent } from '../../shared/agents/driver/agent-session.ts'
import type { TaskToolsPort } from '../../shared/agents/driver/task-tools-port.ts'
import type { CommandSandbox, RunTool } from '../../shared/agents/driver/tool-context.ts'
import type { RunPermissions } from '../../shared/agents/permissions.ts'
import type { KnownTree } from '../../shared/projections/session/session-state.ts'
import type { EntryBody } from '../../shared/records/entries.ts'
import type { RunSandbox } from '../../shared/records/projects/sandbox.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import type { LearningMasker } from '../secrets/masker.ts'
import type { Session } from '../sessions/session.ts'
import type { FileChanges } from './changes/file-changes.ts'
import type { RunSnapshots } from './changes/snapshots.ts'
import type { Prompt } from './first-prompt.ts'
import type { PastSession } from './past.ts'
import type { RunLimits } from './run-limits.ts'

/** The inputs of one run of an agent. */
export interface RunOptions {
  task: Task
  /** From 1. */
  run: number
  reason: 'prompt' | 'resume' | 'retry'
  /** Empty: the agent continues with the earlier prompts. */
  prompt: Prompt
  /** The sessions of the tasks that this one continues, oldest first (S3). */
  lineage: PastSession[]
  /** Entries of a resume, written with the start of the run (S7). */
  opening: EntryBody[]
  session: Session
  openAgent: OpenAgent
  runTool: RunTool
  /** Ends the processes that the run left running, in any process group (G2). */
  endProcesses: () => Promise<void>
  permissions: RunPermissions
  taskTools: TaskToolsPort
  /** Its tree may read the record. */
  readsRecord?: boolean
  /** The working directory of its workspace. Absolute. */
  workingDir: string
  /** The environment of its shell before the first command. */
  environment: Record<string, string>
  /** Names of the variables that are withheld from agents (K2). */
  withheld: string[]
  /** The sandbox of its commands; absent: they run without one. */
  sandbox?: CommandSandbox
  /**
   * Recorded with the start of the run if the project has one set, even if the system supports
   * none. Absent: unknown.
   */
  sandboxInForce?: RunSandbox
  secrets: LearningMasker
  signal: AbortSignal
  /** Time between the stop of an agent and the forced end of its run. Absent: `stopGraceMs`. */
  graceMs?: number
  clock: () => number
  /**
   * `dir` is absolute; the working directory by default. Resolves with null if no branch is checked out, or outside
   * Git.
   */
  gitBranch: (dir?: string) => Promise<string | null>
  /**
   * Sets the worktree up unless that was done before. Resolves with null if there was no command to
   * run. `changed` lists set-up files that an agent changed; if there are any, the command was not
   * run.
   */
  setUpWorktree: () => Promise<{ command: string; changed: string[] } | null>
  /** Records the state of the working directory after each turn. Null outside Git. */
  snapshots: (
    lastTree: KnownTree | null,
    onChanged: FileChanges['byCommands'],
  ) => RunSnapshots | null
  /** Called with what the agent is doing now, in one line. */
  onActivity: (activity: string) => void
  /** Called with each sign that the agent, or one of its tools, is at work. */
  onProgress?: () => void
  /** Called when the agent starts, and at each sign of life until its first event. */
  onStarting?: (agent: string) => void
  /** See `AgentHost.waitToRetry`. */
  waitToRetry: AgentHost['waitToRetry']
  limits: RunLimits
}
