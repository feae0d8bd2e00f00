/**
 * Finds ATIF documents: one file, or all files below a folder (benchmarks write `trajectory.json`). A document that
 * another document in the same folder references is a sub-agent of that document.
 */
import { basename, dirname } from 'node:path'
import { openDataFile } from '../../../journal/index.ts'
import type { FoundSession, SourceFile } from '../adapter.ts'
import { fileAt, type ListedFile, listFolder, namedPath } from '../folders.ts'

/** Bytes read to find a document's ids, which precede its steps. */
const headBytes = 64 << 10
/** Maximum depth below the given folder. */
const depthMax = 8
const foldersMax = 20_000
const nameMax = 1_000

export async function* discoverAtif(
  given: string,
  signal: AbortSignal,
): AsyncGenerator<FoundSession> {
  const named = namedPath(given)
  if (!named) return
  if (!named.isFolder) {
    const file = fileAt(named.path)
    if (!file) return
    const { files } = listFolder(dirname(file.path))
    const beside = files.filter(({ path }) => path !== file.path)
    const [own] = await documentsOf([file], signal)
    if (own)
      yield sessionOf(
        own,
        own.refs.length === 0 ? [] : await documentsOf(beside.filter(isJson), signal),
      )
    return
  }
  const waiting = [{ path: named.path, depth: 0 }]
  for (let seen = 0; waiting.length > 0 && seen < foldersMax; seen++) {
    signal.throwIfAborted()
    const { path, depth } = waiting.shift() ?? { path: '', depth: 0 }
    const { files, folders } = listFolder(path)
    if (depth < depthMax)
      waiting.push(...folders.map((folder) => ({ path: folder.path, depth: depth + 1 })))
    const documents = await documentsOf(files.filter(isJson), signal)
    const referred = new Set(documents.flatMap(({ refs }) => refs))
    const roots = documents.filter(({ name }) => !referred.has(name))
    for (const document of roots.length > 0 ? roots : documents)
      yield sessionOf(document, documents)
  }
}

const isJson = ({ name }: ListedFile): boolean => name.endsWith('.json')

interface FoundDocument extends ListedFile {
  head: string
  /** Names of the files that it references as sub-agents. */
  refs: string[]
}

async function documentsOf(files: ListedFile[], signal: AbortSignal): Promise<FoundDocument[]> {
  const documents: FoundDocument[] = []
  for (const file of files) {
    signal.throwIfAborted()
    const head = await headOf(file)
    if (head !== null) documents.push({ ...file, head, refs: await refsOf(file, signal) })
  }
  return documents
}

function sessionOf(document: FoundDocument, documents: FoundDocument[]): FoundSession {
  const own = new Set([document.name])
  const agents: FoundDocument[] = []
  const add = ({ refs }: FoundDocument): void => {
    for (const one of documents.filter(({ name }) => refs.includes(name) && !own.has(name))) {
      own.add(one.name)
      agents.push(one)
      add(one)
    }
  }
  add(document)
  const key = idIn(document.head, 'trajectory_id') ?? idIn(document.head, 'session_id')
  return {
    tool: 'atif',
    key: key ?? `${basename(dirname(document.path))}/${document.name}`,
    files: [sourceOf(document, 'session'), ...agents.map((one) => sourceOf(one, 'sub-agent'))],
    projectDir: null,
    expiresAtMs: null,
    isHidden: false,
  }
}

const sourceOf = (
  { name, path, bytes, mtimeMs }: FoundDocument,
  role: SourceFile['role'],
): SourceFile => ({ name, path, bytes, mtimeMs, role })

/** The text before the steps; null: not an ATIF document. */
async function headOf({ path, bytes }: ListedFile): Promise<string | null> {
  const buffer = Buffer.alloc(Math.min(bytes, headBytes))
  try {
    const handle = await openDataFile(path, 'read')
    try {
      await handle.read(buffer, 0, buffer.length, 0)
    } finally {
      await handle.close()
    }
  } catch {
    return null
  }
  const text = buffer.toString('utf8')
  if (!/^\s*\{/.test(text) || !/"schema_version"\s*:\s*"ATIF-v1\.\d+"/.test(text)) return null
  return text.split('"steps"', 1)[0] ?? ''
}

const idIn = (head: string, field: string): string | null =>
  new RegExp(`"${field}"\\s*:\\s*"([^"\\\\]{1,200})"`).exec(head)?.[1] ?? null

/** Finds references to sub-agent files without parsing the document. */
async function refsOf({ path }: ListedFile, signal: AbortSignal): Promise<string[]> {
  const refs = new Set<string>()
  const handle = await openDataFile(path, 'read')
  try {
    const buffer = Buffer.alloc(1 << 20)
    let kept = 0
    for (;;) {
      signal.throwIfAborted()
      const { bytesRead } = await handle.read(buffer, kept, buffer.length - kept)
      if (bytesRead === 0) break
      const text = buffer.toString('latin1', 0, kept + bytesRead)
      for (const [, ref = ''] of text.matchAll(/"trajectory_path"\s*:\s*"([^"\\]{1,1000})"/g))
        refs.add(basename(Buffer.from(ref, 'latin1').toString('utf8')))
      // Keeps the end of the chunk, because a reference may span two chunks.
      kept = Math.min(nameMax + 100, kept + bytesRead)
      buffer.copyWithin(0, text.length - kept, text.length)
    }
  } finally {
    await handle.close()
  }
  return [...refs]
}
