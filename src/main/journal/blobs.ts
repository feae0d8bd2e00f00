// Long values are stored beside the journal, one file each, named after their content (J10). See
// FORMAT.md.
import { createHash } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { systemCode } from './errors.ts'
import { isNoFile, openDataFile, readDataFile } from './files/data-file.ts'
import { makeDirDurable, syncDirectory, writeFileDurable } from './files/durable-files.ts'
import { moveDurable } from './files/move.ts'
import type { BlobReference, JournalRecord } from './types.ts'

/** Longer strings go to blobs, so that lines stay short enough to page and scan quickly. */
export const valueBytesMax = 256 << 10
/** Characters of a value that stay in the record as its preview: a screenful. */
const previewLength = 2000

/** A value that is not written yet. */
export interface Blob {
  sha256: string
  data: Buffer
}

export function blobDirectory(journalFile: string): string {
  return path.join(path.dirname(path.resolve(journalFile)), 'blobs')
}

/**
 * Replaces long strings in plain JSON fields by previews, in place, and lists them in `blobs`. Returns the values that
 * must be stored before the record is written.
 */
export function extractBlobs(fields: Record<string, unknown>): Blob[] {
  const blobs: Blob[] = []
  const references: BlobReference[] = []

  function visit(holder: Holder, at: (string | number)[]): void {
    for (const key of Object.keys(holder)) {
      const value = holder[key]
      const here = [...at, Array.isArray(holder) ? Number(key) : key]
      if (typeof value === 'string' && Buffer.byteLength(value) > valueBytesMax) {
        const { blob, reference } = blobOf(value, here)
        blobs.push(blob)
        references.push(reference)
        holder[key] = value.slice(0, previewLength).toWellFormed()
      } else if (typeof value === 'object' && value !== null) visit(value as Holder, here)
    }
  }

  visit(fields, [])
  if (references.length > 0) fields.blobs = references
  return blobs
}

/** Writes a blob durably. Identical content is stored once. */
export async function storeBlob(directory: string, { sha256, data }: Blob): Promise<void> {
  await makeDirDurable(directory)
  const file = path.join(directory, sha256)
  const size = await stat(file).then(
    (status) => status.size,
    () => -1,
  )
  // The file may come from a process that died before its directory entry was durable.
  if (size === data.length) await syncDirectory(directory)
  else await writeFileDurable(file, data)
}

/** Moves a file with durable content into place as the blob `sha256`. */
export async function storeBlobFile(
  directory: string,
  { file, sha256, bytes }: { file: string; sha256: string; bytes: number },
): Promise<void> {
  await makeDirDurable(directory)
  const target = path.join(directory, sha256)
  const size = await stat(target).then(
    (status) => status.size,
    () => -1,
  )
  if (size === bytes) {
    await syncDirectory(directory)
    await rm(file)
  } else {
    // An existing file of another size is truncated.
    if (size !== -1) await rm(target)
    await moveDurable(file, target)
  }
}

/** Returns a part of a blob, or null if there is no such blob. `total` is its size in bytes. */
export async function readBlobPart(
  directory: string,
  sha256: string,
  { offset, bytesMax }: { offset: number; bytesMax: number },
): Promise<{ data: Buffer; total: number } | null> {
  if (!/^[0-9a-f]{64}$/.test(sha256)) return null
  try {
    const handle = await openDataFile(path.join(directory, sha256), 'read')
    try {
      const { size: total } = await handle.stat()
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytesMax), 0, bytesMax, offset)
      return { data: buffer.subarray(0, bytesRead), total }
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || isNoFile(error)) return null
    throw error
  }
}

/**
 * Restores the values of a record, in place. Returns the references whose file is missing or changed: these keep their
 * preview and stay listed in `blobs`.
 */
export async function restoreBlobs(
  directory: string,
  record: JournalRecord,
): Promise<BlobReference[]> {
  const lost: BlobReference[] = []
  for (const reference of blobReferences(record)) {
    const value = await readValue(directory, reference)
    if (value === null || !setValue(record, reference.at, value)) lost.push(reference)
  }
  if (lost.length > 0) record.blobs = lost
  else delete record.blobs
  return lost
}

export function blobReferences(record: JournalRecord): BlobReference[] {
  return Array.isArray(record.blobs) ? (record.blobs as BlobReference[]) : []
}

type Holder = Record<string, unknown>

function blobOf(value: string, at: (string | number)[]): { blob: Blob; reference: BlobReference } {
  // UTF-8 can't encode lone surrogates, so such a value is stored as its JSON text.
  const encoding = value.isWellFormed() ? 'utf8' : 'json'
  const data = Buffer.from(encoding === 'utf8' ? value : JSON.stringify(value))
  const sha256 = sha256Of(data)
  return { blob: { sha256, data }, reference: { at, sha256, bytes: data.length, encoding } }
}

async function readValue(directory: string, reference: BlobReference): Promise<string | null> {
  const text = (await readBlob(directory, reference.sha256))?.toString('utf8') ?? null
  return text !== null && reference.encoding === 'json' ? JSON.parse(text) : text
}

/** Returns a whole blob, or null if it is missing or its content does not match its name. */
export async function readBlob(directory: string, sha256: string): Promise<Buffer | null> {
  // The hash was read from a file: only a valid one may become part of a path (A3).
  if (!/^[0-9a-f]{64}$/.test(sha256)) return null
  try {
    const data = await readDataFile(path.join(directory, sha256))
    return sha256Of(data) === sha256 ? data : null
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || isNoFile(error)) return null
    throw error
  }
}

function setValue(record: JournalRecord, at: (string | number)[], value: string): boolean {
  const last = at.at(-1)
  if (last === undefined) return false
  const holder = at.slice(0, -1).reduce<unknown>(childOf, record)
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, last)) return false
  ;(holder as Holder)[last] = value
  return true
}

function childOf(holder: unknown, key: string | number): unknown {
  return typeof holder === 'object' && holder !== null && Object.hasOwn(holder, key)
    ? (holder as Holder)[key]
    : undefined
}

function sha256Of(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex')
}
