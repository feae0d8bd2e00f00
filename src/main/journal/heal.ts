import { type FileHandle, open, rename } from 'node:fs/promises'
import path from 'node:path'
import { syncDirectory, writeFully } from './durable-files.ts'
import { systemCode } from './errors.ts'
import type { Healing } from './types.ts'

const copyChunkBytes = 1 << 20

/**
 * Sets the bytes after the last newline aside in a sibling file, then cuts them (J4). The original is
 * durable before it is cut, so a crash in between repeats this and changes nothing else.
 */
export async function healTornTail(
  file: string,
  cutAt: number,
  tailBytes: number,
): Promise<Healing> {
  const handle = await open(file, 'r+')
  try {
    const keptAs = await setAside(handle, file, cutAt, tailBytes)
    await cut(handle, cutAt)
    return {
      file,
      kind: 'torn-tail',
      bytes: tailBytes,
      keptAs,
      detail: `${path.basename(file)} ended in ${tailBytes} bytes without a newline, the rest of a write that was cut short and never acknowledged; kept as ${path.basename(keptAs)}`,
    }
  } finally {
    await handle.close()
  }
}

/** Cuts a file durably. */
export async function cut(handle: FileHandle, bytes: number): Promise<void> {
  await handle.truncate(bytes)
  await handle.sync()
}

async function setAside(
  source: FileHandle,
  file: string,
  from: number,
  bytes: number,
): Promise<string> {
  // One fixed name: what a crash left there is written over, not piled up.
  const prepared = `${file}.torn.tmp`
  await copyRange(source, from, bytes, prepared)
  const keptAs = await nameFor(`${file}.torn-${from}`, prepared)
  await rename(prepared, keptAs)
  await syncDirectory(path.dirname(file))
  return keptAs
}

async function copyRange(
  source: FileHandle,
  from: number,
  bytes: number,
  target: string,
): Promise<void> {
  const handle = await open(target, 'w', 0o600)
  try {
    const buffer = Buffer.allocUnsafe(Math.min(bytes, copyChunkBytes))
    for (let done = 0; done < bytes; ) {
      const want = Math.min(buffer.length, bytes - done)
      const { bytesRead } = await source.read(buffer, 0, want, from + done)
      if (bytesRead === 0) break
      await writeFully(handle, buffer.subarray(0, bytesRead))
      done += bytesRead
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The first name that is free or already holds these very bytes. */
async function nameFor(base: string, prepared: string): Promise<string> {
  for (let n = 1; ; n++) {
    const name = n === 1 ? base : `${base}-${n}`
    if ((await sameContent(name, prepared)) !== 'differs') return name
  }
}

async function sameContent(a: string, b: string): Promise<'same' | 'differs' | 'missing'> {
  let first: FileHandle
  try {
    first = await open(a, 'r')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return 'missing'
    throw error
  }
  const second = await open(b, 'r')
  try {
    const sizes = await Promise.all([first.stat(), second.stat()])
    if (sizes[0].size !== sizes[1].size) return 'differs'
    const left = Buffer.allocUnsafe(copyChunkBytes)
    const right = Buffer.allocUnsafe(copyChunkBytes)
    for (let at = 0; at < sizes[0].size; ) {
      const { bytesRead } = await first.read(left, 0, left.length, at)
      const other = await second.read(right, 0, bytesRead, at)
      if (bytesRead === 0 || other.bytesRead !== bytesRead) return 'differs'
      if (left.compare(right, 0, bytesRead, 0, bytesRead) !== 0) return 'differs'
      at += bytesRead
    }
    return 'same'
  } finally {
    await first.close()
    await second.close()
  }
}
