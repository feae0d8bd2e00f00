/**
 * `ledger.snapshot.json`: the fold of the ledger up to one record, so that a start folds only later
 * records. Disposable: a snapshot that can't be proved to belong to this ledger is not used. See
 * FORMAT.md.
 */
import { createHash } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import { messageOf } from '../../shared/error-message.ts'
import type { LedgerState } from '../../shared/projections/ledger/ledger-state.ts'
import { parseTaskId, projectIdSchema, type TaskId } from '../../shared/records/ids.ts'
import { projectSchema } from '../../shared/records/projects/projects.ts'
import type { Task } from '../../shared/records/tasks/tasks.ts'
import { openDataFile, systemCode, writeFully } from '../journal/index.ts'
import { differenceFrom, type Fields, restored } from './differences.ts'

const snapshotVersion = 2

/**
 * Identifies the fold. Increase the number when `projections/ledger/fold-ledger.ts` folds the same events
 * differently, so that older snapshots are discarded. The rest is a fingerprint of the shapes of
 * events, tasks and projects, which tests/toolchain/fold-rules.test.ts computes, because computing
 * it here would delay every start.
 */
export const foldRules = '6-tSEZrsH1hGVHzhzOjLyjWYrFImEJxR9MuIlpPzx2BIE'

/**
 * Serialized in one step of a few milliseconds, short enough not to delay other work noticeably.
 */
const tasksAtOnce = 250
/** A million tasks take less. A longer file is not Shiplog's and must not fill the memory. */
const snapshotBytesMax = 2 ** 31
const readBytesAtOnce = 1 << 20
const newline = 0x0a

interface Snapshot {
  state: LedgerState
  /** The checksum of the ledger's record `state.seq`, which by the chain covers all before it. */
  link: string
}

type SnapshotRead =
  | { kind: 'ok'; snapshot: Snapshot }
  | { kind: 'missing' }
  | { kind: 'unusable'; reason: string }

export const snapshotPathOf = (ledgerPath: string): string =>
  join(dirname(ledgerPath), 'ledger.snapshot.json')

/**
 * Reads a complete snapshot that was written by the same rules for this data directory. The caller
 * must check that it belongs to this ledger. Never throws, because a snapshot is optional.
 */
export async function readSnapshot(path: string, dataDir: string): Promise<SnapshotRead> {
  try {
    const handle = await openDataFile(path, 'read')
    try {
      return await readFrom(handle, dataDir)
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { kind: 'missing' }
    return unusable(messageOf(error))
  }
}

/** Reads line by line, because the whole text would be most of the memory of a start. */
async function readFrom(handle: FileHandle, dataDir: string): Promise<SnapshotRead> {
  if ((await handle.stat()).size > snapshotBytesMax) return unusable('not a snapshot')
  const hash = createHash('sha256')
  const tasks = new Map<TaskId, Task>()
  const isTask = taskCheck()
  let head: Head | null = null
  let sum: string | null = null
  for await (const line of linesOf(handle)) {
    if (line.at(-1) !== newline) return unusable('cut short')
    if (sum !== null) return unusable('more than a snapshot')
    const parsed: unknown = JSON.parse(line.toString('utf8', 0, line.length - 1))
    if (head && !Array.isArray(parsed)) {
      sum = (parsed as { sum: string }).sum
      continue
    }
    hash.update(line)
    if (head) for (const task of tasksIn(parsed as Fields[], isTask)) tasks.set(task.id, task)
    else {
      const read = headSchema.safeParse(parsed)
      if (!read.success) return unusable('another version, or no snapshot')
      if (read.data.rules !== foldRules) return unusable('folded by other rules')
      // Paths in the fold are absolute, so they are wrong after the directory was moved.
      if (read.data.dataDir !== dataDir) return unusable('of another data directory')
      head = read.data
    }
  }
  if (!head || sum === null) return unusable('cut short')
  if (sum !== hash.digest('base64url')) return unusable('a wrong checksum')
  const { seq, link, clock } = head
  const state = {
    seq,
    dataDir,
    tasks,
    clock,
    projects: byId(head.projects),
    removedProjects: byId(head.removedProjects),
    trustedSetups: new Map(head.trustedSetups),
  }
  return { kind: 'ok', snapshot: { state, link } }
}

const byId = <Item extends { id: string }>(items: Item[]): Map<Item['id'], Item> =>
  new Map(items.map((item) => [item.id, item]))

/** Yields lines with their newlines; the rest after the last newline comes last. */
async function* linesOf(handle: FileHandle): AsyncGenerator<Buffer> {
  let begun: Buffer[] = []
  const stream = handle.createReadStream({ highWaterMark: readBytesAtOnce, autoClose: false })
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      yield Buffer.concat([...begun, chunk.subarray(start, end + 1)])
      begun = []
      start = end + 1
    }
    if (start < chunk.length) begun.push(chunk.subarray(start))
  }
  if (begun.length > 0) yield Buffer.concat(begun)
}

/**
 * Replaces the snapshot, without a sync and in small steps: nothing waits for it, and an incomplete
 * one is detected when it is read. `state` must not change in the meantime.
 */
export async function writeSnapshot(path: string, { state, link }: Snapshot): Promise<void> {
  const lines: Buffer[] = []
  const hash = createHash('sha256')
  for await (const line of linesFor({ state, link })) {
    const bytes = Buffer.from(`${line}\n`)
    hash.update(bytes)
    lines.push(bytes)
  }
  const end = `${JSON.stringify({ sum: hash.digest('base64url') })}\n`
  await removeSnapshot(path)
  // `wx` creates a new file, so it neither follows a symbolic link nor appends to an existing file.
  const handle = await open(path, 'wx', 0o600)
  try {
    for (const line of lines) await writeFully(handle, line)
    await writeFully(handle, Buffer.from(end))
  } finally {
    await handle.close()
  }
}

export const removeSnapshot = (path: string): Promise<void> => rm(path, { force: true })

const unusable = (reason: string): SnapshotRead => ({ kind: 'unusable', reason })

const headSchema = z.object({
  version: z.literal(snapshotVersion),
  rules: z.string(),
  dataDir: z.string(),
  seq: z.number().int().min(1),
  link: z.string().length(43),
  projects: z.array(projectSchema),
  removedProjects: z.array(projectSchema),
  trustedSetups: z.array(z.tuple([projectIdSchema, z.string()])),
  clock: z.object({ lastAtMs: z.number().nullable(), leapFromMs: z.number().nullable() }),
})
type Head = z.infer<typeof headSchema>

async function* linesFor({ state, link }: Snapshot): AsyncGenerator<string> {
  const { dataDir, seq, clock } = state
  const head: Head = {
    version: snapshotVersion,
    rules: foldRules,
    dataDir,
    seq,
    link,
    projects: [...state.projects.values()],
    removedProjects: [...state.removedProjects.values()],
    trustedSetups: [...state.trustedSetups],
    clock,
  }
  yield JSON.stringify(head)
  let line: Fields[] = []
  for (const task of state.tasks.values()) {
    const fields = task as unknown as Fields
    const [first] = line
    const difference = first && line.length < tasksAtOnce ? differenceFrom(first, fields) : null
    if (difference) line.push(difference)
    else {
      if (line.length > 0) yield JSON.stringify(line)
      await nextTurn()
      line = [fields]
    }
  }
  if (line.length > 0) yield JSON.stringify(line)
}

/** Throws if one of them is not a task. */
function tasksIn([first, ...differences]: Fields[], isTask: (value: unknown) => boolean): Task[] {
  if (first === undefined) return []
  const tasks = [first, ...differences.map((difference) => restored(first, difference))]
  if (!tasks.every(isTask)) throw new Error('another shape')
  return tasks as unknown as Task[]
}

/**
 * Checks only the ids of tasks, because ten thousand tasks must be read quickly. The checksum and
 * the rules cover the rest; ids become parts of paths and are always parsed (A3), each once.
 */
function taskCheck(): (value: unknown) => boolean {
  const known = new Set<unknown>()
  const isId = (id: unknown) =>
    known.has(id) || (parseTaskId(id) !== null && known.add(id) !== undefined)
  return (value) => {
    const { id, parentId, rootId, runs, workspace } = (value ?? {}) as Partial<Task>
    const ids = [id, rootId, parentId ?? rootId, workspace ? workspace.id : id]
    return Array.isArray(runs) && ids.every(isId)
  }
}

/** Reports whether two folds are equal, including the order of their tasks. */
export function isSameFold(one: LedgerState, other: LedgerState): boolean {
  const [{ tasks, ...about }, { tasks: otherTasks, ...aboutOther }] = [one, other]
  if (sorted(about) !== sorted(aboutOther) || tasks.size !== otherTasks.size) return false
  const others = otherTasks.values()
  return [...tasks.values()].every((task) => sorted(task) === sorted(others.next().value))
}

/** Serializes to JSON independently of the order in which fields were added. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, part) => {
    if (part instanceof Map) return [...part]
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
