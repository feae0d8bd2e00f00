/**
 * Work that only Git's own folder of a worktree names: commits of an unfinished merge, cherry-pick, rebase or bisect that
 * no reference of the repository has (they had been fetched, for example), the patches of an unfinished `git am`,
 * references of the worktree alone, and content that was staged and is no longer in the worktree. The saved patch holds
 * none of it, and the folder is deleted with the worktree.
 */
import { access, constants, lstat, readdir } from 'node:fs/promises'
import path from 'node:path'
import type { TaskId } from '../../../shared/records/ids.ts'
import { submoduleMode } from '../changes/tree-changes.ts'
import { GitError } from '../command/errors.ts'
import { line, notIntoSubmodules, type RunGit, withVariables } from '../command/run-git.ts'
import { resolveCommit } from '../repository/commits.ts'
import { readIfPossible } from '../repository/read-git-file.ts'
import { withQuarantine } from '../snapshots/quarantine.ts'
import { withScratchDir } from '../snapshots/scratch-dir.ts'
import { commitTree } from '../snapshots/snapshot.ts'
import { inStore, quoted, reading, storesAt } from '../store/store.ts'
import { commandForUpdate } from '../update/contents.ts'

/** The state of a task's worktree that was saved. */
export interface SavedWork {
  taskId: TaskId
  /** Null: HEAD had no commit. */
  headCommit: string | null
  /** Null: nothing could be saved, because the worktree's own folder was gone, for example. */
  finalCommit: string | null
}

export interface KeptUnfinished {
  /** Its parents are the commits; `git/` has the files of the operation, `staged/` the staged contents. */
  commit: string
  /** The first words of a Git command that can read it. */
  command: string
}

interface Folder {
  repoDir: string
  commonDir: string
  adminDir: string
}

/** Files and folders of an operation that has not ended. Not FETCH_HEAD, ORIG_HEAD or `logs`: they outlive one. */
const ofOperations = [
  'MERGE_HEAD',
  'MERGE_MSG',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'REBASE_HEAD',
  'BISECT_LOG',
  'sequencer',
  'rebase-merge',
  'rebase-apply',
  'refs',
]

/** A message of Git's, or a prepared one, is no operation by itself. */
const saysNothing = new Set(['MERGE_MSG'])

/** Larger ones are patches, which name no commit. */
const searchedBytesMax = 1024 * 1024
/** An agent may have written any number of files, and of names, into the folder. */
const filesMax = 2000
const candidatesMax = 20_000
const commitsMax = 5000
const tipsMax = 20

/** The HEAD of the removed worktree would count as well. */
const notInRepository = ['--not', '--single-worktree', '--all']

const unfinishedRef = (taskId: TaskId): string => `refs/shiplog/unfinished/${taskId}`

/**
 * Keeps it under a reference of its own, before the folder is deleted. Resolves with null if there is nothing but staged
 * contents, which are kept without a word. May be repeated. Throws GitError.
 */
export async function keepUnfinished(
  git: RunGit,
  folder: Folder,
  saved: SavedWork,
): Promise<KeptUnfinished | null> {
  const { repoDir } = folder
  const files = await filesOf(folder.adminDir, saved)
  const commits = await commitsOf(git, folder, { files, saved })
  const staged = await stagedOnly(git, folder, saved)
  const isOperation =
    commits.length > 0 ||
    files.includes('rebase-apply/applying') ||
    (saved.finalCommit === null && staged.length > 0)
  if (!isOperation && staged.length === 0) return null
  const commit = await keep(git, folder, {
    files: isOperation ? files : [],
    commits,
    staged,
    saved,
  })
  return isOperation ? { commit, command: await commandForUpdate(git, repoDir, commit) } : null
}

/** Returns the files of unfinished operations, relative to the folder, with `/`. */
async function filesOf(adminDir: string, { finalCommit }: SavedWork): Promise<string[]> {
  const found: string[] = []
  // A detached HEAD may be all that names commits that were not saved.
  await visit(finalCommit === null ? ['HEAD', ...ofOperations] : ofOperations)
  return found.every((name) => saysNothing.has(name)) ? [] : found

  async function visit(names: string[]): Promise<void> {
    for (const name of names) {
      if (found.length >= filesMax) return
      const file = path.join(adminDir, name)
      const entry = await lstat(file).catch(() => null)
      if (entry?.isDirectory())
        await visit((await readdir(file)).sort().map((one) => `${name}/${one}`))
      else if (entry?.isFile() && !/[\n\ufffd]/.test(name) && (await isReadable(file)))
        found.push(name)
    }
  }
}

/** Returns the commits that the files name and that neither the saved work nor the repository keeps, with those between. */
async function commitsOf(
  git: RunGit,
  { repoDir, adminDir }: Folder,
  { files, saved }: { files: string[]; saved: SavedWork },
): Promise<{ id: string; parents: string[] }[]> {
  const named = new Set<string>()
  for (const name of files) {
    const text = readIfPossible(path.join(adminDir, name)) ?? ''
    if (text.length > searchedBytesMax) continue
    // A list of steps may abbreviate them.
    for (const [id] of text.matchAll(/\b[0-9a-f]{7,64}\b/g))
      if (named.size < candidatesMax) named.add(id)
  }
  if (named.size === 0) return []
  const all = reading(git, repoDir)
  const input = [...named].map((id) => `${id}\n`).join('')
  const checked = await all(['cat-file', '--batch-check'], { cwd: repoDir, input })
  const tips = line(checked)
    .split('\n')
    .flatMap((answer) => /^([0-9a-f]+) commit \d+$/.exec(answer)?.[1] ?? [])
  if (tips.length === 0) return []
  const saves = [saved.finalCommit, saved.headCommit].filter((id) => id !== null)
  const args = ['rev-list', '--parents', `--max-count=${commitsMax}`, '--stdin', ...notInRepository]
  const reachedFrom = (some: string[]) => {
    const revisions = [...some, ...saves.map((id) => `^${id}`)]
    const input = revisions.map((one) => `${one}\n`).join('')
    return orNull(all(args, { cwd: repoDir, input }))
  }
  const found = new Map<string, string[]>()
  const together = await reachedFrom(tips)
  // If Git can't read what one of them descends from, the others are kept.
  const lists = together ? [together] : tips.slice(0, tipsMax).map((id) => reachedFrom([id]))
  for (const listed of await Promise.all(lists)) {
    if (listed === null) continue
    for (const text of line(listed).split('\n').filter(Boolean)) {
      const [id = '', ...parents] = text.split(' ')
      found.set(id, parents)
    }
  }
  return [...found].map(([id, parents]) => ({ id, parents }))
}

interface Staged {
  mode: string
  id: string
  /** In Latin-1, because a name need not be UTF-8. */
  path: string
}

/** Returns the staged contents that are neither in HEAD nor in the saved files. */
async function stagedOnly(
  git: RunGit,
  { repoDir, commonDir, adminDir }: Folder,
  { headCommit, finalCommit }: SavedWork,
): Promise<Staged[]> {
  // The worktree itself is in the trash already.
  const own = withVariables(reading(git, repoDir), {
    GIT_DIR: adminDir,
    GIT_COMMON_DIR: commonDir,
    GIT_WORK_TREE: adminDir,
  })
  const changedFrom = async (commit: string) => {
    const args = ['diff-index', '--cached', '--raw', '--no-renames', '--full-index', '-z']
    const listed = await own([...args, ...notIntoSubmodules, commit, '--'], { cwd: repoDir })
    return stagedIn(listed.stdout.toString('latin1'))
  }
  // No index, or one that Git can't read any more.
  const notInFiles = (await orNull(changedFrom(finalCommit ?? 'HEAD'))) ?? []
  if (notInFiles.length === 0) return []
  const notInHead = headCommit === null ? notInFiles : await changedFrom(headCommit)
  const names = new Set(notInHead.map((one) => one.path))
  const only = notInFiles.filter((one) => names.has(one.path))
  const input = only.map(({ id }) => `${id}\n`).join('')
  const checked = await own(['cat-file', '--batch-check'], { cwd: repoDir, input })
  // An index may name objects that do not exist.
  const answers = line(checked).split('\n')
  return only.filter((_, at) => answers[at]?.includes(' blob '))
}

/** Reads `:<old mode> <mode> <old id> <id> <status>`, NUL, the path, NUL. Deleted and unmerged entries have no content. */
function stagedIn(raw: string): Staged[] {
  const parts = raw.split('\0')
  const found: Staged[] = []
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, mode = '', , id = ''] = (parts[at] ?? '').split(' ')
    const name = parts[at + 1] ?? ''
    if (!/^0+$/.test(id) && mode !== submoduleMode) found.push({ mode, id, path: name })
  }
  return found
}

async function keep(
  git: RunGit,
  { repoDir, adminDir }: Folder,
  what: {
    files: string[]
    commits: { id: string; parents: string[] }[]
    staged: Staged[]
    saved: SavedWork
  },
): Promise<string> {
  const { files, commits, staged, saved } = what
  const ref = unfinishedRef(saved.taskId)
  // A removal that is repeated after a crash may find less.
  const earlier = await keptAt(git, repoDir, ref)
  const below = new Set(commits.flatMap(({ parents }) => parents))
  const tips = commits.flatMap(({ id }) => (below.has(id) ? [] : [id]))
  return withScratchDir(git, (scratchDir) =>
    withQuarantine(git, repoDir, async (quarantine) => {
      const run = quarantine.git
      const inIndex = { cwd: repoDir, env: { GIT_INDEX_FILE: path.join(scratchDir, 'unfinished') } }
      const paths = files.map((name) => `${quoted(path.join(adminDir, name))}\n`).join('')
      const hash = ['hash-object', '-w', '--no-filters', '--stdin-paths']
      const blobs =
        files.length === 0 ? [] : line(await run(hash, { cwd: repoDir, input: paths })).split('\n')
      const entries = (nameOf: (one: Staged, at: number) => string) =>
        Buffer.from(
          [
            ...files.map(
              (name, at) => `100644 ${blobs[at]}\tgit/${Buffer.from(name).toString('latin1')}\0`,
            ),
            ...staged.map((one, at) => `${one.mode} ${one.id}\tstaged/${nameOf(one, at)}\0`),
          ].join(''),
          'latin1',
        )
      const add = (input: Buffer) =>
        run(['update-index', '-z', '--index-info'], { ...inIndex, input })
      // An agent may have written names into the index that Git refuses.
      if ((await orNull(add(entries((one) => one.path)))) === null)
        await add(entries((_, at) => `${at}`))
      const tree = line(await run(['write-tree'], inIndex))
      const parents = [...tips, ...(earlier === null ? [] : [earlier])]
      const message = 'What only the Git folder of a removed worktree named'
      const commit = await commitTree(run, repoDir, { tree, parents, message })
      const kept = saved.finalCommit === null ? [] : [saved.finalCommit]
      const args = [
        'rev-list',
        '--objects',
        '--no-object-names',
        commit,
        ...notInRepository,
        ...kept,
      ]
      const listed = await run(args, { cwd: repoDir })
      const reached = line(listed).split('\n')
      const ids = [commit, tree, ...reached, ...staged.map(({ id }) => id), ...blobs]
      await quarantine.keep({ ref, commit, ids: [...new Set(ids.filter(Boolean))] })
      return commit
    }),
  )
}

const isReadable = (file: string): Promise<boolean> =>
  access(file, constants.R_OK).then(
    () => true,
    () => false,
  )

/** Null if Git refuses. A removal must not fail each time because an agent wrote something odd into Git's folder. */
function orNull<T>(call: Promise<T>): Promise<T | null> {
  return call.catch((error) => {
    // On a full disk the same call succeeds later.
    if (!(error instanceof GitError) || error.code !== null) throw error
    return null
  })
}

async function keptAt(git: RunGit, repoDir: string, ref: string): Promise<string | null> {
  for (const store of storesAt(git, repoDir)) {
    const found = await resolveCommit(inStore(git, store), store, ref)
    if (found !== null) return found
  }
  return resolveCommit(git, repoDir, ref)
}
