/** Growing arrays of numbers, for tables of millions of rows: objects would be most of the memory in use. */

type Numbers = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array

/** Numbers per chunk. Longer columns grow by chunks, because copying would need twice the memory. */
const chunkLength = 1 << 12
/** Initial length; most columns are short. */
const initialLength = 64

export type NumberColumn = ReturnType<typeof createColumn>

/** Creates a column. `known` are its first numbers; the column takes ownership of the array. */
export function createColumn<Column extends Numbers>(
  make: (length: number) => Column,
  known?: Column,
) {
  let first = known ?? make(initialLength)
  const firstMax = known ? known.length : chunkLength
  const chunks: Column[] = []
  let length = known ? known.length : 0

  function growFirst(): void {
    const larger = make(Math.min(2 * first.length, firstMax))
    larger.set(first)
    first = larger
  }

  return {
    push(value: number): void {
      if (length < firstMax) {
        if (length === first.length) growFirst()
        first[length] = value
      } else {
        const at = length - firstMax
        if (at % chunkLength === 0) chunks.push(make(chunkLength))
        const chunk = chunks[Math.floor(at / chunkLength)]
        if (chunk) chunk[at % chunkLength] = value
      }
      length++
    },
    /** Returns the number at `index`; 0 beyond the end. */
    at(index: number): number {
      if (index < firstMax) return first[index] ?? 0
      const at = index - firstMax
      return chunks[Math.floor(at / chunkLength)]?.[at % chunkLength] ?? 0
    },
    /** Replaces an existing number; ignores an index beyond the end. */
    set(index: number, value: number): void {
      const at = index - firstMax
      const chunk = at < 0 ? first : chunks[Math.floor(at / chunkLength)]
      if (chunk) chunk[at < 0 ? index : at % chunkLength] = value
    },
    get length() {
      return length
    },
  }
}
