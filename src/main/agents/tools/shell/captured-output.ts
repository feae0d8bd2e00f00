/**
 * Captures a command's output: the agent receives a bounded text, the log all of it. A Writable, so that masking can be
 * a Transform in front of it.
 */
import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { KeptOutput } from '../../../../shared/agents/driver/tool-context.ts'
import { createBoundedOutput } from './bounded-output.ts'

/** More is a runaway command: a page of it is as good as all of it, and every archive carries it along. */
export const wholeOutputBytesMax = 32 * 1024 * 1024
/** Output may arrive faster than a busy disk accepts it; the buffer stays small beside the rest. */
const waitingBytesMax = 4 * 1024 * 1024

interface CapturedOutput {
  stream: Writable
  /** Resolves once the stream has ended, which its source does. */
  finish(): Promise<{
    text: string
    omittedBytes: number
    /** Null when the text is the whole, or the disk did not take it. */
    whole: KeptOutput | null
  }>
}

/** `file`: where the whole is written, once it is more than `textBytesMax`. It is on the disk after `finish`. */
export function captureOutput(
  file: string,
  { textBytesMax, wholeBytesMax }: { textBytesMax: number; wholeBytesMax: number },
): CapturedOutput {
  const text = createBoundedOutput(textBytesMax)
  const hash = createHash('sha256')
  let handle: FileHandle | null = null
  /** Until it is known that the text is not the whole. */
  let early: Buffer[] | null = []
  let [seenBytes, writtenBytes] = [0, 0]
  let isLost = false

  async function take(chunk: Buffer): Promise<void> {
    text.add(chunk)
    seenBytes += chunk.length
    if (seenBytes <= textBytesMax) early?.push(chunk)
    else {
      handle ??= await open(file, 'wx', 0o600)
      const waiting = early ?? []
      early = null
      for (const part of [...waiting, chunk]) await write(handle, part)
    }
  }

  async function write(to: FileHandle, chunk: Buffer): Promise<void> {
    const part = chunk.subarray(0, wholeBytesMax - writtenBytes)
    if (part.length === 0) return
    hash.update(part)
    writtenBytes += part.length
    await to.appendFile(part)
  }

  const stream = new Writable({
    highWaterMark: waitingBytesMax,
    write(chunk: Buffer, _, done) {
      if (isLost) text.add(chunk)
      const taken = isLost ? Promise.resolve() : take(chunk)
      taken
        .catch(() => {
          // A full disk must not keep a command from running; that only a part is kept is in the record.
          isLost = true
        })
        .then(() => done())
    },
  })

  return {
    stream,
    async finish() {
      await finished(stream)
      try {
        await handle?.datasync()
      } catch {
        isLost = true
      } finally {
        await handle?.close()
      }
      const whole =
        handle && !isLost
          ? {
              file,
              sha256: hash.digest('hex'),
              bytes: writtenBytes,
              leftOutBytes: seenBytes - writtenBytes,
            }
          : null
      return { ...text.finish(), whole }
    },
  }
}
