/**
 * Moves expired transcripts to the trash and back (X2, X3): the content moves, `transcript.json`
 * and the index entry stay and mark it as expired. See FORMAT.md.
 */
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { TaskId } from '../../shared/records/ids.ts'
import {
  exists,
  makeDirDurable,
  makeDirInside,
  moveDurable,
  type RawPath,
  rawJoin,
  readJsonFile,
  refuseSymlinks,
  removeDurable,
  writeFileDurable,
} from '../journal/index.ts'
import { transcriptParts } from '../sessions/session-files.ts'
import {
  archivedTranscriptDir,
  type ExpiredMark,
  entryFromPayload,
  transcriptFile,
  transcriptFileSchema,
  transcriptIndex,
} from './transcripts.ts'

/**
 * Where a transcript is kept: among the artifacts of `keeperDir`, or, for a root, in that directory
 * itself.
 */
export interface TranscriptPlace {
  keeperDir: string
  own: boolean
}

/**
 * Moves the transcript's content to `trashDir`. Idempotent: a second call completes one that a crash
 * interrupted.
 */
export async function expireTranscript(
  place: TranscriptPlace,
  taskId: TaskId,
  trashDir: string,
  mark: { receiptId: string; atMs: number },
): Promise<void> {
  const dir = contentDir(place, taskId)
  await refuseSymlinks(place.keeperDir, dir)
  if (!place.own) await markExpired(place.keeperDir, taskId, mark)
  await makeDirDurable(trashDir)
  for (const part of transcriptParts) await moveDurable(join(dir, part), join(trashDir, part))
}

/**
 * Moves the transcript's content from `trashDir` back. Idempotent, as `expireTranscript`. Throws if neither the trash
 * nor its place has the content.
 */
export async function unexpireTranscript(
  place: TranscriptPlace,
  taskId: TaskId,
  trashDir: string,
): Promise<void> {
  const dir = contentDir(place, taskId)
  const isInTrash = (await lstat(trashDir).catch(() => null))?.isDirectory() === true
  if (!isInTrash && !(await holdsTranscript(place, taskId)))
    throw new Error('it is not in the trash any more')
  await makeDirInside(place.keeperDir, dir)
  if (isInTrash) await emptyInto(dir, trashDir)
  if (!place.own) await markExpired(place.keeperDir, taskId, null)
}

async function emptyInto(dir: string, trashDir: string): Promise<void> {
  // Files written there since the expiry are newer: they stay, and the restored files are kept beside them.
  for (const part of transcriptParts)
    await moveDurable(join(trashDir, part), join(dir, part), { rival: 'newer' })
  // Any other file in the folder stays (R3).
  if ((await readdir(trashDir)).length === 0) await removeDurable(trashDir)
}

/** Reports whether any part of the transcript is in its place, not in the trash. */
export async function holdsTranscript(place: TranscriptPlace, taskId: TaskId): Promise<boolean> {
  for (const part of transcriptParts) {
    if (await exists(join(contentDir(place, taskId), part))) return true
  }
  return false
}

/** Returns the bytes of all parts of a transcript, in its place or in the trash. */
export async function contentBytes(dir: string): Promise<number> {
  let bytes = 0
  for (const part of transcriptParts) bytes += await bytesBelow(join(dir, part))
  return bytes
}

export const contentDir = ({ keeperDir, own }: TranscriptPlace, taskId: TaskId): string =>
  own ? keeperDir : archivedTranscriptDir(keeperDir, taskId)

/**
 * Returns the bytes of a file, or of all files below a folder. Does not follow symbolic links;
 * returns 0 if nothing exists.
 */
export async function bytesBelow(path: RawPath): Promise<number> {
  const stats = await lstat(path).catch(() => null)
  if (!stats?.isDirectory()) return stats?.isFile() ? stats.size : 0
  let bytes = 0
  for (const name of await readdir(path, { encoding: 'buffer' }).catch(() => []))
    bytes += await bytesBelow(rawJoin(path, name))
  return bytes
}

/** Marks the payload first, so that a rebuilt index agrees, then the index (A1). */
async function markExpired(
  keeperDir: string,
  taskId: TaskId,
  mark: { receiptId: string; atMs: number } | null,
): Promise<void> {
  const index = transcriptIndex(keeperDir)
  const known = await index.get(taskId)
  const payload = archivedTranscriptDir(keeperDir, taskId)
  const file = join(payload, transcriptFile)
  const described = await readJsonFile(file, transcriptFileSchema)
  // An unreadable file is left unchanged for the doctor to report; the ledger has its state.
  if (described.kind !== 'ok') return
  const { expired: before, ...fields } = described.value
  const { messageCount = 0, entryCount = 0, bytes = 0 } = before ?? known ?? {}
  const expired: ExpiredMark | undefined = mark
    ? { ...mark, messageCount, entryCount, bytes }
    : undefined
  await writeFileDurable(file, `${JSON.stringify({ ...fields, expired }, null, 2)}\n`)
  const entry = await entryFromPayload(taskId, payload)
  await index.update(taskId, (old) => entry ?? old)
}
