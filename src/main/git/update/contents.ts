/**
 * Stores raw bytes of files as Git objects, without filters: those that an update replaces and
 * those that it writes. They are in one pack of the turn store below a ref, so a collection keeps
 * them and one sync makes them durable.
 */
import { createHash } from 'node:crypto'
import { lstat, readdir, readlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { GitError } from '../command/errors.ts'
import { fields, line, type RunGit } from '../command/run-git.ts'
import { resolveCommit } from '../repository/commits.ts'
import { commitTree, type OpenSnapshot } from '../snapshots/snapshot.ts'
import { inStore, quoted, reading, storesAt } from '../store/store.ts'

/** One path's bytes, or a link's target. */
const contentSchema = z.object({
  kind: z.enum(['file', 'link']),
  /** The id of the Git blob with exactly these bytes. */
  id: z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/),
  /** Permission bits; unused for a link. */
  mode: z.number().int().min(0).max(0o777),
  bytes: z.number().int().min(0),
})
export type Content = z.infer<typeof contentSchema>

const fileSchema = z.object({
  /** Relative to the top level, with `/`. */
  path: z.string().min(1),
  /** Null if there is no such file. */
  before: contentSchema.nullable(),
  after: contentSchema.nullable(),
})
export type UpdatedFile = z.infer<typeof fileSchema>

const manifestSchema = z.object({
  version: z.literal(1),
  files: z.array(fileSchema),
  /** Folders that the update creates, deepest last: only these are removed by a roll-back. */
  newDirs: z.array(z.string()),
  /**
   * Folders above files that the update deletes, with their permission bits: they may become empty,
   * and are then deleted too. Older manifests have none.
   */
  oldDirs: z
    .array(z.object({ path: z.string().min(1), mode: z.number().int().min(0).max(0o7777) }))
    .optional(),
})
export type UpdateManifest = z.infer<typeof manifestSchema>

const manifestName = 'update.json'
const updateRef = (updateId: string): string => `refs/shiplog/updates/${updateId}`

/** A separate folder for new objects until they are moved into the store as one pack. */
export interface ContentStore {
  /**
   * Stores files from the disk unchanged; links must be passed as `Buffer`. Returns ids in the
   * order of the request.
   */
  add(files: readonly (string | Buffer)[]): Promise<string[]>
  /** Makes all objects durable in the store, under the update's ref; resolves with the commit. */
  keep(updateId: string, manifest: UpdateManifest): Promise<string>
}

export async function openContentStore(
  git: RunGit,
  { topLevel, scratchDir, quarantine }: OpenSnapshot,
): Promise<ContentStore> {
  const run = quarantine.git
  let texts = 0

  async function add(files: readonly (string | Buffer)[]): Promise<string[]> {
    if (files.length === 0) return []
    const names: string[] = []
    for (const file of files) {
      if (typeof file === 'string') names.push(file)
      else {
        const name = path.join(scratchDir, `text-${texts++}`)
        await writeFile(name, file)
        names.push(name)
      }
    }
    const args = ['hash-object', '-w', '--no-filters', '--stdin-paths']
    const input = names.map((name) => `${quoted(name)}\n`).join('')
    return line(await run(args, { cwd: topLevel, input })).split('\n')
  }

  async function keep(updateId: string, manifest: UpdateManifest): Promise<string> {
    const [manifestId = ''] = await add([Buffer.from(JSON.stringify(manifest))])
    const entries = [`100644 ${manifestId}\t${manifestName}`]
    for (const { path: name, before, after } of manifest.files) {
      if (before) entries.push(`${gitMode(before)} ${before.id}\tbefore/${name}`)
      if (after) entries.push(`${gitMode(after)} ${after.id}\tafter/${name}`)
    }
    const inIndex = {
      cwd: topLevel,
      env: { GIT_INDEX_FILE: path.join(scratchDir, 'index-kept') },
    }
    const input = entries.map((entry) => `${entry}\0`).join('')
    await run(['update-index', '-z', '--index-info'], { ...inIndex, input })
    const tree = line(await run(['write-tree'], inIndex))
    const message = `Files that Shiplog replaced (before/) and wrote (after/) in ${topLevel}`
    const commit = await commitTree(run, topLevel, { tree, parents: [], message })
    await quarantine.keep({ ref: updateRef(updateId), commit, ids: await idsIn(commit, tree) })
    await assertKept(commit)
    return commit
  }

  async function idsIn(commit: string, tree: string): Promise<string[]> {
    const listed = await run(['ls-tree', '-r', '-t', '-z', tree], { cwd: topLevel })
    // `<mode> <type> <id>`, a tab and the name.
    const inTree = fields(listed.stdout).map((entry) => entry.split(/[ \t]/, 3)[2] ?? '')
    return [...new Set([commit, tree, ...inTree])]
  }

  /**
   * Checks that the old and the new content are readable before the first of the user's files is
   * changed.
   */
  async function assertKept(commit: string): Promise<void> {
    const walk = await reading(git, topLevel)(
      ['rev-list', '--objects', '--missing=print', commit],
      { cwd: topLevel },
    )
    const lost = /^\?[0-9a-f]+/m.test(walk.stdout.toString())
    if (lost)
      throw new GitError(
        ['pack-objects'],
        null,
        'fatal: the objects it wrote were pruned immediately',
      )
  }

  return { add, keep }
}

const gitMode = ({ kind, mode }: Content): string =>
  kind === 'link' ? '120000' : mode & 0o100 ? '100755' : '100644'

/** Returns null if the manifest no longer exists. Throws if it exists and can't be read. */
export async function readManifest(
  git: RunGit,
  dir: string,
  commit: string,
): Promise<UpdateManifest | null> {
  const args = ['cat-file', 'blob', `${commit}^{commit}:${manifestName}`]
  const read = await git(args, { cwd: dir }).catch(async (error) => {
    if ((await resolveCommit(git, dir, commit)) === null) return null
    throw error
  })
  return read && manifestSchema.parse(JSON.parse(read.stdout.toString()))
}

/**
 * Returns the first words of a command with which the user can read an update's commit: `git
 * --git-dir=…` or `git -C …`.
 */
export async function commandForUpdate(git: RunGit, dir: string, commit: string): Promise<string> {
  for (const store of storesAt(git, dir))
    if ((await resolveCommit(inStore(git, store), store, commit)) !== null)
      return `git --git-dir=${store}`
  return `git -C ${dir}`
}

/** These are read into memory together; longer ones are written to their files directly. */
const batchBytesMax = 16 * 1024 * 1024

/**
 * Passes the bytes of each content to `take`, in any order. For long contents `take` gets a function that
 * writes them into an open file, so that they are not read into memory.
 */
export async function readContents<Wanted extends { content: Content }>(
  git: RunGit,
  dir: string,
  wanted: readonly Wanted[],
  take: (one: Wanted, bytes: Buffer | ((fd: number) => Promise<void>)) => Promise<void>,
): Promise<void> {
  let batch: Wanted[] = []
  let bytes = 0
  const flush = async () => {
    const buffers = await readBatch(git, dir, batch)
    for (const [at, one] of batch.entries()) await take(one, buffers[at] ?? Buffer.alloc(0))
    batch = []
    bytes = 0
  }
  for (const one of wanted) {
    const { id, bytes: length } = one.content
    if (length > batchBytesMax) {
      await take(one, async (fd) => {
        await git(['cat-file', 'blob', id], { cwd: dir, stdoutFd: fd })
      })
      continue
    }
    if (bytes + length > batchBytesMax) await flush()
    batch.push(one)
    bytes += length
  }
  if (batch.length > 0) await flush()
}

/** Reads for each: `<id> blob <length>`, a newline, the bytes, a newline. */
async function readBatch(
  git: RunGit,
  dir: string,
  batch: readonly { content: Content }[],
): Promise<Buffer[]> {
  const input = batch.map(({ content }) => `${content.id}\n`).join('')
  const { stdout } = await git(['cat-file', '--batch'], { cwd: dir, input })
  const found: Buffer[] = []
  let at = 0
  for (const { content } of batch) {
    const end = stdout.indexOf('\n', at)
    const header = stdout.toString('latin1', at, end)
    if (header !== `${content.id} blob ${content.bytes}`)
      throw new GitError(['cat-file', '--batch'], null, `fatal: ${header || 'it ended early'}`)
    found.push(stdout.subarray(end + 1, end + 1 + content.bytes))
    at = end + 1 + content.bytes + 1
  }
  return found
}

/** Deletes the reference to an update's contents. A missing one is no error. */
export async function dropUpdateRef(git: RunGit, dir: string, updateId: string): Promise<void> {
  for (const { run, cwd } of placesOf(git, dir))
    await run(['update-ref', '--no-deref', '-d', updateRef(updateId)], { cwd })
}

/**
 * Returns the places of kept updates: the stores, and the repository for updates from before stores
 * existed.
 */
const placesOf = (git: RunGit, dir: string): { run: RunGit; cwd: string }[] => [
  ...storesAt(git, dir).map((store) => ({ run: inStore(git, store), cwd: store })),
  { run: git, cwd: dir },
]

/** Deletes the references to contents that updates replaced before `beforeMs` (since the epoch). */
export async function dropOldUpdateRefs(git: RunGit, dir: string, beforeMs: number): Promise<void> {
  const format = '--format=%(committerdate:unix) %(refname)'
  for (const { run, cwd } of placesOf(git, dir)) {
    const listed = line(await run(['for-each-ref', format, updateRef('')], { cwd }))
    const old = listed.split('\n').flatMap((text) => {
      const [seconds = '', name] = text.split(' ')
      return name && Number(seconds) * 1000 < beforeMs ? [name] : []
    })
    for (const name of old) await run(['update-ref', '--no-deref', '-d', name], { cwd })
  }
}

/** Returns the entry at a path as an update sees it; null if it is neither a file nor a link. */
export async function contentAt(
  file: string,
): Promise<Omit<Content, 'id'> | { kind: 'other' } | null> {
  const found = await lstat(file).catch((error) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw error
  })
  if (found === null) return null
  const mode = found.mode & 0o777
  if (found.isFile()) return { kind: 'file', mode, bytes: found.size }
  if (found.isSymbolicLink()) {
    const target = await readlink(file, { encoding: 'buffer' })
    return { kind: 'link', mode: 0, bytes: target.length }
  }
  return { kind: 'other' }
}

/**
 * Returns those of `names` that differ from another one only in case, because on some disks both
 * are one file.
 */
export function caseCollisions(names: readonly string[]): ReadonlySet<string> {
  const byFolded = Map.groupBy(names, (name) => name.toLowerCase())
  return new Set([...byFolded.values()].filter((some) => some.length > 1).flat())
}

/** Reports whether there is an entry at `name`, relative to `root`, that has exactly this case, in each of its folders too. */
export async function existsWithExactCase(root: string, name: string): Promise<boolean> {
  let dir = root
  for (const part of name.split('/')) {
    const names = await readdir(dir).catch((): string[] => [])
    if (!names.includes(part)) return false
    dir = path.join(dir, part)
  }
  return true
}

/**
 * Returns a hash that gives a blob's id after its bytes were written to it; `like` is an id of the
 * same repository.
 */
export function blobHash(like: string, bytes: number) {
  return createHash(like.length === 64 ? 'sha256' : 'sha1').update(`blob ${bytes}\0`)
}
