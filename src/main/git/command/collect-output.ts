/** Collects the output of a program up to a limit, and notifies of the first byte beyond it. */
export function collect(bytesMax: number) {
  const chunks: Buffer[] = []
  let size = 0
  let overflowed = false
  let notifyOverflow = () => {}
  return {
    add(chunk: Buffer) {
      const room = bytesMax - size
      if (room > 0) chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
      size += chunk.length
      if (size > bytesMax && !overflowed) {
        overflowed = true
        notifyOverflow()
      }
    },
    bytes: () => Buffer.concat(chunks),
    overflowed: () => overflowed,
    onOverflow: (listener: () => void) => {
      notifyOverflow = listener
    },
  }
}
