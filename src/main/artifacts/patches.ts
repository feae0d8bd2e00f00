/**
 * Patches: `subagent-patches/<taskId>/` with `series.mbox` (its commits) and `worktree.patch` (its
 * uncommitted changes). Together they preserve a task's work after its workspace was deleted.
 */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { TaskId } from '../../shared/records/ids.ts'
import {
  makeDirInside,
  readJsonFile,
  sha256OfDataFile,
  writeFileDurable,
} from '../journal/index.ts'
import { type ArtifactIndex, artifactFields, openArtifactIndex } from './artifact-index.ts'

export const patchesDir = 'subagent-patches'
export const patchesIndexFile = 'subagent-patches.json'
export const seriesFile = 'series.mbox'
export const worktreePatchFile = 'worktree.patch'
/** Stored with the payload, so that the index can be rebuilt (A2). */
export const patchFile = 'patch.json'

export const patchEntrySchema = z.object({
  ...artifactFields,
  status: z.enum(['pending', 'ready', 'none', 'failed', 'applied']),
  baseCommit: z.string().nullable(),
  /** The last commit of the task's own branch. */
  headCommit: z.string().nullable(),
  /** A commit in the turn store that holds everything, uncommitted work included. */
  finalCommit: z.string().nullable(),
  paths: z.array(z.string()),
  /**
   * The payload files with the SHA-256 of their content in hex, so that a lost or changed file is
   * detected. Absent if the patch could not be made.
   */
  files: z.array(z.object({ name: z.string(), sha256: z.string() })).optional(),
  /** When its files were recorded, in milliseconds since the epoch, if the folder itself was gone at its removal. */
  recordedAtMs: z.number().optional(),
  /** Why the patch could not be made. */
  error: z.string().optional(),
})
export type PatchEntry = z.infer<typeof patchEntrySchema>

export const patchFileSchema = z.object({ version: z.literal(1), entry: patchEntrySchema })

export const patchIndex = (sessionDir: string): ArtifactIndex<PatchEntry> =>
  openArtifactIndex({
    path: join(sessionDir, patchesIndexFile),
    payloadDir: join(sessionDir, patchesDir),
    entrySchema: patchEntrySchema,
    rebuild: entryFromPayload,
  })

export const patchDir = (sessionDir: string, taskId: TaskId): string =>
  join(sessionDir, patchesDir, taskId)

/**
 * Saves the index entry of a patch whose files `writePayload` has made durable in the given folder.
 * Rejects if it could not be written (A6).
 */
export async function savePatch(
  sessionDir: string,
  taskId: TaskId,
  writePayload: (dir: string) => Promise<PatchEntry>,
): Promise<PatchEntry> {
  const dir = patchDir(sessionDir, taskId)
  await makeDirInside(sessionDir, dir)
  const entry = await writePayload(dir)
  await describePatch(dir, entry)
  await patchIndex(sessionDir).update(taskId, () => entry)
  return entry
}

/** Returns name and hash of each file that exists. */
export async function describeFiles(dir: string, names: string[]): Promise<PatchEntry['files']> {
  return Promise.all(
    names.map(async (name) => ({ name, sha256: await sha256OfDataFile(join(dir, name)) })),
  )
}

/** Changes the status of an existing patch; resolves with false if there is none. */
export async function changePatchStatus(
  sessionDir: string,
  taskId: TaskId,
  status: PatchEntry['status'],
  nowMs: number,
): Promise<boolean> {
  const known = await patchIndex(sessionDir).get(taskId)
  if (!known) return false
  const entry = { ...known, status, updatedAtMs: nowMs }
  // The folder may have been deleted by hand; the index still lists it.
  await makeDirInside(sessionDir, patchDir(sessionDir, taskId))
  await describePatch(patchDir(sessionDir, taskId), entry)
  await patchIndex(sessionDir).update(taskId, () => entry)
  return true
}

async function describePatch(dir: string, entry: PatchEntry): Promise<void> {
  await writeFileDurable(
    join(dir, patchFile),
    `${JSON.stringify({ version: 1, entry }, null, 2)}\n`,
  )
}

async function entryFromPayload(taskId: TaskId, payload: string): Promise<PatchEntry | null> {
  const names = await readdir(payload)
  if (!names.includes(patchFile)) return null
  const described = await readJsonFile(join(payload, patchFile), patchFileSchema)
  return described.kind === 'ok' && described.value.entry.childTaskId === taskId
    ? described.value.entry
    : null
}
