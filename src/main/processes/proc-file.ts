import { open } from 'node:fs/promises'

/** Most of them are shorter. */
const bytesAtOnce = 4096

/**
 * The text of a file in `/proc`. Of these the system tells no size, and Node's `readFile` takes 64 KB for each, which is
 * many megabytes where all processes are looked at. Throws what the system says.
 */
export async function readProcFile(file: string, encoding: 'utf8' | 'latin1'): Promise<string> {
  const handle = await open(file)
  try {
    const pieces: Buffer[] = []
    for (;;) {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(bytesAtOnce))
      if (bytesRead === 0) return Buffer.concat(pieces).toString(encoding)
      pieces.push(buffer.subarray(0, bytesRead))
    }
  } finally {
    await handle.close()
  }
}
