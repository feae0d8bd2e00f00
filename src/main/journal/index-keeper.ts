// Decides when a journal's writer stores its offset index. Appends never wait for it; if it can't
// be written, the next open scans the file.
import type { FileHandle } from 'node:fs/promises'
import type { ScanState } from './scan.ts'
import { type LoadedIndex, saveIndex } from './stored-index.ts'

/**
 * While a journal is written, its index is stored again after it has grown by a quarter, and by at
 * least this.
 */
const growthBytesMin = 8 << 20

export interface IndexKeeper {
  /** The file changed: records were appended, or a tail was truncated. */
  changed(state: ScanState): void
  /** Stores the index unless the stored one is current. Never rejects. */
  close(state: ScanState): Promise<void>
}

export function createIndexKeeper(about: {
  file: string
  reader: FileHandle
  /** Shorter journals get no index. */
  fromBytes: number
  loaded: LoadedIndex | null
  /** Called when the index could not be stored. */
  onFailed: (error: unknown) => void
}): IndexKeeper {
  const { file, reader, fromBytes, loaded, onFailed } = about
  let storedTo = loaded?.state.offset ?? 0
  let upToDate = loaded?.untouched ?? false
  let storing: Promise<void> | null = null

  async function store(state: ScanState): Promise<void> {
    upToDate = true
    storedTo = state.offset
    await saveIndex(reader, file, state, fromBytes).catch((error) => {
      upToDate = false
      onFailed(error)
    })
    storing = null
  }

  return {
    changed(state) {
      upToDate = false
      if (storing) return
      if (state.offset - storedTo < Math.max(growthBytesMin, storedTo / 4)) return
      storing = store(state)
    },
    async close(state) {
      await storing
      if (!upToDate) await store(state)
    },
  }
}
