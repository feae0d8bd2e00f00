/**
 * Finds sessions of Codex: in its whole folder (`sessions/YYYY/MM/DD/rollout-*.jsonl`, `archived_sessions/`), in a folder
 * of rollouts, or in one file. Each sub-agent has a rollout of its own, whose first line names its parent. Reads names,
 * sizes, times and first lines only.
 */
import { basename, dirname, join, sep } from 'node:path'
import type { FoundSession, SourceFile } from '../adapter.ts'
import { fileAt, firstRecords, type ListedFile, listFolder, namedPath } from '../folders.ts'
import { readPieces } from '../json-lines.ts'
import { isCompressed, plainName } from '../source-content.ts'
import { isRecord, text } from '../values.ts'
import { metaOf, type RolloutMeta } from './lines.ts'

const rolloutName = /^rollout-.+\.jsonl(?:\.zst)?$/
/** `sessions/YYYY/MM/DD`; a folder that nests deeper is none of Codex's. */
const foldersDeepMax = 4
/** The names that people gave to threads; a larger file is none. */
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
  const named = await namedPath(given)
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
  const file = await fileAt(path)
  const one = file && (await rolloutOf(file, false))
  if (!one) return
  // What a person names is the session, also if it is a sub-agent of another.
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

/** The topmost thread above one; its own file may be gone. */
function rootOf(id: string, rollouts: Map<string, Rollout>): string {
  const seen = new Set<string>()
  for (let one = id; !seen.has(one); ) {
    seen.add(one)
    const meta = rollouts.get(one)?.meta
    if (!meta) {
      // A sub-agent between them was deleted: the session itself may still exist.
      const below = rollouts.get([...seen].at(-2) ?? '')?.meta.rootId
      return below && rollouts.get(below)?.meta.parentId === null ? below : one
    }
    if (meta.parentId === null) return one
    one = meta.parentId
  }
  // Threads that name each other as parents: the smallest id stands for all of them.
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
    ...{ tool: 'codex', key, files, expiresAtMs: null },
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

/** Its name stays when Codex moves it to the archived ones, or compresses it. */
const sourceFile = ({ file, meta }: Rollout, role: SourceFile['role']): SourceFile => ({
  ...{ path: file.path, name: plainName(file.name), bytes: file.bytes, mtimeMs: file.mtimeMs },
  role,
  ...(role === 'sub-agent' && { agentId: meta.threadId }),
})

/** A thread that is there twice: the file that was written to last, or the one that is not compressed. */
const isNewer = (file: ListedFile, than: ListedFile): boolean =>
  isCompressed(file.name) === isCompressed(than.name)
    ? file.mtimeMs > than.mtimeMs
    : isCompressed(than.name)

async function* rolloutsIn(home: string, signal: AbortSignal): AsyncGenerator<Rollout> {
  const { folders } = await listFolder(home)
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

async function* rolloutFiles(dir: string, deep: number): AsyncGenerator<ListedFile> {
  const { files, folders } = await listFolder(dir)
  for (const file of files) if (rolloutName.test(file.name) && file.bytes > 0) yield file
  if (deep > 0) for (const { path } of folders) yield* rolloutFiles(path, deep - 1)
}

async function rolloutOf(file: ListedFile, isArchived: boolean): Promise<Rollout | null> {
  const first = await firstRecords(file.path, (record) => metaOf(record) !== null)
  const meta = first.map(metaOf).find((one) => one !== null) ?? idOfName(file.name)
  return meta && { file, meta, isArchived }
}

/** A rollout whose first line can't be read is still one, by its name. */
function idOfName(name: string): RolloutMeta | null {
  const [, threadId] = /^rollout-.+?-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl/.exec(
    name,
  ) ?? [null, null]
  return threadId ? metaOf({ type: 'session_meta', payload: { id: threadId } }) : null
}

/** The folder of Codex that a rollout lies in; null: it lies elsewhere. */
function homeOf(path: string): string | null {
  const parts = dirname(path).split(sep)
  const at = Math.max(parts.lastIndexOf('sessions'), parts.lastIndexOf('archived_sessions'))
  return at > 0 && parts.length - at <= foldersDeepMax ? parts.slice(0, at).join(sep) : null
}

/** Names that people gave to threads: the last one of each counts. */
async function titlesIn(home: string, signal: AbortSignal): Promise<Map<string, string>> {
  const titles = new Map<string, string>()
  const file = await fileAt(join(home, 'session_index.jsonl'))
  if (!file || file.bytes > indexBytesMax) return titles
  for await (const pieces of readPieces(file, isRecord, signal))
    for (const { record } of pieces) {
      const id = text(record?.id)
      const name = text(record?.thread_name)
      if (id !== null && name?.trim()) titles.set(id, name)
    }
  return titles
}
