import { type FileHandle, open } from 'node:fs/promises'
import { type MockInstance, vi } from 'vitest'

type HandleMethod = 'write' | 'datasync' | 'sync' | 'truncate'

export async function handlePrototype(): Promise<FileHandle> {
  const handle = await open(import.meta.filename, 'r')
  const prototype = Object.getPrototypeOf(handle)
  await handle.close()
  return prototype
}

/** Watches or replaces a method of every file handle in this process until `vi.restoreAllMocks`. */
export async function spyOnHandles(method: HandleMethod) {
  return vi.spyOn(await handlePrototype(), method)
}

export function diskError(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code })
}

export function deferred(): { promise: Promise<void>; resolve: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { promise, resolve }
}

/** Makes the next write take only `bytes` bytes, as on a disk that is filling up. */
export async function shortenNextWrite(bytes: number) {
  const prototype = await handlePrototype()
  const real = prototype.write as (this: FileHandle, ...args: unknown[]) => Promise<unknown>
  const write = vi.spyOn(prototype, 'write') as MockInstance
  write.mockImplementationOnce(function (this: FileHandle, data: Uint8Array, offset: number) {
    return real.call(this, data, offset, bytes)
  })
  return write
}
