/**
 * `ledger.snapshot.json`: the fold of the ledger up to one record, so that a start folds only what came
 * after it. It is disposable: what can't be proved to be the fold of this very ledger is not used. See
 * FORMAT.md.
 */
import { createHash, type Hash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import { parseTaskId, projectIdSchema } from '../../shared/ids.ts'
import type { LedgerState } from '../../shared/projections/ledger-state.ts'
import { projectSchema, type Task } from '../../shared/tasks.ts'
import { openDataFile, systemCode, writeFully } from '../journal/index.ts'

const snapshotVersion = 1

/**
 * Another one is another fold: raise its number when `projections/ledger-state.ts` folds the same events into
 * something else, so that what an older Shiplog folded is folded anew. What follows it stands for the shapes of events,
 * tasks and projects; tests/toolchain/fold-rules.test.ts says what it has to be. Every start would wait for it here.
 */
export const foldRules = '3-X4rT1zF6J6Kb6zw-ZJ92DF6IH5ReZVzS1zhksVlp7Q8'

/** Turned into JSON in one go: a few milliseconds, so that nothing else waits noticeably. */
const tasksAtOnce = 250
/** A million tasks need less. What is longer is not ours, and must not fill the memory. */
const snapshotBytesMax = 2 ** 31

export interface Snapshot {
  state: LedgerState
  /** The checksum of the ledger's record `state.seq`: the chain makes it stand for all before. */
  link: string
}

type SnapshotRead =
  | { kind: 'ok'; snapshot: Snapshot; text: string }
  | { kind: 'missing' }
  | { kind: 'unusable'; reason: string }

export const snapshotPathOf = (ledgerPath: string): string =>
  join(dirname(ledgerPath), 'ledger.snapshot.json')

/**
 * The snapshot as it says of itself: whole, and made by the same rules for this data directory. That it
 * is one of this ledger, its caller has to compare. Never throws: what can't be read is not needed.
 */
export async function readSnapshot(path: string, dataDir: string): Promise<SnapshotRead> {
  try {
    const bytes = await readBytes(path)
    const found = head.exec(bytes.toString('latin1', 0, headBytes))
    if (!found) return unusable('another version, or no snapshot')
    if (bytes.toString('latin1', bytes.length - tail.length) !== tail) return unusable('cut short')
    const fold = bytes.subarray(found[0].length, bytes.length - tail.length)
    if (sumOf(createHash('sha256').update(fold)) !== found[1]) return unusable('a wrong checksum')
    const text = fold.toString('utf8')
    const parsed = foldSchema.safeParse(JSON.parse(text))
    if (!parsed.success) return unusable('another shape')
    const { rules, link, ...state } = parsed.data
    if (rules !== foldRules) return unusable('folded by other rules')
    // Paths in the fold are absolute: once the directory was moved they are those of its old place.
    if (state.dataDir !== dataDir) return unusable('of another data directory')
    return { kind: 'ok', snapshot: { state: stateOf(state), link }, text }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { kind: 'missing' }
    return unusable(error instanceof Error ? error.message : String(error))
  }
}

/**
 * Writes a snapshot in place of the one before, without a sync and a little at a time: nobody waits for
 * it, and one that was cut short is noticed when it is read. `state` must not change meanwhile.
 */
export async function writeSnapshot(path: string, { state, link }: Snapshot): Promise<void> {
  const pieces: Buffer[] = []
  const hash = createHash('sha256')
  for await (const piece of foldPieces({ state, link })) {
    const bytes = Buffer.from(piece)
    hash.update(bytes)
    pieces.push(bytes)
  }
  await removeSnapshot(path)
  // `wx` makes a new file: it neither follows a symbolic link nor adds to what somebody put there.
  const handle = await open(path, 'wx', 0o600)
  try {
    await writeFully(handle, Buffer.from(headOf(sumOf(hash))))
    for (const piece of pieces) await writeFully(handle, piece)
    await writeFully(handle, Buffer.from(tail))
  } finally {
    await handle.close()
  }
}

export const removeSnapshot = (path: string): Promise<void> => rm(path, { force: true })

/** What a snapshot of this state holds, as text: for comparing. */
export async function foldText(snapshot: Snapshot): Promise<string> {
  let text = ''
  for await (const piece of foldPieces(snapshot)) text += piece
  return text
}

const unusable = (reason: string): SnapshotRead => ({ kind: 'unusable', reason })

const headOf = (sum: string): string => `{"version":${snapshotVersion},"sum":"${sum}","fold":`
const head = new RegExp(`^${headOf('([\\w-]{43})').replace('{', '\\{')}`)
const headBytes = headOf('x'.repeat(43)).length
const tail = '}\n'

const sumOf = (hash: Hash): string => hash.digest('base64url')

const foldSchema = z.object({
  rules: z.string(),
  dataDir: z.string(),
  seq: z.number().int().min(1),
  link: z.string().length(43),
  projects: z.array(projectSchema),
  removedProjects: z.array(projectSchema),
  tasks: z.array(z.custom<Task>(isTask)),
  trustedSetups: z.array(z.tuple([projectIdSchema, z.string()])),
  clock: z.object({ lastAtMs: z.number().nullable(), leapFromMs: z.number().nullable() }),
})

/**
 * Looked at no closer than this: ten thousand of them have to be quick. The checksum and the rules vouch
 * for the rest; ids become parts of paths, and are parsed as everywhere (A3).
 */
function isTask(value: unknown): boolean {
  const { id, parentId, rootId, runs, workspace } = (value ?? {}) as Partial<Task>
  const ids = [id, rootId, parentId ?? rootId, workspace ? workspace.id : id]
  return Array.isArray(runs) && ids.every((one) => parseTaskId(one) !== null)
}

async function* foldPieces({ state, link }: Snapshot): AsyncGenerator<string> {
  const { dataDir, seq } = state
  const tasks = [...state.tasks.values()]
  const opening = JSON.stringify({ rules: foldRules, dataDir, seq, link })
  const projects = JSON.stringify([...state.projects.values()])
  const removedProjects = JSON.stringify([...state.removedProjects.values()])
  const trustedSetups = JSON.stringify([...state.trustedSetups])
  yield `${opening.slice(0, -1)},"projects":${projects},"removedProjects":${removedProjects},"tasks":[`
  for (let from = 0; from < tasks.length; from += tasksAtOnce) {
    const some = JSON.stringify(tasks.slice(from, from + tasksAtOnce)).slice(1, -1)
    yield from === 0 ? some : `,${some}`
    await nextTurn()
  }
  yield `],"trustedSetups":${trustedSetups},"clock":${JSON.stringify(state.clock)}}`
}

type FoldFields = Omit<z.infer<typeof foldSchema>, 'rules' | 'link'>

function stateOf(fold: FoldFields): LedgerState {
  const { seq, dataDir, clock } = fold
  return {
    seq,
    dataDir,
    projects: byId(fold.projects),
    removedProjects: byId(fold.removedProjects),
    tasks: byId(fold.tasks),
    trustedSetups: new Map(fold.trustedSetups),
    clock,
  }
}

const byId = <Item extends { id: string }>(items: Item[]): Map<Item['id'], Item> =>
  new Map(items.map((item) => [item.id, item]))

async function readBytes(path: string): Promise<Buffer> {
  const handle = await openDataFile(path, 'read')
  try {
    const status = await handle.stat()
    if (status.size > snapshotBytesMax) throw new Error('not a snapshot')
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}
