/** Whether a session is here already, and whether its files are still those that were imported. */
import { join } from 'node:path'
import { readJsonFile } from '../journal/index.ts'
import type { FoundSession, SourceFile } from './adapters/adapter.ts'
import { hashContent, isCompressed } from './adapters/source-content.ts'
import { hashBytes } from './stage/hash-files.ts'
import { type ImportRecord, importFile, importRecordSchema } from './stage/staged-session.ts'

type Comparison =
  /** Nothing was written since. */
  | 'same'
  /** All that was imported is still there, and there is more. */
  | 'grown'
  /** Something that was imported is gone or was written over. */
  | 'rewritten'

/** Null: it has none that can be read. */
export async function readImportRecord(sessionDir: string): Promise<ImportRecord | null> {
  const read = await readJsonFile(join(sessionDir, importFile), importRecordSchema)
  return read.kind === 'ok' ? read.value : null
}

/** Reads no content unless sizes or times differ. */
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
    // The only file of a session may be a copy under another name.
    const file = isOneFile ? only : now.get(before.name)
    if (file) now.delete(file.name)
    // Its tool may have deleted it: what is here stays.
    if (!file) continue
    if (isUnchanged(file, before)) continue
    const { bytes, prefix } = await contentBeside(file, before.bytes, signal)
    if (bytes < before.bytes || prefix !== before.sha256) return 'rewritten'
    isGrown ||= bytes > before.bytes
  }
  if (!isGrown && now.size === 0) return 'same'
  // A new reading would lack what was deleted since.
  const names = new Set(session.files.map(({ name }) => name))
  if (isOneFile) return 'grown'
  return record.files.every(({ name }) => names.has(name)) ? 'grown' : 'rewritten'
}

/** By size and time alone. */
export const isUnchanged = (file: SourceFile, before: ImportRecord['files'][number]): boolean =>
  file.mtimeMs === before.mtimeMs &&
  (isCompressed(file.path)
    ? file.bytes === before.compressedBytes
    : file.bytes === before.bytes && before.compressedBytes === undefined)

/** The size of a file's content, and the hash of its beginning. */
async function contentBeside(
  { path, bytes }: SourceFile,
  prefixBytes: number,
  signal: AbortSignal,
): Promise<{ bytes: number; prefix: string | null }> {
  if (isCompressed(path)) return hashContent(path, prefixBytes, signal)
  if (bytes < prefixBytes) return { bytes, prefix: null }
  return { bytes, prefix: await hashBytes(path, prefixBytes, signal) }
}
