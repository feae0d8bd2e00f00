/**
 * The index of one kind of artifact in one session directory. It is derived: payloads are durable
 * before it lists them (A1), and it is rebuilt from them if it is missing, damaged or of another
 * version, the original kept aside (A2). See FORMAT.md.
 */
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { createKeyedMutex } from '../../shared/async/keyed-mutex.ts'
import { parseTaskId, type TaskId, taskIdSchema } from '../../shared/records/ids.ts'
import {
  exists,
  readJsonFile,
  removeDurable,
  setAside,
  systemCode,
  writeFileDurable,
} from '../journal/index.ts'

export const artifactIndexVersion = 1

/** The fields of every entry, of any kind. */
export const artifactFields = {
  childTaskId: taskIdSchema,
  /** Null for a root's own artifact. */
  parentWorkspaceId: taskIdSchema.nullable(),
  /** Parent first. */
  ancestorWorkspaceIds: z.array(taskIdSchema),
  title: z.string().optional(),
  createdAtMs: z.number(),
  updatedAtMs: z.number(),
}
export type ArtifactFields = z.infer<z.ZodObject<typeof artifactFields>>

export interface ArtifactIndex<Entry> {
  read(): Promise<Map<TaskId, Entry>>
  /** Returns the entry of a task, also if its payload exists and the index does not list it yet. */
  get(taskId: TaskId): Promise<Entry | null>
  /**
   * Changes one entry; null removes it. Durable when it resolves. Updates of one index are
   * serialized, and waiting ones are written together.
   */
  update(taskId: TaskId, change: (known: Entry | null) => Entry | null): Promise<void>
  /**
   * Creates a missing index from the payloads. Call it before adding many entries, because
   * otherwise each of them reads all payloads.
   */
  make(): Promise<void>
  /**
   * Rebuilds the index from the payloads (A2). The old file is kept aside; its entries for missing
   * payloads stay, so that their loss remains visible.
   */
  rebuild(): Promise<void>
  /** Deletes the file after its entries were moved. An unreadable file is kept aside (A2). */
  remove(): Promise<void>
}

/**
 * `path` is the index file, `payloadDir` holds a folder for each task. `rebuild` returns the entry
 * of one task from its payload folder, or null if nothing in it is usable.
 */
export function openArtifactIndex<Entry>(options: {
  path: string
  payloadDir: string
  entrySchema: z.ZodType<Entry>
  rebuild: (taskId: TaskId, payload: string) => Promise<Entry | null>
  /** Merges the index's entry for a task with the payload's. Default: the payload's replaces it. */
  unite?: (known: Entry, found: Entry) => Entry
}): ArtifactIndex<Entry> {
  const { path, payloadDir, entrySchema, rebuild, unite = (_, found) => found } = options
  const fileSchema = z.object({
    version: z.literal(artifactIndexVersion),
    artifactsByChildTaskId: z.record(taskIdSchema, entrySchema),
  })

  async function read(): Promise<Map<TaskId, Entry>> {
    const file = await readJsonFile(path, fileSchema)
    if (file.kind === 'ok') {
      return new Map(Object.entries(file.value.artifactsByChildTaskId) as [TaskId, Entry][])
    }
    return rebuildAll()
  }

  async function rebuildAll(): Promise<Map<TaskId, Entry>> {
    const entries = new Map<TaskId, Entry>()
    for (const taskId of await taskFolders(payloadDir)) {
      const entry = await rebuildOne(taskId)
      if (entry) entries.set(taskId, entry)
    }
    return entries
  }

  async function rebuildOne(taskId: TaskId): Promise<Entry | null> {
    const payload = join(payloadDir, taskId)
    return (await isDirectory(payload)) ? rebuild(taskId, payload) : null
  }

  async function write(entries: Map<TaskId, Entry>): Promise<void> {
    await writeFileDurable(path, indexFileText(entries))
  }

  return {
    read,
    get: async (taskId) => (await read()).get(taskId) ?? (await rebuildOne(taskId)),
    update: (taskId, change) =>
      together(
        path,
        { taskId, make: (known) => change(known as Entry | null) },
        async (changes) => {
          const entries = await read()
          await keepUnreadable(path, fileSchema)
          for (const { taskId, make } of changes) {
            const entry = make(entries.get(taskId) ?? null) as Entry | null
            if (entry) entries.set(taskId, entry)
            else entries.delete(taskId)
          }
          await write(entries)
        },
      ),
    async make() {
      if (await exists(path)) return
      await serially(path, async () => {
        if (!(await exists(path))) await write(await rebuildAll())
      })
    },
    rebuild: () =>
      alone(path, async () => {
        const file = await readJsonFile(path, fileSchema)
        const known = file.kind === 'ok' ? await read() : new Map<TaskId, Entry>()
        for (const [taskId, found] of await rebuildAll()) {
          const named = known.get(taskId)
          known.set(taskId, named ? unite(named, found) : found)
        }
        await setAside(path, 'damaged')
        await write(known)
      }),
    remove: () =>
      alone(path, async () => {
        await keepUnreadable(path, fileSchema)
        if (await exists(path)) await removeDurable(path)
      }),
  }
}

export function indexFileText(entries: Map<TaskId, unknown>): string {
  const file = {
    version: artifactIndexVersion,
    artifactsByChildTaskId: Object.fromEntries(entries),
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

/** Sets an unusable index aside, because it must never be overwritten (A2). */
async function keepUnreadable(path: string, schema: z.ZodType): Promise<void> {
  const file = await readJsonFile(path, schema)
  if (file.kind === 'damaged') await setAside(path, 'damaged')
}

/** Returns the folders below `dir` whose names are ids; others are never read (A3). */
async function taskFolders(dir: string): Promise<TaskId[]> {
  // Only a missing folder counts as empty: a read error must not produce an index without entries.
  const found = await readdir(dir, { withFileTypes: true }).catch((error) => {
    if (systemCode(error) === 'ENOENT') return []
    throw error
  })
  return found.flatMap((one) => {
    const id = one.isDirectory() ? parseTaskId(one.name) : null
    return id ? [id] : []
  })
}

/** Returns false for a symbolic link. */
async function isDirectory(path: string): Promise<boolean> {
  const stats = await lstat(path).catch((error) => {
    if (systemCode(error) !== 'ENOENT') throw error
  })
  return stats?.isDirectory() === true
}

/** Two children may save reports at the same time, so changes of one index file are serialized. */
const serially = createKeyedMutex()

interface Change {
  taskId: TaskId
  make: (known: unknown) => unknown
}

/** The queued changes of a file, and the turn that will write them. */
const waiting = new Map<string, { changes: Change[]; turn: Promise<void> }>()

/**
 * Passes all changes queued by its turn to `work`, so that an index with hundreds of entries is
 * written once for many changes.
 */
function together(
  path: string,
  change: Change,
  work: (changes: Change[]) => Promise<void>,
): Promise<void> {
  const others = waiting.get(path)
  if (others) {
    others.changes.push(change)
    return others.turn
  }
  const changes = [change]
  const turn = serially(path, () => {
    if (waiting.get(path)?.changes === changes) waiting.delete(path)
    return work(changes)
  })
  waiting.set(path, { changes, turn })
  return turn
}

/** Runs `work` in a turn of its own; later updates go to the next one. */
function alone(path: string, work: () => Promise<void>): Promise<void> {
  waiting.delete(path)
  return serially(path, work)
}
