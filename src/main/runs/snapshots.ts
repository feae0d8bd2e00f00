/**
 * Records the state of the working directory after each turn. Changes are found with Git, so that those made by
 * commands are included (S2). The task's hidden ref keeps the last state, from which the directory can be
 * restored (S4).
 */
import { type Entry, type EntryBody, snapshotPathsMax } from '../../shared/entries.ts'
import type { RunId } from '../../shared/ids.ts'
import type { Task } from '../../shared/tasks.ts'
import type { Git, TreeDifference } from '../git/index.ts'
import type { Session } from '../sessions/session.ts'
import { lastSnapshot, mayChangeFiles } from './session-history.ts'

export interface RunSnapshots {
  /** Records the initial state before the first tool of the run that may change files. */
  beforeTool(name: string): Promise<void>
  /** Called when a turn is durable. Records the state if the turn called a tool that may change files. */
  afterTurn(turn: number): Promise<void>
  /** Contents by object id or `<tree>:./<path>`. Those that are missing or too long are left out. */
  readTexts(names: readonly string[]): Promise<Map<string, Buffer>>
  /** Records the last state. Called before the end of the run is recorded, whatever its status. */
  atEnd(status: 'completed' | 'interrupted' | 'failed'): Promise<void>
}

/** Quitting and the next turn wait for a snapshot. Only a very large tree takes longer than a second. */
const snapshotMsMax = 10_000

/** Longer files are not read for attribution. */
const textBytesMax = 1_000_000

/**
 * Null outside Git. A snapshot that fails is reported once a run and does not fail the run; an entry that can't be
 * written rejects, as for every other entry (J7).
 */
export function createRunSnapshots(deps: {
  git: Git
  session: Session
  task: Task
  runId: RunId
  /** Every entry of the earlier runs. */
  history: readonly Entry[]
  /** Absolute. */
  workingDir: string
  /** Resolves with further entries for a turn that changed these files. */
  onChanged: (differences: readonly TreeDifference[]) => Promise<EntryBody[]>
  onProblem: (text: string, error: unknown) => void
}): RunSnapshots | null {
  const { git, session, task, runId, workingDir } = deps
  if (!task.workspace?.baseCommit) return null
  /** The state at the start of the run or at its last snapshot; null before that. */
  let known: State | null = null
  /** The last snapshot that this run made the task's hidden ref name. */
  let kept: Awaited<ReturnType<Git['keepSnapshot']>> | null = null
  let beginning: Promise<void> | null = null
  let mayHaveChanged = false
  /** Number of failures of each kind. */
  const problems = { states: 0, texts: 0 }

  async function begin(): Promise<void> {
    const found = await look()
    if (!found) return
    const before = lastSnapshot(deps.history)
    if (!before || !isSame(before, found)) await record(found, null, [])
    known = found
  }

  async function changesSinceKnown(turn: number | null): Promise<void> {
    const found = await look()
    if (!found || (!mayHaveChanged && known && isSame(known, found))) return
    const changed = mayHaveChanged && known ? await changesBetween(known.tree, found.tree) : []
    if (changed === null) return
    await record(found, turn, changed)
    known = found
    mayHaveChanged = false
  }

  async function record(
    state: State,
    turn: number | null,
    differences: readonly TreeDifference[],
  ): Promise<void> {
    const changed = differences
      .flatMap(({ path, oldPath }) => (oldPath === null ? [path] : [oldPath, path]))
      .sort()
    const entry: EntryBody = {
      type: 'workspace-snapshot',
      runId,
      turn,
      ...state,
      changed: changed.slice(0, snapshotPathsMax),
      changedMore: Math.max(0, changed.length - snapshotPathsMax),
    }
    // Appended together: after a crash between them the changes could not be attributed to this turn.
    await session.append(entry, ...(await deps.onChanged(differences)))
  }

  const look = () =>
    attempt('states', async (signal): Promise<State> => {
      kept = await git.keepSnapshot(workingDir, { taskId: task.id, last: kept, signal })
      const { tree, head } = kept
      const branch = await git.currentBranch(workingDir, { signal })
      return { tree, head, branch }
    })

  const changesBetween = (from: string, to: string) =>
    attempt('states', (signal) => git.treeDifferences({ dir: workingDir, from, to, signal }))

  /** Limits each kind separately: texts that can't be read only lack attribution, and snapshots go on. */
  async function attempt<T>(
    what: keyof typeof problems,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | null> {
    if (problems[what] >= problemsMax) return null
    try {
      return await work(AbortSignal.timeout(snapshotMsMax))
    } catch (error) {
      problems[what]++
      if (problems[what] === 1) {
        const why = error instanceof Error ? error.message : String(error)
        deps.onProblem(`${couldNotBe[what](task.title)}: ${why}`, error)
      }
      return null
    }
  }

  return {
    async beforeTool(name) {
      if (!mayChangeFiles(name)) return
      // Tools may run concurrently: each waits until the initial state is recorded.
      beginning ??= begin()
      await beginning
      mayHaveChanged = true
    },
    async afterTurn(turn) {
      if (mayHaveChanged) await changesSinceKnown(turn)
    },
    async readTexts(names) {
      const texts = await attempt('texts', (signal) =>
        git.readTexts({ dir: workingDir, names, bytesMax: textBytesMax, signal }),
      )
      return texts ?? new Map()
    },
    async atEnd(status) {
      // The work of a completed sub-agent is saved as a patch next, and is never resumed (T4).
      if (status === 'completed' && task.parentId !== null && !mayHaveChanged) return
      if (beginning === null) await begin()
      else await changesSinceKnown(null)
    },
  }
}

type State = { tree: string; head: string | null; branch: string | null }

/** Each failure may have taken `snapshotMsMax`, and a tree that is too large stays too large. */
const problemsMax = 3

const couldNotBe = {
  states: (title: string) => `What "${title}" changed could not be found from Git`,
  texts: (title: string) => `Who wrote what in the files of "${title}" could not be read from Git`,
}

const isSame = (a: State, b: State): boolean =>
  a.tree === b.tree && a.head === b.head && a.branch === b.branch
