/**
 * Determines who changed a file: another agent, by its record or its commits, else a commit's
 * author, else the user.
 */
import { realpath } from 'node:fs/promises'
import type { LedgerState } from '../../../shared/projections/ledger/ledger-state.ts'
import { type ChangeMaker, thePerson } from '../../../shared/records/drift.ts'
import { parseTaskId } from '../../../shared/records/ids.ts'
import { isRunning } from '../../../shared/records/tasks/task-status.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { ArchiveReader } from '../../archive/archive-reader.ts'
import type { CommitSummary, Git } from '../../git/index.ts'

/** A commit by Shiplog's own identity whose task is not known here. */
const someAgent: ChangeMaker = { kind: 'agent', taskId: null, name: 'an agent' }

interface Deps {
  state: LedgerState
  git: Git
  records: Pick<ArchiveReader, 'sessionState'>
}

/** Changes by other agents in one folder. */
export interface Neighbours {
  /** The agent that changed `path` last after `since` (milliseconds); null when no record contains one. */
  changed(path: string, since: number): ChangeMaker | null
  /** The agents whose turns moved HEAD there, with the commits before and after. */
  moves: { agent: Task; from: string; to: string }[]
}

/** Excludes tasks without reading their transcripts, because a project may have thousands. */
function mayShareFolder(task: Task, other: Task): boolean {
  if (other.id === task.id || other.projectId !== task.projectId) return false
  if (!other.workspace || other.runs.length === 0) return false
  const over = !isRunning(other.status) && other.endedAt !== null
  return !(over && task.startedAt !== null && (other.endedAt ?? '') < task.startedAt)
}

/** Collects the changes that other agents recorded in `task`'s folder. Ignores unreadable records. */
export async function neighboursIn(deps: Deps, task: Task, dir: string): Promise<Neighbours> {
  const place = await resolved(dir)
  const changes = new Map<string, { agent: Task; at: number }>()
  const moves: Neighbours['moves'] = []
  for (const other of deps.state.tasks.values()) {
    if (!mayShareFolder(task, other) || !other.workspace) continue
    if ((await resolved(other.workspace.path)) !== place) continue
    const past = await deps.records.sessionState(other.id).catch(() => null)
    for (const [path, { changedAt }] of past?.files ?? []) {
      if ((changes.get(path)?.at ?? 0) <= changedAt)
        changes.set(path, { agent: other, at: changedAt })
    }
    for (const move of past?.headMoves ?? []) {
      const from = move.from ?? other.spawnCommit
      if (from !== null && from !== move.to) moves.push({ agent: other, from, to: move.to })
    }
  }
  return {
    changed(path, since) {
      const change = changes.get(path)
      return change && change.at > since ? makerOf(change.agent) : null
    },
    moves,
  }
}

const makerOf = ({ id, title }: Task): ChangeMaker => ({ kind: 'agent', taskId: id, name: title })

/** Maps each path to the author of the last commit that changed it; null is the task itself. */
export async function committersOf(
  deps: Deps,
  task: Task,
  span: { dir: string; from: string; to: string; paths: string[]; neighbours: Neighbours },
): Promise<Map<string, ChangeMaker | null>> {
  const { dir, from, to, paths, neighbours } = span
  const commits = await deps.git.commitsBetween({ dir, from, to, paths })
  const madeBy = createMakers(deps, task, dir, neighbours)
  const makers = new Map<string, ChangeMaker | null>()
  const wanted = new Set(paths)
  for (const commit of commits) {
    for (const path of commit.paths) {
      if (wanted.has(path) && !makers.has(path)) makers.set(path, await madeBy(commit))
    }
  }
  return makers
}

/**
 * Returns a cached lookup of a commit's author. Agents commit under the user's name, so they are identified by their
 * branches and records.
 */
function createMakers({ state, git }: Deps, task: Task, dir: string, neighbours: Neighbours) {
  const known = new Map<string, ChangeMaker | null>()
  const lines = new Map<string, Promise<Set<string>>>()

  const lineOf = (from: string, to: string): Promise<Set<string>> => {
    const key = `${from}..${to}`
    const asked =
      lines.get(key) ?? git.firstParentCommits({ dir, from, to }).then((ids) => new Set(ids))
    lines.set(key, asked)
    return asked
  }

  async function agentOf(id: string): Promise<Task | null> {
    for (const { agent, from, to } of neighbours.moves) {
      if ((await lineOf(from, to)).has(id)) return agent
    }
    const { branches, keptFor } = await git.refsContaining({ dir, commit: id })
    const kept = new Set(keptFor.map(parseTaskId))
    const named = new Set(branches)
    for (const other of state.tasks.values()) {
      const { workspace } = other
      if (workspace?.isolation !== 'worktree' || !workspace.baseCommit) continue
      if (!kept.has(other.id) && !(workspace.branch && named.has(workspace.branch))) continue
      const tip = await git.tipOfTask({ dir, taskId: other.id, branch: workspace.branch })
      if (tip && (await lineOf(workspace.baseCommit, tip)).has(id)) return other
    }
    return null
  }

  return async ({ id, author, isShiplogs }: CommitSummary): Promise<ChangeMaker | null> => {
    const found = known.get(id)
    if (found !== undefined) return found
    const agent = await agentOf(id)
    const maker =
      agent?.id === task.id ? null : agent ? makerOf(agent) : committer(author, isShiplogs)
    known.set(id, maker)
    return maker
  }
}

function committer(author: string, isShiplogs: boolean): ChangeMaker {
  if (isShiplogs) return someAgent
  return author ? { ...thePerson, name: author } : thePerson
}

const resolved = (dir: string): Promise<string> => realpath(dir).catch(() => dir)
