import { vi } from 'vitest'
import { handlePrototype } from './disk-faults.ts'

/** Bytes read through file handles while `use` runs; whole small files, an index say, are not counted. */
export async function bytesReadDuring(use: () => Promise<unknown>): Promise<number> {
  const prototype = await handlePrototype()
  const real = prototype.read
  let bytes = 0
  const read = vi.spyOn(prototype, 'read') as unknown as {
    mockImplementation(implementation: unknown): void
    mockRestore(): void
  }
  read.mockImplementation(async function (this: unknown, ...args: unknown[]) {
    const result = await Reflect.apply(real, this, args)
    bytes += result.bytesRead
    return result
  })
  try {
    await use()
  } finally {
    read.mockRestore()
  }
  return bytes
}
