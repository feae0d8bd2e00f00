import { createHash, hash } from 'node:crypto'
import { openDataFile, readStartNow } from '../../journal/index.ts'
import type { SourceFile } from '../adapters/adapter.ts'
import { hashContent, isCompressed } from '../adapters/source-content.ts'
import type { ImportRecord } from './staged-session.ts'

const chunkBytes = 1 << 20
/** Limit for the total content of a session's files that is cached until mapping. */
const keptBytesMax = 4 << 20

/**
 * Memory for the content of a session's files, which the next session uses again: new memory for each would cost more
 * collections of garbage than the records.
 */
const rooms: Buffer[] = []

/** Lets `read` use some of that memory until it has settled. */
export async function inRoom<T>(read: (room: Buffer) => Promise<T>): Promise<T> {
  const room = rooms.pop() ?? Buffer.allocUnsafeSlow(keptBytesMax)
  try {
    return await read(room)
  } finally {
    rooms.push(room)
  }
}

/** Returns the SHA-256 of the first `bytes` of a file, or of all of a shorter one, in hex. */
export async function hashBytes(path: string, bytes: number, signal: AbortSignal): Promise<string> {
  const digest = createHash('sha256')
  const handle = await openDataFile(path, 'read')
  try {
    const chunk = Buffer.alloc(Math.min(chunkBytes, Math.max(bytes, 1)))
    for (let at = 0; at < bytes; ) {
      signal.throwIfAborted()
      const { bytesRead } = await handle.read(chunk, 0, Math.min(chunk.length, bytes - at), at)
      if (bytesRead === 0) break
      digest.update(chunk.subarray(0, bytesRead))
      at += bytesRead
    }
  } finally {
    await handle.close()
  }
  return digest.digest('hex')
}

/** Hashes files and attaches the content of small ones, which is read into `room`. */
export async function hashFiles(
  files: SourceFile[],
  room: Buffer,
  signal: AbortSignal,
): Promise<{ hashed: ImportRecord['files']; files: SourceFile[] }> {
  const hashed: ImportRecord['files'] = []
  const read: SourceFile[] = []
  let kept = 0
  for (const file of files) {
    const { name, path, bytes, mtimeMs } = file
    const isKept = !isCompressed(path) && file.role !== 'beside' && kept + bytes <= room.length
    if (isKept) {
      const content = readStartNow(path, bytes, (length) => room.subarray(kept, kept + length))
      kept += bytes
      hashed.push({ name, bytes, mtimeMs, sha256: hash('sha256', content) })
      read.push({ ...file, content })
      continue
    }
    read.push(file)
    if (isCompressed(path)) {
      const content = await hashContent(path, 0, signal)
      const { sha256 } = content
      hashed.push({ name, bytes: content.bytes, mtimeMs, sha256, compressedBytes: bytes })
    } else hashed.push({ name, bytes, mtimeMs, sha256: await hashBytes(path, bytes, signal) })
  }
  return { hashed, files: read }
}
