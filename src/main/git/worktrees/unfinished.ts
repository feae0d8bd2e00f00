/**
 * Work that only Git's own folder of a worktree names: commits of an unfinished merge, cherry-pick, rebase or bisect that
 * no reference of the repository has (they had been fetched, for example), the patches of an unfinished `git am`,
 * references of the worktree alone, and content that was staged or is in conflict and is not in the worktree's files. The
 * saved patch holds none of it, and the folder is deleted with the worktree.
 */
import { access, constants, lstat, readdir } from 'node:fs/promises'
import path from 'node:path'
import type { TaskId } from '../../../shared/records/ids.ts'
import { line, type RunGit } from '../command/run-git.ts'
import { resolveCommit } from '../repository/commits.ts'
import { readIfPossible } from '../repository/read-git-file.ts'
import { withQuarantine } from '../snapshots/quarantine.ts'
import { withScratchDir } from '../snapshots/scratch-dir.ts'
import { commitTree } from '../snapshots/snapshot.ts'
import { inStore, quoted, reading, storesAt } from '../store/store.ts'
import { commandForUpdate } from '../update/contents.ts'
import { inFolder, type OwnFolder, orNull, type SavedWork } from './own-folder.ts'
import { type Staged, stagedOnly } from './staged-only.ts'

export interface KeptUnfinished {
  /** Its parents are the commits; `git/` has the files of the operation, `staged/` the staged contents, `conflicts/` others. */
  commit: string
  /** The first words of a Git command that can read it. */
  command: string
  /** Whether there was more, or larger, than Git writes there: that was not kept. */
  isIncomplete: boolean
}

/** Files and folders of an operation that has not ended. Not FETCH_HEAD, ORIG_HEAD or `logs`: they outlive one. */
const ofOperations = [
  'MERGE_HEAD',
  'MERGE_MSG',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'REBASE_HEAD',
  'BISECT_LOG',
  'NOTES_MERGE_PARTIAL',
  'NOTES_MERGE_REF',
  'NOTES_MERGE_WORKTREE',
  'sequencer',
  'rebase-merge',
  'rebase-apply',
  'refs',
]

/** A message of Git's, or a prepared one, is no operation by itself. */
const saysNothing = new Set(['MERGE_MSG'])

/** Larger ones are patches, which name no commit. */
const searchedBytesMax = 1024 * 1024
/** They name no commits, or those of the branch that is rebased, and `git am` writes one for each mail. */
const patchFile = /^rebase-apply\/\d+$/
/** An agent may have written any number of files, and of names, into the folder. */
const filesMax = 20_000
const fileBytesMax = 1024 ** 3
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
  folder: OwnFolder,
  saved: SavedWork,
): Promise<KeptUnfinished | null> {
  const { repoDir } = folder
  const { files, isIncomplete } = await filesOf(folder.adminDir, saved)
  const named = await namedBy(git, folder, files)
  const commits = await commitsOf(git, folder, { named, saved })
  const staged = await stagedOnly(git, folder, { ...saved, named })
  const isOperation =
    commits.length > 0 ||
    files.includes('rebase-apply/applying') ||
    staged.some(({ side }) => side !== null) ||
    (saved.finalCommit === null && staged.length > 0)
  if (!isOperation && staged.length === 0) return null
  const commit = await keep(git, folder, {
    files: isOperation ? files : [],
    commits,
    staged,
    saved,
  })
  return isOperation
    ? { commit, command: await commandForUpdate(git, repoDir, commit), isIncomplete }
    : null
}

/** Returns the files of unfinished operations, relative to the folder, with `/`. */
async function filesOf(
  adminDir: string,
  { finalCommit, isHeadUnsaved = finalCommit === null }: SavedWork,
): Promise<{ files: string[]; isIncomplete: boolean }> {
  const files: string[] = []
  let isIncomplete = false
  // A detached HEAD may be all that names commits that were not saved.
  await visit(isHeadUnsaved ? ['HEAD', ...ofOperations] : ofOperations)
  const isNothing = files.every((name) => saysNothing.has(name))
  return { files: isNothing ? [] : files, isIncomplete }

  async function visit(names: string[]): Promise<void> {
    for (const name of names) {
      const file = path.join(adminDir, name)
      const entry = await lstat(file).catch(() => null)
      if (entry && (files.length >= filesMax || entry.size > fileBytesMax)) isIncomplete = true
      else if (entry?.isDirectory())
        await visit((await readdir(file)).sort().map((one) => `${name}/${one}`))
      else if (entry?.isFile() && !/[\n\ufffd]/.test(name) && (await isReadable(file)))
        files.push(name)
    }
  }
}

/** Returns the commits that exist of those that the worktree's own references and the files name. */
async function namedBy(git: RunGit, folder: OwnFolder, files: string[]): Promise<string[]> {
  const { repoDir, adminDir } = folder
  // Git knows them in every format and by every name.
  const own = ['refs/worktree/', 'refs/bisect/', 'refs/rewritten/']
  const args = ['for-each-ref', `--count=${candidatesMax}`, '--format=%(objectname) %(*objectname)']
  const references = await orNull(inFolder(git, folder)([...args, ...own], { cwd: repoDir }))
  const texts = [references ? line(references) : '']
  for (const name of files) {
    if (patchFile.test(name)) continue
    const text = readIfPossible(path.join(adminDir, name)) ?? ''
    if (text.length <= searchedBytesMax) texts.push(text)
  }
  const named = new Set<string>()
  // A list of steps may abbreviate them.
  for (const text of texts)
    for (const [id] of text.matchAll(/\b[0-9a-f]{7,64}\b/g))
      if (named.size < candidatesMax) named.add(id)
  if (named.size === 0) return []
  const input = [...named].map((id) => `${id}\n`).join('')
  const checked = await reading(git, repoDir)(['cat-file', '--batch-check'], {
    cwd: repoDir,
    input,
  })
  return line(checked)
    .split('\n')
    .flatMap((answer) => /^([0-9a-f]+) commit \d+$/.exec(answer)?.[1] ?? [])
}

/** Returns those of the named commits that neither the saved work nor the repository keeps, with those between. */
async function commitsOf(
  git: RunGit,
  { repoDir }: OwnFolder,
  { named: tips, saved }: { named: string[]; saved: SavedWork },
): Promise<{ id: string; parents: string[] }[]> {
  if (tips.length === 0) return []
  const all = reading(git, repoDir)
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

async function keep(
  git: RunGit,
  { repoDir, adminDir }: OwnFolder,
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
            ...staged.map(
              (one, at) => `${one.mode} ${one.id}\t${placeOf(one)}/${nameOf(one, at)}\0`,
            ),
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

/** Where the tree has it: a conflict has several contents of one name. */
const placeOf = ({ side }: Staged): string => (side === null ? 'staged' : `conflicts/${side}`)

const isReadable = (file: string): Promise<boolean> =>
  access(file, constants.R_OK).then(
    () => true,
    () => false,
  )

async function keptAt(git: RunGit, repoDir: string, ref: string): Promise<string | null> {
  for (const store of storesAt(git, repoDir)) {
    const found = await resolveCommit(inStore(git, store), store, ref)
    if (found !== null) return found
  }
  return resolveCommit(git, repoDir, ref)
}
