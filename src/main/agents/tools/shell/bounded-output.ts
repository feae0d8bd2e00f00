/**
 * Collects output and keeps at most `bytesMax` of it, half from the beginning and half from the end: a command prints
 * its purpose first and its errors last.
 */
interface BoundedOutput {
  add(chunk: Buffer): void
  /** `omittedBytes`: the bytes omitted from the middle; the text contains a note in their place. */
  finish(): { text: string; omittedBytes: number }
}

export function createBoundedOutput(bytesMax: number): BoundedOutput {
  const headMax = Math.floor(bytesMax / 2)
  const tailMax = bytesMax - headMax
  const head: Buffer[] = []
  const tail: Buffer[] = []
  let headBytes = 0
  let tailBytes = 0
  let droppedBytes = 0

  return {
    add(chunk) {
      const forHead = chunk.subarray(0, headMax - headBytes)
      if (forHead.length > 0) head.push(forHead)
      headBytes += forHead.length
      const rest = chunk.subarray(forHead.length)
      if (rest.length > 0) tail.push(rest)
      tailBytes += rest.length
      for (let [first] = tail; first && tailBytes - first.length >= tailMax; [first] = tail) {
        tail.shift()
        tailBytes -= first.length
        droppedBytes += first.length
      }
    },
    finish() {
      const end = Buffer.concat(tail)
      const excess = Math.max(0, end.length - tailMax)
      if (droppedBytes + excess === 0)
        return { text: Buffer.concat([...head, end]).toString(), omittedBytes: 0 }
      const start = Buffer.concat(head)
      const first = start.subarray(0, characterBoundary(start))
      const last = end.subarray(excess + leadingContinuation(end.subarray(excess)))
      const omittedBytes = headBytes + droppedBytes + end.length - first.length - last.length
      const text = `${first.toString()}\n[${omittedBytes} bytes left out]\n${last.toString()}`
      return { text, omittedBytes }
    },
  }
}

/** Returns the end of the last complete UTF-8 character. */
function characterBoundary(bytes: Buffer): number {
  for (let start = bytes.length - 1; start >= Math.max(0, bytes.length - 4); start--) {
    const byte = bytes[start] ?? 0
    if (isContinuation(byte)) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return start + length <= bytes.length ? bytes.length : start
  }
  return bytes.length
}

/** Returns the number of bytes at the beginning that belong to a truncated character. */
function leadingContinuation(bytes: Buffer): number {
  const first = bytes.subarray(0, 4).findIndex((byte) => !isContinuation(byte))
  return first === -1 ? 0 : first
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80
