/**
 * Records the working directory as a run leaves it, turn by turn: found from Git and not only from the edit
 * tools, so that what a command did counts as well (S2). The last state stays in the repository under the
 * task's hidden ref, from which the directory can be made again (S4).
 */
import { type Entry, type EntryBody, snapshotPathsMax } from '../../shared/entries.ts'
import type { RunId } from '../../shared/ids.ts'
import type { Task } from '../../shared/tasks.ts'
import type { Git, TreeDifference } from '../git/index.ts'
import type { Session } from '../sessions/session.ts'
import { lastSnapshot, mayChangeFiles } from './session-history.ts'

export interface RunSnapshots {
  /** Before the first tool of the run that may change files: what it found. */
  beforeTool(name: string): Promise<void>
  /** After a turn is durable. Only after one with such a tool something is looked at. */
  afterTurn(turn: number): Promise<void>
  /** Contents by their ids or as `<tree>:./<path>`; those that Git lacks, or that are not for comparing, are left out. */
  readTexts(names: readonly string[]): Promise<Map<string, Buffer>>
  /** Before the run's end is recorded, whatever its end. */
  atEnd(status: 'completed' | 'interrupted' | 'failed'): Promise<void>
}

/** Quitting waits for it, and so does the next turn; only a very large tree takes longer than a second. */
const snapshotMsMax = 10_000

/** Longer files are not compared. */
const textBytesMax = 1_000_000

/**
 * Null outside Git. A state that can't be taken is told once a run and fails nothing; a record that can't be
 * written rejects, as every other entry does (J7).
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
  /** Resolves with what else is to be recorded of a turn that changed these files. */
  onChanged: (differences: readonly TreeDifference[]) => Promise<EntryBody[]>
  onProblem: (text: string, error: unknown) => void
}): RunSnapshots | null {
  const { git, session, task, runId, workingDir } = deps
  if (!task.workspace?.baseCommit) return null
  /** What the run began with, or left at its last snapshot; null until it is known. */
  let known: State | null = null
  /** What the task's hidden ref names since this run. */
  let kept: Awaited<ReturnType<Git['keepSnapshot']>> | null = null
  let beginning: Promise<void> | null = null
  let mayHaveChanged = false
  /** Failed ones, counted apart. */
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
    // Together: after a crash between them nobody would know any more whose the changes were.
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

  /** Texts that can't be read cost only their attribution, so their failures do not stop the snapshots. */
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
      // Tools may be called side by side: none begins before it is known what was there.
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
      // A sub-agent's completed work is saved as a patch right after, and never resumed (T4).
      if (status === 'completed' && task.parentId !== null && !mayHaveChanged) return
      if (beginning === null) await begin()
      else await changesSinceKnown(null)
    },
  }
}

type State = { tree: string; head: string | null; branch: string | null }

/** Each may have taken `snapshotMsMax`; a tree that is too large stays so. */
const problemsMax = 3

const couldNotBe = {
  states: (title: string) => `What "${title}" changed could not be found from Git`,
  texts: (title: string) => `Who wrote what in the files of "${title}" could not be read from Git`,
}

const isSame = (a: State, b: State): boolean =>
  a.tree === b.tree && a.head === b.head && a.branch === b.branch
