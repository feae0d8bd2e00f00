/**
 * Captures a command's output: a bounded text for the agent, and the whole output in a file for the record. A Writable,
 * so that masking can be a Transform before it.
 */
import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { KeptOutput } from '../../../../shared/agents/driver/tool-context.ts'
import { createBoundedOutput } from './bounded-output.ts'

/** More is the output of a runaway command, and every archive would contain it. */
export const wholeOutputBytesMax = 32 * 1024 * 1024
/** Bounds the memory if output arrives faster than a busy disk accepts it. */
const waitingBytesMax = 4 * 1024 * 1024

interface CapturedOutput {
  stream: Writable
  /** Resolves once the source has ended the stream. */
  finish(): Promise<{
    text: string
    omittedBytes: number
    /** Null if `text` is complete, or the file could not be written. */
    whole: KeptOutput | null
  }>
}

/** Writes the whole output to `file` if it is longer than `textBytesMax`. It is durable after `finish`. */
export function captureOutput(
  file: string,
  { textBytesMax, wholeBytesMax }: { textBytesMax: number; wholeBytesMax: number },
): CapturedOutput {
  const text = createBoundedOutput(textBytesMax)
  const hash = createHash('sha256')
  let handle: FileHandle | null = null
  /** The output until it exceeds `textBytesMax`; null afterwards. */
  let buffered: Buffer[] | null = []
  let [seenBytes, writtenBytes] = [0, 0]
  let isLost = false

  async function append(chunk: Buffer): Promise<void> {
    text.add(chunk)
    seenBytes += chunk.length
    if (seenBytes <= textBytesMax) buffered?.push(chunk)
    else {
      handle ??= await open(file, 'wx', 0o600)
      const waiting = buffered ?? []
      buffered = null
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
      const appended = isLost ? Promise.resolve() : append(chunk)
      appended
        .catch(() => {
          // A full disk must not stop a command. The record states that only a part was kept.
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
