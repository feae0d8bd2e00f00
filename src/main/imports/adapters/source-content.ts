/** The content of a file of another tool, decompressed where the tool compressed it (`.zst`). */
import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import { openDataFile } from '../../journal/index.ts'

const compressedSuffix = '.zst'
const chunkBytesMax = 1 << 20
/** A file that expands to more was made to fill a disk. */
const contentBytesMax = 64 * 2 ** 30

export const isCompressed = (path: string): boolean => path.endsWith(compressedSuffix)

/** The name of the file that a compressed one stands for. */
export const plainName = (name: string): string =>
  isCompressed(name) ? name.slice(0, -compressedSuffix.length) : name

/**
 * Yields the content of a file. `onDamage`: its compression is damaged; what could be read before that has been
 * yielded. `chunkBytes`: read at once, of a file that is not compressed. Throws as `openDataFile` does.
 */
export async function* contentOf(
  path: string,
  {
    onDamage = () => {},
    chunkBytes = chunkBytesMax,
  }: { onDamage?: (reason: string) => void; chunkBytes?: number } = {},
): AsyncGenerator<Buffer> {
  const handle = await openDataFile(path, 'read')
  try {
    if (isCompressed(path)) yield* decompressed(handle, onDamage)
    else yield* stored(handle, chunkBytes)
  } finally {
    await handle.close()
  }
}

async function* stored(handle: FileHandle, chunkBytes: number): AsyncGenerator<Buffer> {
  const { size } = await handle.stat()
  for (let at = 0; ; ) {
    // One byte more, to see the end; it may have grown since.
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(size - at, 0) + 1))
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield chunk.subarray(0, bytesRead)
  }
}

async function* decompressed(
  handle: FileHandle,
  onDamage: (reason: string) => void,
): AsyncGenerator<Buffer> {
  const stream = createZstdDecompress()
  const source = handle.createReadStream({ start: 0, autoClose: false })
  // Its errors come out of the iteration.
  pipeline(source, stream, () => {})
  let bytes = 0
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > contentBytesMax) {
        onDamage(`expands to more than ${contentBytesMax / 2 ** 30} GB`)
        return
      }
      yield chunk
    }
  } catch (error) {
    onDamage(`its compression is damaged: ${error instanceof Error ? error.message : error}`)
  } finally {
    source.destroy()
    stream.destroy()
  }
}

/** SHA-256, in hex, of the first `bytes` of the content, and of all of it with its size. */
export async function hashContent(
  path: string,
  bytes: number,
  signal: AbortSignal,
): Promise<{ bytes: number; sha256: string; prefix: string }> {
  const whole = createHash('sha256')
  const prefix = createHash('sha256')
  let at = 0
  for await (const chunk of contentOf(path)) {
    signal.throwIfAborted()
    whole.update(chunk)
    if (at < bytes) prefix.update(chunk.subarray(0, Math.min(chunk.length, bytes - at)))
    at += chunk.length
  }
  return { bytes: at, sha256: whole.digest('hex'), prefix: prefix.digest('hex') }
}
