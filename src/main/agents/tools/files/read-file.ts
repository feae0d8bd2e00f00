import { createHash } from 'node:crypto'
import type { ToolResult } from '../../../../shared/agents/driver/tool-result.ts'
import { imageKindOf, imageProblem } from '../../../../shared/agents/image-kind.ts'
import type { FilesInside } from '../inside/index.ts'
import { type Tool, ToolError } from '../tool.ts'
import { numberedLines } from './numbered-lines.ts'
import { decodeText, readExisting } from './text-file.ts'

/** About 16,000 tokens: enough for a whole source file, short of flooding an agent's context. */
const readCharsMax = 64 * 1024
/** The default of `lines`. Longer files are data or generated, and read in parts. */
const readLinesDefault = 2000
/** Longer lines are minified code or data. */
const lineCharsMax = 2000

/** Returns numbered lines of a text file, and how to continue reading; of an image file, the image. */
export const createReadFile =
  (inside: FilesInside): Tool<'read_file'> =>
  async (input, context) => {
    const path = await inside.confine(context.workingDir, input.path)
    const bytes = await readExisting(inside, path)
    const image = imageIn(path.relative, bytes)
    if (image) return image
    const text = textOf(path.relative, bytes)
    const lines = bodies(text)
    const from = input.fromLine ?? 1
    if (from > Math.max(lines.length, 1))
      throw new ToolError(`fromLine: ${path.relative} has ${lines.length} lines.`)
    const selected = lines.slice(from - 1, from - 1 + (input.lines ?? readLinesDefault))
    // Masked before lines are truncated, because half a secret would not be found.
    const masked = bodies(context.mask.text(selected.join('\n')))
    const shown = fitting(masked.map((line) => cutLine(line)))
    const last = from + shown.length - 1
    const longLines = masked.filter((line) => line.length > lineCharsMax).length
    const truncated = longLines > 0 || shown.length < masked.length
    const notes = [
      ...(text === '' ? ['[the file is empty]'] : []),
      ...(from > 1 || last < lines.length ? [placeNote(from, last, lines.length)] : []),
      ...(longLines > 0
        ? [`[lines over ${lineCharsMax} characters are cut; use bash to see more of them]`]
        : []),
      ...(text.includes('\r\n') ? ['[lines end with \\r\\n]'] : []),
    ]
    return {
      outcome: 'ok',
      output: [numberedLines(shown, from), ...notes].filter(Boolean).join('\n'),
      detail: { kind: 'read', path: path.relative, lines: shown.length, truncated },
    }
  }

/** Returns the image as a result; null if the file is not an image. Throws ToolError for one that models can't read. */
function imageIn(path: string, bytes: Buffer): ToolResult | null {
  const kind = imageKindOf(bytes)
  if (!kind) return null
  const problem = imageProblem(kind, bytes.length)
  if (problem !== null) throw new ToolError(`${path} ${problem}.`)
  const { mediaType, width, height } = kind
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return {
    outcome: 'ok',
    output: `${path}: an image (${mediaType}, ${width} × ${height} pixels, ${bytes.length} bytes)`,
    images: [{ mediaType, sha256, data: bytes }],
    detail: { kind: 'read', path, lines: 0, truncated: false },
  }
}

function textOf(path: string, bytes: Buffer): string {
  const text = decodeText(bytes)
  if (text === null)
    throw new ToolError(`${path} is a binary file or not UTF-8; only text can be read.`)
  return text
}

/** Returns the lines without their ends. */
function bodies(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''))
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

const cutLine = (line: string): string =>
  line.length > lineCharsMax
    ? `${line.slice(0, lineCharsMax)} [${line.length - lineCharsMax} characters left out]`
    : line

/** Returns as many whole lines as fit. */
function fitting(lines: string[]): string[] {
  let chars = 0
  const end = lines.findIndex((line) => {
    chars += line.length + 1
    return chars > readCharsMax
  })
  return end === -1 ? lines : lines.slice(0, end)
}

function placeNote(from: number, last: number, total: number): string {
  const next = last < total ? `; continue with fromLine: ${last + 1}` : ''
  return `[lines ${from}-${last} of ${total}${next}]`
}
