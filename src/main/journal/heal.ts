import { type FileHandle, rename } from 'node:fs/promises'
import path from 'node:path'
import { chunksOf } from './byte-ranges.ts'
import { openDataFile } from './files/data-file.ts'
import { exists, syncDirectory, writeFully } from './files/durable-files.ts'
import { holdsTheSame } from './files/move.ts'
import type { Healing } from './types.ts'

/**
 * Copies the bytes after the last newline to a sibling file, then truncates them (J4). The copy is
 * durable before the truncation, so a crash in between only repeats the two steps.
 */
export async function healTornTail(
  file: string,
  cutAt: number,
  tailBytes: number,
): Promise<Healing> {
  const handle = await openDataFile(file, 'read-write')
  try {
    const keptAs = await setTailAside(handle, file, cutAt, tailBytes)
    await cut(handle, cutAt)
    return {
      file,
      kind: 'torn-tail',
      bytes: tailBytes,
      keptAs,
      detail: `${path.basename(file)} ended in ${tailBytes} bytes without a newline, the rest of an interrupted, unacknowledged write; kept as ${path.basename(keptAs)}`,
    }
  } finally {
    await handle.close()
  }
}

/** Truncates a file durably. */
export async function cut(handle: FileHandle, bytes: number): Promise<void> {
  await handle.truncate(bytes)
  await handle.sync()
}

async function setTailAside(
  source: FileHandle,
  file: string,
  from: number,
  bytes: number,
): Promise<string> {
  // A fixed name, so that crashes overwrite one leftover file instead of adding more.
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
  const handle = await openDataFile(target, 'overwrite')
  try {
    for await (const chunk of chunksOf(source, from, from + bytes)) await writeFully(handle, chunk)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Returns the first name that is free or already holds the same bytes. */
async function nameFor(base: string, prepared: string): Promise<string> {
  for (let n = 1; ; n++) {
    const name = n === 1 ? base : `${base}-${n}`
    if (!(await exists(name)) || (await holdsTheSame(prepared, name))) return name
  }
}
