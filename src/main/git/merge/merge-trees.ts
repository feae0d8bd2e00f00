/**
 * Merges three trees into one, in the object database only: writes neither the user's index nor a
 * file.
 */
import path from 'node:path'
import { diffTree } from '../changes/tree-changes.ts'
import { fields, line, type RunGit } from '../command/run-git.ts'
import { version } from '../command/version.ts'
import { withScratchDir } from '../snapshots/scratch-dir.ts'
import { commitTree } from '../snapshots/snapshot.ts'
import { applyToIndex } from './apply-to-index.ts'

interface ThreeTrees {
  /** Any working tree of the repository. Absolute. */
  dir: string
  base: string
  ours: string
  theirs: string
  signal?: AbortSignal | undefined
}

export type TreeMerge =
  | { kind: 'merged'; tree: string }
  /** `details` are Git's own messages, a line for each conflict. */
  | {
      kind: 'conflict'
      paths: string[]
      details: string[]
      /** A tree with conflict markers in the conflicting files, and the labels after `<<<<<<< ` and `>>>>>>> `. */
      marked?: { tree: string; ours: string; theirs: string }
    }

/** The first Git with `git merge-tree --write-tree`. */
const mergeTreeSince: [number, number] = [2, 38]

/** Merges by `git merge-tree`, or as a patch if Git is older. A conflict is a result. Throws GitError. */
export async function mergeTrees(git: RunGit, trees: ThreeTrees): Promise<TreeMerge> {
  const [major, minor] = await version(git)
  const known =
    major > mergeTreeSince[0] || (major === mergeTreeSince[0] && minor >= mergeTreeSince[1])
  return known ? mergeByMergeTree(git, trees) : mergeByPatch(git, trees)
}

/** Follows renames on either side. */
async function mergeByMergeTree(git: RunGit, trees: ThreeTrees): Promise<TreeMerge> {
  const { dir, signal } = trees
  // merge-tree merges commits and finds the base by their ancestry, so each tree is wrapped in a
  // commit.
  const wrap = (tree: string, parents: string[], message: string) =>
    commitTree(git, dir, { tree, parents, message, date: '@0 +0000', signal })
  const base = await wrap(trees.base, [], 'base')
  const ours = await wrap(trees.ours, [base], 'ours')
  const theirs = await wrap(trees.theirs, [base], 'theirs')
  const result = await git(['merge-tree', '--write-tree', '-z', '--name-only', ours, theirs], {
    cwd: dir,
    signal,
    okExitCodes: [0, 1],
  })
  const [tree = '', ...rest] = fields(result.stdout)
  if (result.exitCode === 0) return { kind: 'merged', tree }
  const end = rest.indexOf('')
  const paths = [...new Set(end < 0 ? rest : rest.slice(0, end))].sort()
  const details = readMessages(end < 0 ? [] : rest.slice(end + 1)).map((message) =>
    message.replaceAll(ours, 'the target').replaceAll(theirs, 'the changes'),
  )
  return { kind: 'conflict', paths, details, marked: { tree, ours, theirs } }
}

/** Parses repeated `<number of paths> <path>... <type> <message>`; returns the messages of conflicts. */
function readMessages(parts: readonly string[]): string[] {
  const messages: string[] = []
  for (let at = 0; at < parts.length; ) {
    const pathCount = Number(parts[at])
    const message = parts[at + pathCount + 2]?.trim() ?? ''
    if (message.startsWith('CONFLICT')) messages.push(message)
    at += pathCount + 3
  }
  return messages
}

/**
 * For an older Git: applies the difference as a patch, with a three-way merge of each file. Does
 * not follow renames on our side.
 */
export async function mergeByPatch(git: RunGit, trees: ThreeTrees): Promise<TreeMerge> {
  const { dir, base, ours, theirs, signal } = trees
  return withScratchDir(git, async (scratchDir) => {
    const patch = await git([...diffTree, '--find-renames', '--binary', '-p', base, theirs], {
      cwd: dir,
      signal,
    })
    const run = { cwd: dir, env: { GIT_INDEX_FILE: path.join(scratchDir, 'index') }, signal }
    await git(['read-tree', ours], run)
    const applied = await applyToIndex(git, run, patch.stdout)
    if (applied.kind === 'conflict') return applied
    return { kind: 'merged', tree: line(await git(['write-tree'], run)) }
  })
}
