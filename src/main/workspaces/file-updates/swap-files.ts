/**
 * Replaces files of a working tree so that after a kill or a power cut each is in either its old or
 * its new state. Every new content is written beside its place and is durable before the first file
 * changes; each file is compared just before it is replaced, and a changed one is never
 * overwritten.
 */
import { link, lstat, readdir, readlink, rename, rmdir, symlink, unlink } from 'node:fs/promises'
import { join, posix } from 'node:path'
import {
  type Content,
  caseCollisions,
  type Git,
  mapConcurrently,
  type UpdateManifest,
} from '../../git/index.ts'
import { systemCode } from '../../journal/index.ts'
import { changeMode } from '../../open-folders/open-folders.ts'
import { type Beside, removeBeside, writeBeside } from './beside.ts'
import { absentOr, type Surroundings, type Swap, type SwapState, stateOf } from './file-state.ts'
import {
  inFolderOf,
  removeEmptied,
  removeEmptiedParents,
  type SwapContext,
  syncAll,
} from './folder-changes.ts'
import { type HeldRoot, inFolder, withRoot } from './held-folders.ts'
import { keepOwner } from './owner.ts'
import { ChangedMeanwhileError, replaceChecked } from './replace-checked.ts'

interface SwapRequest {
  git: Pick<Git, 'readContents'>
  /** The top level of the working tree. */
  root: string
  updateId: string
  manifest: UpdateManifest
  direction: Direction
  /**
   * If a file is in neither state: `refuse` changes nothing, `leave` leaves that file unchanged, also if that shows only
   * when it is to be replaced.
   */
  changed: 'refuse' | 'leave'
  /** The call adds the path of each file that it replaces, creates or deletes, also if it fails. */
  swapped?: Set<string>
}

/** `forward` swaps from `before` to `after`, `backward` the reverse. */
export type Direction = 'forward' | 'backward'

type Swapped =
  | { kind: 'swapped'; left: string[] }
  /** Found before any file was changed. */
  | { kind: 'changed'; paths: string[] }

/**
 * The working tree was moved or unmounted: without it every file looks as if somebody had changed
 * it.
 */
class WorkingTreeGoneError extends Error {
  constructor(root: string) {
    super(`${root} is not there`)
    this.name = 'WorkingTreeGoneError'
  }
}

/**
 * Durable when it resolves; files in the wanted state stay. Throws the disk's error,
 * WorkingTreeGoneError, or ChangedMeanwhileError: some files may have been swapped, and the same
 * call in the other direction reverts those.
 */
export async function swapFiles(request: SwapRequest): Promise<Swapped> {
  const { root } = request
  let isHeld = false
  try {
    return await withRoot(root, (held) => {
      isHeld = true
      return swapIn(request, held)
    })
  } catch (error) {
    const isMissing = !isHeld && ['ENOENT', 'ENOTDIR'].includes(systemCode(error))
    throw isMissing ? new WorkingTreeGoneError(root) : error
  }
}

async function swapIn(request: SwapRequest, held: HeldRoot): Promise<Swapped> {
  const { root, updateId, manifest, direction } = request
  const all = swapsOf(manifest, direction)
  const around = surroundingsOf(root, all)
  await removeBeside(held, updateId, all)
  const states = await allStates(all, around)
  if (await isGone(root)) throw new WorkingTreeGoneError(root)
  const left = all.filter((swap) => states.get(swap) === 'other').map(({ path }) => path)
  if (left.length > 0 && request.changed === 'refuse') return { kind: 'changed', paths: left }
  const swaps = all.filter((swap) => states.get(swap) === 'from')

  const touched = new Set<string>()
  const dirModes = new Map((manifest.oldDirs ?? []).map(({ path, mode }) => [path, mode]))
  const swapped = request.swapped ?? new Set()
  let isNameLeft = false
  const onNameLeft = () => {
    isNameLeft = true
  }
  const context = { root: held, updateId, touched, dirModes, swapped, onNameLeft }
  const leftNow: string[] = []
  // What another process puts in the place of one file must not keep a roll-back from the others.
  const orLeave = (path: string) => (error: unknown) => {
    if (request.changed === 'refuse' || !(error instanceof ChangedMeanwhileError)) throw error
    leftNow.push(path)
  }
  try {
    const beside = await writeBeside({ ...request, root: held }, swaps)
    const { free, blocked } = await inOrder(swaps, around)
    for (const swap of free) await swapOne(swap, beside, context).catch(orLeave(swap.path))
    // New files are durable before old ones are deleted, which may be other names of them.
    await syncAll(held, touched)
    for (const { path, from, to } of swaps) {
      if (from === null || to !== null) continue
      await remove(path, from, context).catch(orLeave(path))
    }
    // Also above files that a killed process had deleted.
    if (direction === 'forward')
      for (const swap of all)
        if (swap.from !== null && swap.to === null && states.get(swap) !== 'other')
          await removeEmptiedParents(swap.path, context)
    // A roll-back removes only folders that the update created, because another may have been empty
    // before.
    if (direction === 'backward')
      for (const dir of manifest.newDirs.toReversed()) await removeEmptied(dir, context)
    for (const swap of blocked) await swapOne(swap, beside, context).catch(orLeave(swap.path))
    if (leftNow.length > 0) await removeBeside(held, updateId, all)
    else if (isNameLeft) await removeBeside(held, updateId, all).catch(() => undefined)
    await syncAll(held, touched)
  } catch (error) {
    await removeBeside(held, updateId, all).catch(() => undefined)
    throw error
  }
  return { kind: 'swapped', left: [...left, ...leftNow] }
}

/** Returns the state of each file, for a start that finds an interrupted update. */
export async function statesOf(
  root: string,
  manifest: UpdateManifest,
  direction: Direction,
): Promise<Record<SwapState, string[]>> {
  const found: Record<SwapState, string[]> = { from: [], to: [], other: [] }
  const swaps = swapsOf(manifest, direction)
  const around = surroundingsOf(root, swaps)
  const states = await allStates(swaps, around)
  for (const swap of swaps) found[states.get(swap) ?? 'other'].push(swap.path)
  return found
}

async function allStates(
  swaps: readonly Swap[],
  around: Surroundings,
): Promise<Map<Swap, SwapState>> {
  const found = await mapConcurrently(swaps, (swap) => stateOf(swap, around))
  return new Map(swaps.map((swap, at) => [swap, found[at] ?? 'other']))
}

const swapsOf = ({ files }: UpdateManifest, direction: Direction): Swap[] =>
  files.map(({ path, before, after }) =>
    direction === 'forward' ? { path, from: before, to: after } : { path, from: after, to: before },
  )

function surroundingsOf(root: string, swaps: readonly Swap[]): Surroundings {
  const paths = swaps.map(({ path }) => path)
  return { root, twins: caseCollisions(paths), paths: new Set(paths) }
}

/**
 * Splits the swaps that write a file. `blocked` ones have to wait until other entries are deleted: a
 * folder at their path, a file in place of a parent folder, or a name that differs only in case.
 */
async function inOrder(
  swaps: readonly Swap[],
  { root, twins }: Surroundings,
): Promise<{ free: Swap[]; blocked: Swap[] }> {
  const goes = new Set(swaps.filter(({ to }) => to === null).map(({ path }) => path))
  const free: Swap[] = []
  const blocked: Swap[] = []
  const coming = swaps.filter(({ to }) => to !== null)
  const isFolder = await mapConcurrently(
    coming,
    async ({ path }) => (await lstat(join(root, path)).catch(absentOr))?.isDirectory() ?? false,
  )
  for (const [at, swap] of coming.entries()) {
    const parts = swap.path.split('/')
    const above = parts.slice(1).map((_, depth) => parts.slice(0, depth + 1).join('/'))
    const waits =
      isFolder[at] || above.some((dir) => goes.has(dir)) || (!swap.from && twins.has(swap.path))
    if (waits) blocked.push(swap)
    else free.push(swap)
  }
  return { free, blocked }
}

async function swapOne(
  swap: Swap,
  beside: ReadonlyMap<Swap, Beside>,
  context: SwapContext,
): Promise<void> {
  const { root, touched } = context
  const { path, from, to } = swap
  const temporary = beside.get(swap)
  if (!to || temporary === undefined) throw new Error(`nothing was written for ${path}`)
  const name = posix.basename(path)
  await inFolderOf(path, context, (at) =>
    inFolder(root, temporary.dir, async (atTemporary) => {
      touched.add(posix.dirname(path)).add(temporary.dir)
      const prepared = atTemporary(temporary.name)
      if (from === null) await linkIntoPlace(prepared, at(name), to, path)
      else
        await replaceChecked(
          path,
          at,
          from,
          context.updateId,
          async (was) => {
            if (was !== null && temporary.owner !== null) {
              const wanted = was.mode === from.mode ? to.mode : modeLike(was.mode, to)
              const mode = await keepOwner(prepared, { is: temporary.owner, was, mode: wanted })
              if (mode !== to.mode) await changeMode(prepared, mode)
            }
            await rename(prepared, at(name))
          },
          context.onNameLeft,
        )
    }),
  )
  context.swapped.add(path)
}

/**
 * Keeps the permissions that the file was given since the update was planned, except the executable
 * bit, which comes with the content.
 */
const modeLike = (mode: number, { mode: wanted }: Content): number =>
  wanted & 0o100 ? mode | ((mode & 0o444) >> 2) : mode & ~0o111

/** Fails if another process has created a file there, because it must not be replaced. */
async function linkIntoPlace(
  temporary: string,
  file: string,
  { kind }: Content,
  path: string,
): Promise<void> {
  try {
    // Removes an emptied folder; fails if it holds any file.
    await rmdir(file).catch((error) => {
      if (!['ENOENT', 'ENOTDIR'].includes(systemCode(error))) throw error
    })
    if (kind === 'link') await symlink(await readlink(temporary, { encoding: 'buffer' }), file)
    else await link(temporary, file)
    await unlink(temporary)
  } catch (error) {
    const code = systemCode(error)
    if (['EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes(code)) throw new ChangedMeanwhileError(path)
    // A file system without hard links.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(code)) throw error
    if (await lstat(file).catch(absentOr)) throw new ChangedMeanwhileError(path)
    await rename(temporary, file)
  }
}

async function remove(path: string, from: Content, context: SwapContext): Promise<void> {
  context.touched.add(posix.dirname(path))
  await inFolderOf(
    path,
    context,
    (at) =>
      replaceChecked(
        path,
        at,
        from,
        context.updateId,
        () => unlink(at(posix.basename(path))),
        context.onNameLeft,
      ),
    { create: false },
  )
  context.swapped.add(path)
}

/** Reports whether the working tree is missing. An empty folder counts: an unmounted drive leaves one. */
async function isGone(root: string): Promise<boolean> {
  const names = await readdir(root).catch(absentOr)
  return names === null || names.length === 0
}
