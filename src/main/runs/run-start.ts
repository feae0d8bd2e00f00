/** Computes the state that a run continues from earlier runs, and writes its first entries. */
import { isAbsolute, join, relative } from 'node:path'
import type { AgentSessionCost, AgentSessionRef } from '../../shared/agents/agent-records.ts'
import type { SessionHistory } from '../../shared/agents/driver/agent-place.ts'
import type { ShellState } from '../../shared/agents/driver/tool-result.ts'
import type { KnownTree, SessionState } from '../../shared/projections/session/session-state.ts'
import type { EntryBody } from '../../shared/records/entries.ts'
import type { RunId } from '../../shared/records/ids.ts'
import { definitionEntryOf } from './by-definition.ts'
import { isEmptyPrompt } from './first-prompt.ts'
import { continuedBy, firstOf, historyOf, type PastSession } from './past.ts'
import { messageTo } from './run-limits.ts'
import type { RunOptions } from './run-options.ts'

/** The history that the run continues, read before the run, which changes the session's state. */
export interface RunStart {
  history: SessionHistory
  /** The highest turn number, including interrupted turns. The next turn continues from it. */
  turns: number
  titled: boolean
  wasAsked: boolean
  inWorktree: boolean
  withheld: string[]
  reported: boolean
  shell: ShellState
  /** The reference to the agent's own record of the conversation, from the last run that has one. */
  agentSession: AgentSessionRef | null
  agentSessionCost: AgentSessionCost
  /** The last tree that the task's own runs recorded; null if there is none. */
  lastTree: KnownTree | null
  /** Like `lastTree`, else the last tree of the tasks that this one continues. */
  treeBefore: string | null
}

export function startOf(options: RunOptions, own: PastSession): RunStart {
  const past = [...options.lineage, own]
  const { state } = own
  return {
    history: historyOf(continuedBy(options.task.spec, past)),
    turns: Math.max(...past.map((one) => one.state.lastTurn)),
    titled: state.titled,
    wasAsked: state.prompt !== null,
    inWorktree: state.worktree !== null,
    withheld: state.withheld ?? [],
    reported: state.reported,
    shell: shellAtStart(options, state),
    agentSession: state.agentSession,
    agentSessionCost: state.agentSessionCost,
    lastTree: state.tree,
    treeBefore: firstOf(past.toReversed(), (one) => one.state.tree)?.tree ?? null,
  }
}

/** Returns the directory and the exported variables that the task's last command left. */
function shellAtStart(options: RunOptions, { shell, prompt }: SessionState): ShellState {
  const { workingDir } = options
  const cwd = shell.cwd === null ? workingDir : movedAlong(shell.cwd, prompt?.cwd, workingDir)
  return { cwd, env: Object.fromEntries(shell.env) }
}

/**
 * Maps a directory below the old workspace path to the current path: the data directory may have been moved. `top`:
 * the `cwd` of the last prompt, which is the top of the workspace.
 */
function movedAlong(cwd: string, top: string | undefined, workingDir: string): string {
  if (top === undefined || top === workingDir) return cwd
  const below = relative(top, cwd)
  return below.startsWith('..') || isAbsolute(below) ? cwd : join(workingDir, below)
}

/** Records the start of the run, with its prompt. */
export async function openRun(options: RunOptions, runId: RunId, start: RunStart): Promise<void> {
  const { session, task, run, reason } = options
  const { workspace } = task
  const opening: EntryBody[] = []
  // Checked separately: an earlier run may have crashed after writing only some of these entries.
  if (!start.titled) opening.push({ type: 'title', title: task.title })
  // A null session records the removal of the workspace. After a restore, the worktree is entered again.
  if (workspace?.isolation === 'worktree' && !start.inWorktree) {
    const worktreeSession = {
      originalCwd: task.projectDir,
      worktreePath: workspace.path,
      worktreeBranch: workspace.branch ?? '',
    }
    opening.push({ type: 'worktree-state', worktreeSession, sessionId: task.id })
  }
  await session.append(
    ...opening,
    {
      type: 'run-start',
      runId,
      run,
      reason,
      agent: task.agent,
      model: task.model,
      ...(options.permissions.mode && { permissions: options.permissions.mode }),
      // A sandbox that is off is not recorded.
      ...(hasSandboxSet(options) && { sandbox: options.sandboxInForce }),
      ...definitionEntryOf(task),
      ...newlyWithheld(options, start),
    },
    ...options.opening,
    ...(isEmptyPrompt(options.prompt)
      ? []
      : [await messageTo({ ...options, cwd: options.workingDir }, runId, options.prompt)]),
  )
}

/** Returns the withheld names for a root whose list has changed, so that each tree records them once per change. */
function newlyWithheld({ task, withheld }: RunOptions, start: RunStart) {
  if (task.parentId !== null) return {}
  return withheld.join() === start.withheld.join() ? {} : { withheld }
}

const hasSandboxSet = ({ sandboxInForce }: RunOptions): boolean =>
  sandboxInForce !== undefined && sandboxInForce.setting !== 'off'
