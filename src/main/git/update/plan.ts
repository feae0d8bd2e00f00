/**
 * Plans how a working tree changes from its snapshot to another tree: every byte that will be
 * replaced or written is known, and stored durably, before a file is touched. Only files are
 * written, so the result is uncommitted work; the user's index is not changed.
 *
 * New contents are first checked out into a separate folder, with the new tree's attributes, so
 * that line endings, filters and links come out as in any checkout.
 */
import { lstat, mkdir, readlink } from 'node:fs/promises'
import path from 'node:path'
import type { AppliedFile } from '../../../shared/agents/tools.ts'
import { type TreeChange, treeChanges, treeDifferences } from '../changes/tree-changes.ts'
import { line, type RunGit } from '../command/run-git.ts'
import type { OpenSnapshot } from '../snapshots/snapshot.ts'
import {
  type Content,
  type ContentStore,
  caseCollisions,
  contentAt,
  existsWithExactCase,
  openContentStore,
  type UpdatedFile,
  type UpdateManifest,
} from './contents.ts'
import { assertGenuine } from './genuine-blobs.ts'
import { mapConcurrently } from './map-concurrently.ts'
import { findEdited, findObstacle } from './obstacles.ts'

export interface UpdatePlan {
  updateId: string
  /** The top level of the working tree. Absolute, links resolved. */
  root: string
  /** The commit that keeps the replaced and the new contents. */
  commit: string
  manifest: UpdateManifest
  /** For display: a renamed file counts once. */
  files: AppliedFile[]
  /** Files whose bytes Git rewrote because a `.gitattributes` comes with them. */
  converted: string[]
}

type Planned =
  | { kind: 'planned'; plan: UpdatePlan }
  /** The working tree has the wanted state already, where Git does not look: a skip-worktree file that is gone. */
  | { kind: 'nothing-to-write' }
  /** Nothing was changed. */
  | { kind: 'in-the-way'; paths: string[]; why: string }
  /** Nothing was changed either: these were edited since the snapshot. */
  | { kind: 'edited'; paths: string[] }

/**
 * Plans the change of the working tree to `tree`. Changes no file. Throws GitError, also if a filter fails or the disk
 * is full.
 */
export async function planUpdate(
  git: RunGit,
  snapshot: OpenSnapshot,
  tree: string,
  { updateId, signal }: { updateId: string; signal?: AbortSignal | undefined },
): Promise<Planned> {
  const { topLevel: root, quarantine } = snapshot
  const isolated = quarantine.git
  const changes = await treeChanges(isolated, { dir: root, from: snapshot.tree, to: tree, signal })
  const obstacle = await findObstacle(isolated, snapshot, changes, signal)
  if (obstacle !== null) return { kind: 'in-the-way', ...obstacle }

  const store = await openContentStore(git, snapshot)
  const paths = changes.map((change) => change.path)
  const before = await contentsOf(store, root, paths)
  // Checked after the contents were read, because the merge used these.
  const edited = await findEdited(isolated, snapshot, changes, signal)
  if (edited.length > 0) return { kind: 'edited', paths: edited }

  const written = changes.filter(({ status }) => status !== 'D')
  const stage = await checkOut(isolated, snapshot, tree, written, signal)
  const staged = await contentsOf(
    store,
    stage,
    written.map((change) => change.path),
  )
  // Other bytes than those of the object are the work of filters and line endings.
  const rewritten = written.filter(({ path: name, newId }) => {
    const content = staged.get(name)
    return content !== undefined && content.id !== newId
  })
  await assertGenuine(isolated, { dir: root, ids: rewritten.map(({ newId }) => newId), signal })
  const files = paths.flatMap((name): UpdatedFile[] => {
    const old = before.get(name) ?? null
    const next = staged.get(name)
    const after = next ? { ...next, mode: modeFor(next, old) } : null
    return isSameContent(old, after) ? [] : [{ path: name, before: old, after }]
  })
  // An update without files would hide the last one from an undo.
  if (files.length === 0) return { kind: 'nothing-to-write' }
  const manifest: UpdateManifest = {
    version: 1,
    files,
    newDirs: await newDirs(root, files),
    oldDirs: await oldDirs(root, files),
  }
  signal?.throwIfAborted()
  const commit = await store.keep(updateId, manifest)
  const differences = await treeDifferences(isolated, { dir: root, from: snapshot.tree, to: tree })
  return {
    kind: 'planned',
    plan: {
      updateId,
      root,
      commit,
      manifest,
      files: differences.map(({ path: name, change, oldPath }) => ({
        path: name,
        change,
        oldPath,
      })),
      converted: convertedBy(changes, staged),
    },
  }
}

/** Reports whether nothing needs to be written to change one into the other. */
export function isSameContent(a: Content | null, b: Content | null): boolean {
  if (a === null || b === null) return a === b
  if (a.kind !== b.kind || a.id !== b.id) return false
  // Windows has no executable bit.
  return a.kind === 'link' || process.platform === 'win32' || !((a.mode ^ b.mode) & 0o100)
}

/** Stores the entries at these paths below `dir` unchanged. Skips missing ones. */
async function contentsOf(
  store: ContentStore,
  dir: string,
  names: readonly string[],
): Promise<Map<string, Content>> {
  const twins = caseCollisions(names)
  const looked = await mapConcurrently(names, async (name) => {
    const file = path.join(dir, name)
    const absent =
      (await leadsOut(dir, name)) || (twins.has(name) && !(await existsWithExactCase(dir, name)))
    const content = absent ? null : await contentAt(file)
    if (content === null || content.kind === 'other') return []
    const source = content.kind === 'link' ? await readlink(file, { encoding: 'buffer' }) : file
    return [{ name, content, file: source }]
  })
  const found = looked.flat()
  const ids = await store.add(found.map(({ file }) => file))
  return new Map(found.map(({ name, content }, at) => [name, { ...content, id: ids[at] ?? '' }]))
}

/** Reports whether a parent folder is a link, whose target is not part of this working tree. */
async function leadsOut(dir: string, name: string): Promise<boolean> {
  const parts = name.split('/')
  for (let depth = 1; depth < parts.length; depth++) {
    const found = await lstat(path.join(dir, ...parts.slice(0, depth))).catch(() => null)
    if (found === null) return false
    if (!found.isDirectory()) return true
  }
  return false
}

async function checkOut(
  git: RunGit,
  { topLevel, scratchDir }: OpenSnapshot,
  tree: string,
  written: readonly TreeChange[],
  signal: AbortSignal | undefined,
): Promise<string> {
  const stage = path.join(scratchDir, 'stage')
  await mkdir(stage)
  if (written.length === 0) return stage
  const env = { GIT_INDEX_FILE: path.join(scratchDir, 'index-new') }
  await git(['read-tree', tree], { cwd: topLevel, env, signal })
  const gitDir = line(await git(['rev-parse', '--absolute-git-dir'], { cwd: topLevel, signal }))
  await git(['checkout-index', '-z', '--stdin'], {
    cwd: stage,
    // Git takes attributes that are not in this folder from the index, which has those of the new
    // tree.
    env: { ...env, GIT_DIR: gitDir, GIT_WORK_TREE: stage },
    input: written.map((change) => `${change.path}\0`).join(''),
    checksOut: { from: null, to: tree },
    signal,
  })
  return stage
}

/**
 * A replaced file keeps its permissions, except for the executable bit, which comes from the tree.
 */
function modeFor(next: Content, old: Content | null): number {
  if (next.kind === 'link' || old?.kind !== 'file') return next.mode
  const executable = next.mode & 0o100
  return executable ? old.mode | ((old.mode & 0o444) >> 2) : old.mode & ~0o111
}

async function newDirs(root: string, files: readonly UpdatedFile[]): Promise<string[]> {
  const absent: string[] = []
  for (const dir of foldersAbove(files.filter(({ after }) => after !== null))) {
    const found = await lstat(path.join(root, dir)).catch(() => null)
    if (!found?.isDirectory()) absent.push(dir)
  }
  return absent
}

async function oldDirs(
  root: string,
  files: readonly UpdatedFile[],
): Promise<{ path: string; mode: number }[]> {
  const dirs = foldersAbove(files.filter(({ after }) => after === null))
  const found = await mapConcurrently(dirs, async (dir) => {
    const status = await lstat(path.join(root, dir)).catch(() => null)
    return status?.isDirectory() ? [{ path: dir, mode: status.mode & 0o7777 }] : []
  })
  return found.flat()
}

/** Sorted, so that each comes before the folders in it. */
function foldersAbove(files: readonly UpdatedFile[]): string[] {
  const dirs = new Set<string>()
  for (const { path: name } of files)
    for (let dir = path.posix.dirname(name); dir !== '.'; dir = path.posix.dirname(dir))
      dirs.add(dir)
  return [...dirs].sort()
}

function convertedBy(
  changes: readonly TreeChange[],
  staged: ReadonlyMap<string, Content>,
): string[] {
  const named = changes.some(({ path: name }) => path.posix.basename(name) === '.gitattributes')
  if (!named) return []
  return changes.flatMap(({ path: name, newId }) => {
    const content = staged.get(name)
    return content?.kind === 'file' && content.id !== newId ? [name] : []
  })
}
