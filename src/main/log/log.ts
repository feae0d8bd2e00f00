/**
 * Shiplog's log for diagnostics: `logs/shiplog.log` in the data directory, one line per event,
 * rotated by size. It is not part of the record: it is never read back, nothing waits for it, and a
 * disk error has no consequences.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createStream, type RotatingFileStream } from 'rotating-file-stream'
import { appendToFileNow, openDataFile, refuseSymlink } from '../journal/index.ts'
import { formatLine, type LogFields, type LogLevel } from './format-line.ts'

/** 5 MB in total: weeks of use, and small enough for an e-mail. */
const fileBytesMax = 1 << 20
const rotatedFilesMax = 4
/** A hanging disk must not fill the memory with lines. */
const waitingLinesMax = 1_000
/** Delay after a failed write, so that a full disk is not tried again for each line. */
const retryAfterMs = 60_000

export interface Log {
  /** The newest lines; older ones are in `shiplog.1.log` to `shiplog.4.log` beside it. */
  readonly file: string
  /** `event`: the event's name, such as `host.started`. Never pass contents of a transcript. */
  info(event: string, fields?: LogFields): void
  warning(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
  /** Writes the line synchronously, for a process that is about to end. Never throws. */
  crashed(error: unknown): void
  /** Resolves when every line is written or has failed. */
  close(): Promise<void>
}

/**
 * Opens the log below `dir`, which is created if missing. `mask` removes known secrets from each
 * line. `onFailed` is called once if the log can't be written.
 */
export function openLog(
  dir: string,
  {
    mask,
    clock,
    onFailed,
    bytesMax = fileBytesMax,
  }: {
    mask: (text: string) => string
    /** Milliseconds since the epoch. */
    clock: () => number
    onFailed: (error: unknown) => void
    bytesMax?: number
  },
): Log {
  const file = join(dir, nameOf(null))
  let stream: Promise<RotatingFileStream | null> | null = null
  let failedAtMs: number | null = null
  let last: Promise<unknown> = Promise.resolve()
  let isReported = false
  let waiting = 0
  let dropped = 0

  function failed(error: unknown): void {
    stream = null
    failedAtMs = clock()
    if (isReported) return
    isReported = true
    onFailed(error)
  }

  async function open(): Promise<RotatingFileStream | null> {
    try {
      await refuseSymlink(dir)
      await mkdir(dir, { recursive: true, mode: 0o700 })
      // Throws for a named pipe, on which the stream would block forever, and for a link.
      await (await openDataFile(file, 'append')).close()
      const opened = createStream(nameOf, {
        path: dir,
        size: `${bytesMax}B`,
        rotate: rotatedFilesMax,
        mode: 0o600,
      })
      // Ignored here, because the write that fails reports the error.
      opened.on('error', () => {})
      return opened
    } catch (error) {
      failed(error)
      return null
    }
  }

  function write(level: LogLevel, event: string, fields: LogFields): void {
    if (failedAtMs !== null && clock() - failedAtMs < retryAfterMs) return
    failedAtMs = null
    if (waiting === waitingLinesMax) {
      dropped++
      return
    }
    waiting++
    if (dropped > 0) fields = { ...fields, droppedLines: dropped }
    dropped = 0
    const line = formatLine({ atMs: clock(), level, event, fields }, mask)
    stream ??= open()
    const opening = stream
    last = last.then(async () => {
      const opened = await opening
      if (opened && !opened.destroyed) await writeLine(opened, line).catch(failed)
      waiting--
    })
  }

  return {
    file,
    info: (event, fields = {}) => write('info', event, fields),
    warning: (event, fields = {}) => write('warning', event, fields),
    error: (event, fields = {}) => write('error', event, fields),
    crashed(error) {
      const line = { atMs: clock(), level: 'error', event: 'crashed', fields: { error } } as const
      try {
        appendToFileNow(file, formatLine(line, mask))
      } catch {
        // The process ends because of `error`, which Node prints as well.
      }
    },
    async close() {
      await last
      const opened = await stream
      stream = null
      if (!opened || opened.destroyed) return
      const closed = new Promise<void>((resolve) => opened.once('close', () => resolve()))
      opened.end()
      await closed
    },
  }
}

const nameOf = (index: number | Date | null): string =>
  index === null ? 'shiplog.log' : `shiplog.${index}.log`

const writeLine = (stream: RotatingFileStream, line: string): Promise<void> =>
  new Promise((resolve, reject) =>
    stream.write(line, (error) => (error ? reject(error) : resolve())),
  )
