/** The outputs of the command line: standard output (the document) and standard error (messages for people). */
import { styleText } from 'node:util'

export type TextStyle = Parameters<typeof styleText>[0]

/** A stream such as `process.stdout`. */
export type OutputStream = NodeJS.WritableStream & {
  isTTY?: boolean
  columns?: number
  rows?: number
}

export interface Output {
  readonly isTTY: boolean
  /** Width of the terminal; null where there is none, and lines may be of any length. */
  readonly columns: number | null
  /** Height of the terminal; null where there is none. */
  readonly rows: number | null
  /** Whether the reader has closed the pipe (`… | head`): further output is lost. */
  readonly closed: boolean
  /**
   * Writes a text, or bytes as they are. Resolves once they were accepted or the reader has closed the pipe. Rejects
   * when they can't be written.
   */
  write(text: string | Uint8Array): Promise<void>
  /** Colours for a terminal, the plain text for everything else and with NO_COLOR. */
  style(style: TextStyle, text: string): string
}

export function createOutput(stream: OutputStream, env: NodeJS.ProcessEnv): Output {
  const isTTY = stream.isTTY === true
  const hasColors = isTTY && !env.NO_COLOR && env.TERM !== 'dumb'
  let closed = false
  // A failed write is reported by its callback; without a listener the event would end the process.
  stream.on('error', () => {})

  return {
    isTTY,
    get columns() {
      return isTTY ? (stream.columns ?? columnsDefault) : null
    },
    get rows() {
      return isTTY ? (stream.rows ?? rowsDefault) : null
    },
    get closed() {
      return closed
    },
    write(text) {
      if (closed || text.length === 0) return Promise.resolve()
      return new Promise((resolve, reject) => {
        stream.write(text, (error) => {
          if (!error) return resolve()
          if (!isClosedPipe(error)) return reject(error)
          closed = true
          resolve()
        })
      })
    },
    style: (style, text) => (hasColors ? styleText(style, text, { validateStream: false }) : text),
  }
}

/** The traditional width, for terminals that do not report one. */
const columnsDefault = 80
const rowsDefault = 24

function isClosedPipe(error: Error): boolean {
  const code = 'code' in error ? error.code : undefined
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED'
}
