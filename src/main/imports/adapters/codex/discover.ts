/**
 * Finds sessions of Codex: in its whole folder (`sessions/YYYY/MM/DD/rollout-*.jsonl`, `archived_sessions/`), in a
 * folder of rollouts, or in one file. Each sub-agent has a rollout of its own, whose first line names its parent. Reads
 * names, sizes, times and first lines only.
 */
import { basename, dirname, join, sep } from 'node:path'
import type { FoundSession, SourceFile } from '../adapter.ts'
import { fileAt, firstRecords, type ListedFile, listFolder, namedPath } from '../folders.ts'
import { readPieces } from '../json-lines.ts'
import { isCompressed, plainName } from '../source-content.ts'
import { isRecord, text } from '../values.ts'
import { metaOf, type RolloutMeta } from './lines.ts'

const rolloutName = /^rollout-.+\.jsonl(?:\.zst)?$/
/** Depth of `sessions/YYYY/MM/DD`. */
const foldersDeepMax = 4
/** Limit for the index of thread names. */
const indexBytesMax = 16 << 20

interface Rollout {
  file: ListedFile
  meta: RolloutMeta
  isArchived: boolean
}

export async function* discoverCodex(
  given: string,
  signal: AbortSignal,
): AsyncGenerator<FoundSession> {
  const named = namedPath(given)
  if (!named) return
  const { path, isFolder } = named
  const home = isFolder ? path : homeOf(path)
  const rollouts = new Map<string, Rollout>()
  for await (const rollout of rolloutsIn(home ?? dirname(path), signal)) {
    const known = rollouts.get(rollout.meta.threadId)
    if (!known || isNewer(rollout.file, known.file)) rollouts.set(rollout.meta.threadId, rollout)
  }
  const titles = home === null ? new Map<string, string>() : await titlesIn(home, signal)
  if (isFolder) {
    yield* sessionsOf(rollouts, titles)
    return
  }
  const file = fileAt(path)
  const one = file && (await rolloutOf(file, false))
  if (!one) return
  // An explicitly given rollout is treated as the session, even if it is a sub-agent.
  rollouts.set(one.meta.threadId, one)
  const { threadId } = one.meta
  const agents = [...rollouts.values()].filter(
    ({ meta }) => meta.threadId !== threadId && isBelow(meta.threadId, threadId, rollouts),
  )
  yield sessionOf(threadId, one, agents, titles)
}

function* sessionsOf(
  rollouts: Map<string, Rollout>,
  titles: Map<string, string>,
): Generator<FoundSession> {
  const below = new Map<string, Rollout[]>()
  for (const [id, rollout] of rollouts) {
    const root = rootOf(id, rollouts)
    below.set(root, [...(below.get(root) ?? []), ...(root === id ? [] : [rollout])])
  }
  for (const [id, agents] of below) yield sessionOf(id, rollouts.get(id) ?? null, agents, titles)
}

/** The root of a thread's ancestors, whose file may be missing. */
function rootOf(id: string, rollouts: Map<string, Rollout>): string {
  const seen = new Set<string>()
  for (let one = id; !seen.has(one); ) {
    seen.add(one)
    const meta = rollouts.get(one)?.meta
    if (!meta) {
      // An intermediate sub-agent was deleted, but the root may still exist.
      const below = rollouts.get([...seen].at(-2) ?? '')?.meta.rootId
      return below && rollouts.get(below)?.meta.parentId === null ? below : one
    }
    if (meta.parentId === null) return one
    one = meta.parentId
  }
  // A cycle of parents: the smallest id represents it.
  return [...seen].sort()[0] ?? id
}

function sessionOf(
  key: string,
  root: Rollout | null,
  given: Rollout[],
  titles: Map<string, string>,
): FoundSession {
  const agents = given.sort((a, b) => (a.meta.threadId < b.meta.threadId ? -1 : 1))
  const files = [
    ...(root ? [sourceFile(root, 'session')] : []),
    ...agents.map((agent) => sourceFile(agent, 'sub-agent')),
  ]
  const title = titles.get(key)
  return {
    tool: 'codex',
    key,
    files,
    expiresAtMs: null,
    projectDir: (root ?? agents[0])?.meta.cwd ?? null,
    // `codex resume` lists neither.
    isHidden: root === null || root.isArchived || root.meta.isInternal,
    ...(title !== undefined && { title }),
    ...(root?.meta.continuesFrom && { namedEarlier: [root.meta.continuesFrom] }),
  }
}

function isBelow(id: string, key: string, rollouts: Map<string, Rollout>): boolean {
  const seen = new Set<string>()
  for (let one: string | null = id; one !== null && !seen.has(one); ) {
    if (one === key) return true
    seen.add(one)
    one = rollouts.get(one)?.meta.parentId ?? null
  }
  return false
}

/** Uses a name that stays the same when Codex archives or compresses the file. */
const sourceFile = ({ file, meta }: Rollout, role: SourceFile['role']): SourceFile => ({
  path: file.path,
  name: plainName(file.name),
  bytes: file.bytes,
  mtimeMs: file.mtimeMs,
  role,
  ...(role === 'sub-agent' && { agentId: meta.threadId }),
})

/** Prefers the uncompressed or more recently modified of two files of one thread. */
const isNewer = (file: ListedFile, than: ListedFile): boolean =>
  isCompressed(file.name) === isCompressed(than.name)
    ? file.mtimeMs > than.mtimeMs
    : isCompressed(than.name)

async function* rolloutsIn(home: string, signal: AbortSignal): AsyncGenerator<Rollout> {
  const { folders } = listFolder(home)
  const named = new Set(folders.map(({ name }) => name))
  const isHome = named.has('sessions') || named.has('archived_sessions')
  const places = isHome
    ? [
        { dir: join(home, 'sessions'), isArchived: false },
        { dir: join(home, 'archived_sessions'), isArchived: true },
      ]
    : [{ dir: home, isArchived: basename(home) === 'archived_sessions' }]
  for (const { dir, isArchived } of places)
    for await (const file of rolloutFiles(dir, foldersDeepMax)) {
      signal.throwIfAborted()
      const rollout = await rolloutOf(file, isArchived)
      if (rollout) yield rollout
    }
}

async function* rolloutFiles(dir: string, depth: number): AsyncGenerator<ListedFile> {
  const { files, folders } = listFolder(dir)
  for (const file of files) if (rolloutName.test(file.name) && file.bytes > 0) yield file
  if (depth > 0) for (const { path } of folders) yield* rolloutFiles(path, depth - 1)
}

async function rolloutOf(file: ListedFile, isArchived: boolean): Promise<Rollout | null> {
  const first = await firstRecords(file.path, (record) => metaOf(record) !== null)
  const meta = first.map(metaOf).find((one) => one !== null) ?? idOfName(file.name)
  return meta && { file, meta, isArchived }
}

/** Identifies a rollout with an unreadable first line by its file name. */
function idOfName(name: string): RolloutMeta | null {
  const [, threadId] = /^rollout-.+?-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl/.exec(
    name,
  ) ?? [null, null]
  return threadId ? metaOf({ type: 'session_meta', payload: { id: threadId } }) : null
}

/** The Codex home that contains a rollout; null: outside a Codex home. */
function homeOf(path: string): string | null {
  const parts = dirname(path).split(sep)
  const at = Math.max(parts.lastIndexOf('sessions'), parts.lastIndexOf('archived_sessions'))
  return at > 0 && parts.length - at <= foldersDeepMax ? parts.slice(0, at).join(sep) : null
}

/** Names that people gave to threads, by thread id. The last name of a thread wins. */
async function titlesIn(home: string, signal: AbortSignal): Promise<Map<string, string>> {
  const titles = new Map<string, string>()
  const file = fileAt(join(home, 'session_index.jsonl'))
  if (!file || file.bytes > indexBytesMax) return titles
  for await (const pieces of readPieces(file, isRecord, signal))
    for (const { record } of pieces) {
      const id = text(record?.id)
      const name = text(record?.thread_name)
      if (id !== null && name?.trim()) titles.set(id, name)
    }
  return titles
}
