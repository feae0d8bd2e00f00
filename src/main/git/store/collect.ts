/**
 * Deletes the unreachable objects of a store. `git gc` can't: commits that were copied from a
 * repository have parents that exist only there, so it would fail, or it would need room for a
 * second copy of everything. Here one pack at a time is rewritten.
 */
import { open, readdir, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fields, line, type RunGit } from '../command/run-git.ts'
import { exists } from '../repository/file-facts.ts'
import { syncPaths } from '../worktree-files/durable.ts'
import { withExclusiveStore } from './exclusion.ts'
import { inStore, objectsIn } from './store.ts'

/** For lists of ids: four million objects. */
const listBytesMax = 256 * 1024 * 1024
/** Limits the disk space that rewriting a pack needs. */
const packBytesMax = 256 * 1024 * 1024
const durable = ['-c', 'core.fsync=all']
/** Unreferenced trees that were read recently stay readable for this long. */
const readGraceMs = 10 * 60_000
/**
 * While this file exists, unreachable objects may be incomplete: new objects must not refer to
 * them.
 */
const underWay = 'collecting'

const recentReads = new Map<string, Map<string, number>>()

/** Protects a tree without a reference from collection for `readGraceMs`, because it is about to be read. */
export function protectTree(store: string, tree: string): void {
  const known = recentReads.get(store) ?? new Map<string, number>()
  recentReads.set(store, known)
  known.set(tree, performance.now())
}

/** Reports whether a collection was killed. It must be completed before anything is written. */
export const wasCollecting = (store: string): boolean => exists(path.join(store, underWay))

/** Deletes the unreachable objects of a store; resolves with their number. Throws GitError. */
export async function collect(git: RunGit, store: string): Promise<number> {
  return withExclusiveStore(store, async () => {
    const inside = inStore(git, store)
    const all = await objectsAndTypes(inside, store)
    const live = await liveObjects(inside, store, all)
    const dead = [...all.keys()].filter((id) => !live.has(id)).length
    if (dead === 0) return 0
    const marker = path.join(store, underWay)
    await writeFile(marker, '')
    await syncPaths([marker, store])
    for (const pack of await packsOf(store)) await sweep(inside, store, pack, live)
    await sweepLoose(store, live)
    await rm(marker)
    await syncPaths([store])
    return dead
  })
}

async function objectsAndTypes(git: RunGit, store: string): Promise<Map<string, string>> {
  const args = [
    'cat-file',
    '--batch-all-objects',
    '--unordered',
    '--batch-check=%(objectname) %(objecttype)',
  ]
  const listed = await git(args, { cwd: store, stdoutBytesMax: listBytesMax })
  return new Map(
    line(listed)
      .split('\n')
      .filter(Boolean)
      .map((text): [string, string] => {
        const space = text.indexOf(' ')
        return [text.slice(0, space), text.slice(space + 1)]
      }),
  )
}

async function liveObjects(
  git: RunGit,
  store: string,
  all: ReadonlyMap<string, string>,
): Promise<Set<string>> {
  const named = line(await git(['for-each-ref', '--format=%(objectname)'], { cwd: store }))
  const known = recentReads.get(store) ?? new Map<string, number>()
  for (const [tree, atMs] of known) if (performance.now() - atMs > readGraceMs) known.delete(tree)
  const roots = [...named.split('\n'), ...known.keys()].filter((id) => all.has(id))
  const trees = roots.filter((id) => all.get(id) === 'tree')
  const commits = await ancestors(
    git,
    store,
    roots.filter((id) => all.get(id) === 'commit'),
    all,
  )
  const input = [...commits, ...trees].map((id) => `${id}\n`).join('')
  if (input === '') return new Set()
  // Each separately: their parents may be elsewhere, or missing.
  const args = ['rev-list', '--objects', '--no-object-names', '--no-walk=unsorted']
  const listed = await git([...args, '--missing=allow-any', '--stdin'], {
    cwd: store,
    input,
    stdoutBytesMax: listBytesMax,
  })
  return new Set(line(listed).split('\n'))
}

/** Returns the ancestors that the store has. */
async function ancestors(
  git: RunGit,
  store: string,
  tips: readonly string[],
  all: ReadonlyMap<string, string>,
): Promise<Set<string>> {
  const commits = [...all].flatMap(([id, type]) => (type === 'commit' ? [`${id}\n`] : []))
  if (commits.length === 0) return new Set()
  const listed = await git(['rev-list', '--parents', '--no-walk=unsorted', '--stdin'], {
    cwd: store,
    input: commits.join(''),
    stdoutBytesMax: listBytesMax,
  })
  const parents = new Map(
    line(listed)
      .split('\n')
      .map((text): [string, string[]] => {
        const [id = '', ...rest] = text.split(' ')
        return [id, rest]
      }),
  )
  const found = new Set<string>()
  const left = [...tips]
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    if (found.has(id) || !all.has(id)) continue
    found.add(id)
    left.push(...(parents.get(id) ?? []))
  }
  return found
}

interface Pack {
  /** `pack-<hash>`, absolute, without an ending. */
  base: string
  bytes: number
}

/**
 * Returns complete packs, the smallest first, without those that a call is about to reference
 * (`.keep`).
 */
async function packsOf(store: string): Promise<Pack[]> {
  const dir = path.join(objectsIn(store), 'pack')
  const names = await readdir(dir)
  const packs: Pack[] = []
  for (const name of names) {
    const [, base] = /^(pack-[0-9a-f]+)\.idx$/.exec(name) ?? []
    if (base === undefined || names.includes(`${base}.keep`)) continue
    const file = path.join(dir, base)
    packs.push({ base: file, bytes: (await stat(`${file}.pack`)).size })
  }
  return packs.sort((a, b) => a.bytes - b.bytes)
}

async function sweep(
  git: RunGit,
  store: string,
  pack: Pack,
  live: ReadonlySet<string>,
): Promise<void> {
  const ids = await idsIn(git, store, pack)
  const kept = ids.filter((id) => live.has(id))
  if (kept.length === ids.length) return
  const newPacks = kept.length === 0 ? [] : await write(git, store, kept)
  await deletePack(pack, newPacks)
}

async function idsIn(git: RunGit, store: string, pack: Pack): Promise<string[]> {
  const index = await open(`${pack.base}.idx`, 'r')
  try {
    const listed = await git(['show-index'], {
      cwd: store,
      stdinFd: index.fd,
      stdoutBytesMax: listBytesMax,
    })
    return line(listed)
      .split('\n')
      .flatMap((text) => text.split(' ')[1] ?? [])
  } finally {
    await index.close()
  }
}

/** Resolves with the names of the packs. */
async function write(git: RunGit, store: string, ids: readonly string[]): Promise<string[]> {
  const place = path.join(objectsIn(store), 'pack', 'pack')
  const args = ['pack-objects', '-q', `--max-pack-size=${packBytesMax}`, windowMemory, place]
  const input = ids.map((id) => `${id}\n`).join('')
  const newPacks = fields(
    Buffer.from(
      line(await git([...durable, ...args], { cwd: store, input })).replaceAll('\n', '\0'),
    ),
  )
  await syncPaths([path.dirname(place)])
  return newPacks.map((hash) => `pack-${hash}`)
}

/** Comparing large contents must not take all memory. */
const windowMemory = '--window-memory=64m'

/** `but` are packs rewritten under the same name because their content is the same. */
async function deletePack({ base }: Pack, but: readonly string[]): Promise<void> {
  if (but.includes(path.basename(base))) return
  // Git ignores a pack without its index.
  for (const ending of ['idx', 'rev', 'bitmap', 'pack'])
    await rm(`${base}.${ending}`, { force: true })
}

async function sweepLoose(store: string, live: ReadonlySet<string>): Promise<void> {
  const objects = objectsIn(store)
  for (const fan of await readdir(objects)) {
    if (!/^[0-9a-f]{2}$/.test(fan)) continue
    for (const rest of await readdir(path.join(objects, fan)))
      if (!live.has(fan + rest)) await rm(path.join(objects, fan, rest), { force: true })
  }
}

/** More packs than this slow each Git process down. */
const packsMax = 40
/** Larger packs are not merged. */
const mergedBytesMax = 64 * 1024 * 1024

/**
 * Merges many small packs into one, which stores similar contents as deltas. Each object is
 * rewritten only a few times in its life: a pack joins only others that are together at least half
 * as large.
 */
export async function mergePacks(git: RunGit, store: string): Promise<void> {
  if ((await packsOf(store)).length > packsMax) await merge(git, store, { all: false })
}

/** Merges all packs that are not large. */
export const packAll = (git: RunGit, store: string): Promise<void> =>
  merge(git, store, { all: true })

async function merge(git: RunGit, store: string, { all }: { all: boolean }): Promise<void> {
  await withExclusiveStore(store, async () => {
    const chosen: Pack[] = []
    let bytes = 0
    for (const pack of await packsOf(store)) {
      if (pack.bytes > mergedBytesMax) break
      if (!all && chosen.length > 1 && pack.bytes > 2 * bytes) break
      chosen.push(pack)
      bytes += pack.bytes
    }
    if (chosen.length < 2) return
    const place = path.join(objectsIn(store), 'pack', 'pack')
    const args = ['pack-objects', '-q', '--stdin-packs', windowMemory, place]
    const input = chosen.map(({ base }) => `${path.basename(base)}.pack\n`).join('')
    const newPacks = line(await inStore(git, store)([...durable, ...args], { cwd: store, input }))
    await syncPaths([path.dirname(place)])
    for (const pack of chosen) await deletePack(pack, [`pack-${newPacks}`])
  })
}
