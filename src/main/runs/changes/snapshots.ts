/**
 * Records the state of the working directory after each turn, and before and after each call that may change files
 * (H1). Changes are found with Git, so that those made by commands are included (S2). The turn store keeps the states,
 * from which the directory can be restored (S4).
 */
import type { CallKind } from '../../../shared/agents/agent-records.ts'
import { createKeyedMutex } from '../../../shared/async/keyed-mutex.ts'
import { messageOf } from '../../../shared/error-message.ts'
import type { KnownTree } from '../../../shared/projections/session/session-state.ts'
import type { EntryBody } from '../../../shared/records/entries.ts'
import { notStoredMax, snapshotPathsMax } from '../../../shared/records/entry-types/files.ts'
import type { ToolCallEntry } from '../../../shared/records/entry-types/tool-calls.ts'
import type { RunId } from '../../../shared/records/ids.ts'
import type { Task } from '../../../shared/records/tasks/tasks.ts'
import type { Git, TreeDifference, TurnSnapshot } from '../../git/index.ts'
import type { Session } from '../../sessions/session.ts'
import type { ProjectTurns } from '../../turn-store/turn-store.ts'
import { mayChangeFiles } from '../session-history.ts'

/** `by`: it runs on the agent's side, where `kind` classifies it; absent: it is one of Shiplog's tools. */
export type CalledTool = Pick<ToolCallEntry, 'name' | 'by' | 'kind'>

export interface RunSnapshots {
  /** Resolves with the tree before a tool that may change files; null for other tools, or if the snapshot failed. */
  beforeTool(call: CalledTool): Promise<string | null>
  /** Resolves with the tree after the tool, likewise. */
  afterTool(call: CalledTool): Promise<string | null>
  /** Called when a turn is durable. Records the state if the turn called a tool that may change files. */
  afterTurn(turn: number): Promise<void>
  /** Reads contents by object id or `<tree>:./<path>`. Omits missing and too long ones. */
  readTexts(names: readonly string[]): Promise<Map<string, Buffer>>
  /** Records the last state. Called before the end of the run is recorded, with any status. */
  atEnd(status: 'completed' | 'interrupted' | 'failed'): Promise<void>
}

/** Quitting and the next turn wait for a snapshot. Only a very large tree takes longer than a second. */
const snapshotMsMax = 10_000

/** Longer files are not read for attribution. */
const textBytesMax = 1_000_000

/**
 * Returns null outside Git. A failed snapshot is reported once per run and does not fail the run;
 * an entry that can't be written rejects, as every other entry does (J7).
 */
export function createRunSnapshots(deps: {
  git: Pick<Git, 'currentBranch' | 'treeDifferences' | 'readTexts'>
  turns: Pick<ProjectTurns, 'snapshot'>
  session: Session
  task: Task
  runId: RunId
  /** The last tree that earlier runs recorded; null if there is none. */
  lastTree: KnownTree | null
  /** Absolute. */
  workingDir: string
  /** Resolves with further entries for a turn that changed these files. */
  onChanged: (differences: readonly TreeDifference[]) => Promise<EntryBody[]>
  onProblem: (text: string, error: unknown) => void
}): RunSnapshots | null {
  const { git, turns, session, task, runId, workingDir } = deps
  if (!task.workspace?.baseCommit) return null
  const { baseCommit, isolation } = task.workspace
  const base = isolation === 'worktree' ? baseCommit : null
  /** The state at the start of the run or at its last snapshot; null before that. */
  let known: State | null = null
  /** The last snapshot of this run, recorded or not. */
  let last: TurnSnapshot | null = null
  let beginning: Promise<State | null> | null = null
  let mayHaveChanged = false
  /** The state after the last call; null once another call has begun. */
  let afterLastCall: State | null = null
  const serially = createKeyedMutex()
  /** Number of failures of each kind. */
  const problems = { states: 0, texts: 0 }

  async function begin(): Promise<State | null> {
    const found = await takeState(null)
    if (!found) return null
    const before = deps.lastTree
    if (!before || !isSame(before, found)) await record(found, null, [])
    known = found
    return found
  }

  async function noteChanges(found: State | null, turn: number | null): Promise<void> {
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
      tree: state.tree,
      head: state.head,
      branch: state.branch,
      changed: changed.slice(0, snapshotPathsMax),
      changedMore: Math.max(0, changed.length - snapshotPathsMax),
      ...(state.notStored.length > 0 ? { notStored: state.notStored.slice(0, notStoredMax) } : {}),
    }
    // Appended together: after a crash between them the changes could not be attributed to this turn.
    await session.append(entry, ...(await deps.onChanged(differences)))
  }

  // Sequential: each builds on the one before it.
  const takeState = (turn: number | null) => serially('', () => takeStateNow(turn))

  const takeStateNow = (turn: number | null) =>
    attempt('states', turn, async (signal): Promise<State> => {
      const since = last?.tree ?? deps.lastTree?.tree ?? baseCommit
      last = await turns.snapshot({ taskId: task.id, dir: workingDir, last, since, base, signal })
      const { tree, head, notStored } = last
      const branch = await git.currentBranch(workingDir, { signal })
      return { tree, head, branch, notStored }
    })

  const changesBetween = (from: string, to: string) =>
    attempt('states', null, (signal) => git.treeDifferences({ dir: workingDir, from, to, signal }))

  /** Limits each kind separately: unreadable texts only lose attribution, and snapshots continue. */
  async function attempt<T>(
    what: keyof typeof problems,
    turn: number | null,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | null> {
    if (problems[what] >= problemsMax) return null
    try {
      return await work(AbortSignal.timeout(snapshotMsMax))
    } catch (error) {
      problems[what]++
      const why = messageOf(error)
      // The last recorded failure adds that no more snapshots are taken.
      const reason = problems[what] < problemsMax ? why : `${why}. No more are taken in this run.`
      if (what === 'states') await session.append({ type: 'snapshot-failed', runId, turn, reason })
      if (problems[what] === 1) {
        deps.onProblem(`${failureTexts[what](task.title)}: ${why}`, error)
      }
      return null
    }
  }

  return {
    async beforeTool(call) {
      if (!mayChange(call)) return null
      // Tools may run concurrently: each waits until the initial state is recorded.
      const isFirst = beginning === null
      beginning ??= begin()
      const first = await beginning
      const found = isFirst ? first : await takeState(null)
      mayHaveChanged = true
      afterLastCall = null
      return found?.tree ?? null
    },
    async afterTool(call) {
      if (!mayChange(call)) return null
      afterLastCall = await takeState(null)
      return afterLastCall?.tree ?? null
    },
    async afterTurn(turn) {
      // The agent changed nothing since its last call; the next snapshot shows changes by others.
      if (mayHaveChanged) await noteChanges(afterLastCall ?? (await takeState(turn)), turn)
    },
    async readTexts(names) {
      const texts = await attempt('texts', null, (signal) =>
        git.readTexts({ dir: workingDir, names, bytesMax: textBytesMax, signal }),
      )
      return texts ?? new Map()
    },
    async atEnd(status) {
      // The work of a completed sub-agent is saved as a patch next, and is never resumed (T4).
      if (status === 'completed' && task.parentId !== null && !mayHaveChanged) return
      if (beginning === null) await begin()
      else await noteChanges(await takeState(null), null)
    },
  }
}

/** A call on the agent's side has begun when it is reported: the tree before it contains its changes until then. */
const mayChange = ({ name, by, kind }: CalledTool): boolean =>
  by === 'agent' ? !readOnlyKinds.has(kind ?? 'other') : by !== 'provider' && mayChangeFiles(name)

const readOnlyKinds: ReadonlySet<CallKind> = new Set([
  'read',
  'search',
  'think',
  'fetch',
  'switch-mode',
])

type State = Pick<TurnSnapshot, 'tree' | 'head' | 'notStored'> & { branch: string | null }

/** Each failure may have taken `snapshotMsMax`, and a tree that is too large stays too large. */
const problemsMax = 3

const failureTexts = {
  states: (title: string) => `The changes of "${title}" could not be determined from Git`,
  texts: (title: string) =>
    `The authors of the changes of "${title}" could not be determined from Git`,
}

type Compared = Omit<State, 'notStored'>

const isSame = (a: Compared, b: Compared): boolean =>
  a.tree === b.tree && a.head === b.head && a.branch === b.branch
