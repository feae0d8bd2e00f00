/**
 * Stores the files of every turn (H) in one bare repository per project, separate from the user's. FORMAT.md
 * specifies what is kept, and for how long.
 */
import { existsSync } from 'node:fs'
import { createKeyedMutex } from '../../shared/async/keyed-mutex.ts'
import type { LedgerState } from '../../shared/projections/ledger/ledger-state.ts'
import { everyProject, projectOf } from '../../shared/projections/ledger/project-use.ts'
import { type ProjectId, parseTaskId, type TaskId } from '../../shared/records/ids.ts'
import type { DiffContent, Git, TreeFile, TreeName, TurnSnapshot, TurnState } from '../git/index.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { DataLayout } from '../sessions/session-files.ts'
import { storeDirOf } from './places.ts'

export interface TurnStore {
  /** Returns the store of one project, which is created with its first state. */
  open(projectId: ProjectId): ProjectTurns
  /**
   * Returns Git's files in a store that are missing or not files, without which it is unusable.
   * Absolute paths.
   */
  damagedFiles(): { projectId: ProjectId; path: string }[]
  /**
   * Deletes, in the background, the states of deleted transcripts: those recorded in the ledger so far, and later
   * ones as they are recorded. Only `settled` waits for it.
   */
  begin(): void
  settled(): Promise<void>
  /** Finishes the current work; the next start continues. */
  close(): Promise<void>
}

/** Every method may reject with GitError. */
export interface ProjectTurns {
  /**
   * Stores the current state of the working tree that contains `dir`. When this resolves, the tree
   * is durable and can be read for as long as the task's transcript (J6); if nothing changed since
   * `last`, nothing is written. `since` is a tree or commit: the content of each file that differs
   * from it is copied into the store, independent of the repository (H3). `base` is the base commit
   * of a worktree, so that later commits are kept as well; null for a folder of the user's. Throws
   * HomeDirectoryError, or the signal's reason.
   */
  snapshot(input: {
    taskId: TaskId
    dir: string
    last: TurnState | null
    since: string | null
    base: string | null
    signal?: AbortSignal
  }): Promise<TurnSnapshot>
  /** Returns the newest state of a task; null if there is none. */
  last(taskId: TaskId): Promise<TurnState | null>
  /** Returns every file of a tree. Does not need the user's repository. */
  readTree(tree: string): Promise<TreeFile[]>
  /**
   * Reads a file, truncated at `bytesMax`. Null if there is no such file, or an unchanged file's
   * content is no longer in the user's repository.
   */
  readFile(file: {
    tree: string
    path: string
    bytesMax: number
  }): Promise<{ bytes: Buffer; truncated: boolean } | null>
  /**
   * Reads one file in many trees: in each tree, the first of `paths` that exists. `found` has one item per tree:
   * undefined if the store lacks the tree, null if the tree has no such file. `texts` maps blob ids to contents, and
   * omits contents that are lost or over 1 MB.
   */
  contents(file: { trees: readonly string[]; paths: readonly string[] }): Promise<{
    found: ({ path: string; id: string } | null | undefined)[]
    texts: Map<string, string>
  }>
  /** Returns the entries of a folder of a tree (an empty `path` is the root); null if there is no such folder. */
  readFolder(folder: { tree: string; path: string }): Promise<TreeName[] | null>
  /** Returns the diff from one tree to another, for display; with `patch: false` only the files and their counts. */
  diff(trees: { from: string; to: string; patch?: boolean }): Promise<DiffContent>
  /**
   * Returns a commit with the files of a state, for a worktree to start from, on top of the commit
   * that was checked out then. Null if the state is no longer kept.
   */
  commitOf(state: { tree: string; head: string }): Promise<string | null>
  /** Returns those of the trees that the store does not hold. */
  missing(trees: readonly string[]): Promise<string[]>
  /**
   * Deletes the states of tasks whose transcripts were deleted, and runs Git's garbage collection. The
   * final states of the tasks stay, unless `all` is set.
   */
  drop(taskIds: readonly TaskId[], options?: { all?: boolean }): Promise<void>
}

export function createTurnStore(deps: {
  ledger: Ledger
  git: Pick<Git, 'stores'>
  layout: DataLayout
  onProblem: (text: string, error: unknown) => void
}): TurnStore {
  const { ledger, layout, onProblem } = deps
  const { stores } = deps.git
  const { state } = ledger
  const serially = createKeyedMutex()
  let isClosed = false
  let unsubscribe = () => {}

  function open(projectId: ProjectId): ProjectTurns {
    const store = storeDirOf(layout, projectId)
    const place = () => ({ store, repoDir: projectOf(state, projectId)?.dir ?? '' })
    return {
      snapshot: ({ taskId, base, ...input }) =>
        stores.take({
          ...input,
          ref: `sessions/${taskId}`,
          commits: { base, ref: `commits/${taskId}` },
        }),
      last: (taskId) => stores.last(store, `sessions/${taskId}`),
      readFolder: (folder) => stores.listFolder(place(), folder),
      readTree: (tree) => stores.list(place(), tree),
      readFile: (file) => stores.read(place(), file),
      async contents({ trees, paths }) {
        const lost = new Set(await stores.missing(store, trees))
        const there = trees.filter((tree) => !lost.has(tree))
        if (there.length === 0) return { found: trees.map(() => undefined), texts: new Map() }
        const { found, texts } = await stores.contents(place(), { trees: there, paths })
        const byTree = new Map(there.map((tree, at) => [tree, found[at] ?? null]))
        return { found: trees.map((tree) => byTree.get(tree)), texts }
      },
      diff: (trees) => stores.diff(place(), trees),
      commitOf: (state) =>
        existsSync(store) ? stores.commitOf(place(), state) : Promise.resolve(null),
      missing: (trees) => stores.missing(store, trees),
      drop: (taskIds, { all = false } = {}) =>
        serially(store, () => dropFrom(store, (name) => isOf(name, new Set(taskIds), all))),
    }
  }

  async function dropFrom(store: string, isGone: (name: string) => boolean): Promise<void> {
    const names = await stores.references(store)
    const gone = names.filter(isGone)
    if (gone.length === 0) return
    await stores.dropReferences(store, gone)
    await stores.collect(store)
  }

  /** Deletes the remaining states of tasks that the ledger records as deleted. */
  async function settle(projectId: ProjectId): Promise<void> {
    if (isClosed) return
    const store = storeDirOf(layout, projectId)
    await serially(store, () => dropFrom(store, (name) => isUnused(state, name)))
  }

  function settleLater(projectId: ProjectId): void {
    void settle(projectId).catch((error) =>
      onProblem(
        'Files of transcripts that are gone could not be deleted from the turn store',
        error,
      ),
    )
  }

  return {
    open,
    damagedFiles: () =>
      everyProject(state).flatMap(({ id: projectId }) => {
        const store = storeDirOf(layout, projectId)
        const path = existsSync(store) ? stores.damagedFile(store) : null
        return path === null ? [] : [{ projectId, path }]
      }),
    begin() {
      for (const { id } of everyProject(state)) settleLater(id)
      unsubscribe = ledger.subscribe((records) => {
        const ids = records.flatMap(({ event }) =>
          event.type === 'transcript.purged'
            ? [event.taskId]
            : event.type === 'workspace.purged'
              ? [event.workspaceId]
              : [],
        )
        const projects = new Set(ids.flatMap((id) => state.tasks.get(id)?.projectId ?? []))
        for (const id of projects) settleLater(id)
      })
    },
    settled: () => serially.settled(),
    async close() {
      isClosed = true
      unsubscribe()
      await serially.settled()
    },
  }
}

/** `name` is that of a reference without `refs/`. */
function isOf(name: string, taskIds: ReadonlySet<TaskId>, all: boolean): boolean {
  const { kind, taskId } = parseReference(name)
  return taskId !== null && taskIds.has(taskId) && (all || kind === 'session')
}

/**
 * Reports whether a reference can be deleted. A session's states are deleted with its transcript;
 * its final state stays as long as its patch, which belongs to its root. References of a task that
 * is not in the ledger are kept, because a truncated ledger must not cost files.
 */
function isUnused(state: LedgerState, name: string): boolean {
  const { kind, taskId } = parseReference(name)
  const task = taskId && state.tasks.get(taskId)
  if (!task) return false
  if (state.tasks.get(task.rootId)?.purged) return true
  return kind === 'session' && Boolean(task.transcriptExpired?.purgedAt)
}

function parseReference(name: string): { kind: 'session' | 'final' | null; taskId: TaskId | null } {
  const [, place = '', id = ''] =
    /^(sessions|commits|shiplog(?:\/unfinished)?)\/([^/]+)$/.exec(name) ?? []
  const kind = place.startsWith('shiplog') ? 'final' : place ? 'session' : null
  return { kind, taskId: kind && parseTaskId(id) }
}
