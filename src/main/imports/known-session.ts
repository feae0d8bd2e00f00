/** Whether a session is here already, and whether its files are still those that were imported. */
import { join } from 'node:path'
import { readJsonFile } from '../journal/index.ts'
import type { FoundSession, SourceFile } from './adapters/adapter.ts'
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
  for (const before of record.files) {
    const file = now.get(before.name)
    now.delete(before.name)
    // Its tool may have deleted it: what is here stays.
    if (!file) continue
    if (file.bytes === before.bytes && file.mtimeMs === before.mtimeMs) continue
    if (file.bytes < before.bytes) return 'rewritten'
    if ((await prefixHash(file, before.bytes, signal)) !== before.sha256) return 'rewritten'
    isGrown ||= file.bytes > before.bytes
  }
  if (!isGrown && now.size === 0) return 'same'
  // A new reading would lack what was deleted since.
  const names = new Set(session.files.map(({ name }) => name))
  return record.files.every(({ name }) => names.has(name)) ? 'grown' : 'rewritten'
}

const prefixHash = (file: SourceFile, bytes: number, signal: AbortSignal): Promise<string> =>
  hashBytes(file.path, bytes, signal)
