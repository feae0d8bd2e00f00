/** Compares a session's files with those that were imported before. */
import { join } from 'node:path'
import { readJsonFile } from '../journal/index.ts'
import type { FoundSession, SourceFile } from './adapters/adapter.ts'
import { hashContent, isCompressed } from './adapters/source-content.ts'
import { hashBytes } from './stage/hash-files.ts'
import { type ImportRecord, importFile, importRecordSchema } from './stage/staged-session.ts'

type Comparison =
  /** The files are unchanged. */
  | 'same'
  /** The files contain the imported content and more. */
  | 'grown'
  /** Imported content was removed or overwritten. */
  | 'rewritten'

/** Null: the import record is missing or unreadable. */
export async function readImportRecord(sessionDir: string): Promise<ImportRecord | null> {
  const read = await readJsonFile(join(sessionDir, importFile), importRecordSchema)
  return read.kind === 'ok' ? read.value : null
}

/** Compares sizes and times first, and reads content only where they differ. */
export async function compareFiles(
  record: ImportRecord,
  session: FoundSession,
  signal: AbortSignal,
): Promise<Comparison> {
  const now = new Map(session.files.map((file) => [file.name, file]))
  let isGrown = false
  const [only, ...others] = session.files
  const isOneFile = others.length === 0 && record.files.length === 1
  for (const before of record.files) {
    // A single-file session may be a copy under another name, so its name is not compared.
    const file = isOneFile ? only : now.get(before.name)
    if (file) now.delete(file.name)
    // The tool may have deleted the file; its imported content stays.
    if (!file) continue
    if (isUnchanged(file, before)) continue
    const { bytes, prefix } = await contentBeside(file, before.bytes, signal)
    if (bytes < before.bytes || prefix !== before.sha256) return 'rewritten'
    isGrown ||= bytes > before.bytes
  }
  if (!isGrown && now.size === 0) return 'same'
  // If the tool deleted a file, a new import would lose its content.
  const names = new Set(session.files.map(({ name }) => name))
  if (isOneFile) return 'grown'
  return record.files.every(({ name }) => names.has(name)) ? 'grown' : 'rewritten'
}

/** Compares size and modification time only. */
export const isUnchanged = (file: SourceFile, before: ImportRecord['files'][number]): boolean =>
  file.mtimeMs === before.mtimeMs &&
  (isCompressed(file.path)
    ? file.bytes === before.compressedBytes
    : file.bytes === before.bytes && before.compressedBytes === undefined)

/** The size of a file's decompressed content, and the hash of its first `prefixBytes` bytes. */
async function contentBeside(
  { path, bytes }: SourceFile,
  prefixBytes: number,
  signal: AbortSignal,
): Promise<{ bytes: number; prefix: string | null }> {
  if (isCompressed(path)) return hashContent(path, prefixBytes, signal)
  if (bytes < prefixBytes) return { bytes, prefix: null }
  return { bytes, prefix: await hashBytes(path, prefixBytes, signal) }
}
