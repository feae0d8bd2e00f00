/** Finds Shiplog exports: one file, or the files of a folder. */
import { isExport } from '../../../export/is-export.ts'
import { readExport } from '../../../export/read-export.ts'
import type { FoundSession } from '../adapter.ts'
import { fileAt, type ListedFile, listFolder, namedPath } from '../folders.ts'

export async function* discoverExports(
  given: string,
  signal: AbortSignal,
): AsyncGenerator<FoundSession> {
  const named = namedPath(given)
  if (!named) return
  const file = named.isFolder ? null : fileAt(named.path)
  const files = file ? [file] : listFolder(named.path).files
  for (const one of files) {
    signal.throwIfAborted()
    if (!file && !/\.jsonl?$/.test(one.name)) continue
    const found = await sessionOf(one)
    if (found) yield found
  }
}

/** Null: the file does not begin like an export. */
async function sessionOf(file: ListedFile): Promise<FoundSession | null> {
  try {
    if (!isExport(file.path)) return null
    for await (const read of readExport(file.path)) {
      // Problems of the export are reported when it is read.
      const key = read.kind === 'header' ? read.header.root : file.name
      return {
        tool: 'shiplog',
        key,
        files: [{ ...file, role: 'session' }],
        projectDir: null,
        expiresAtMs: null,
        isHidden: false,
      }
    }
  } catch {
    // An unreadable file is not a session.
  }
  return null
}
