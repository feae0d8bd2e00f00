/** Reads other tools' files and decompresses `.zst` files. */
import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import { openDataFile } from '../../journal/index.ts'

const compressedSuffix = '.zst'
/** Larger chunks take more memory and no less time. */
const chunkBytesMax = 256 << 10
/** Limit for decompressed content, against decompression bombs. */
const contentBytesMax = 64 * 2 ** 30

export const isCompressed = (path: string): boolean => path.endsWith(compressedSuffix)

/** The file name without the compression suffix. */
export const plainName = (name: string): string =>
  isCompressed(name) ? name.slice(0, -compressedSuffix.length) : name

/**
 * Yields the content of a file. `onDamage`: called if the compressed data is damaged, after the readable part was
 * yielded. `chunkBytes`: read size for uncompressed files. Throws like `openDataFile`.
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
    // One extra byte, to detect the end of a file that may have grown.
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
  // The iteration reports errors of the pipeline.
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

/** The SHA-256 of the first `bytes` bytes and of the whole content, in hex, and the content's size. */
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
