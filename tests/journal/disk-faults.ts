import { type FileHandle, open } from 'node:fs/promises'
import { vi } from 'vitest'

type HandleMethod = 'write' | 'datasync' | 'sync' | 'truncate'

async function handlePrototype(): Promise<FileHandle> {
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
