import type { FilesInside } from './inside/index.ts'
import { readText, splitLines } from './text-file.ts'
import type { Tool } from './tool.ts'
import { ToolError } from './tool.ts'

/** About 16,000 tokens: enough for a whole source file, short of flooding an agent's context. */
const readCharsMax = 64 * 1024

/** Returns lines of a text file unchanged, with their numbers when they are not the whole file. */
export const createReadFile =
  (inside: FilesInside): Tool<'read_file'> =>
  async (input, context) => {
    const path = await inside.confine(context.workingDir, input.path)
    const lines = splitLines(await readText(inside, path))
    const from = input.fromLine ?? 1
    if (from > Math.max(lines.length, 1))
      throw new ToolError(`fromLine: ${path.relative} has ${lines.length} lines.`)
    const asked = lines.slice(from - 1, input.lines ? from - 1 + input.lines : undefined)
    // Before it is cut: half a secret is not found any more.
    const wanted = splitLines(context.mask.text(asked.join('')))
    const { text, count } = fitting(wanted)
    const last = from + count - 1
    const truncated = count < wanted.length || text.length < wanted.join('').length
    const more = truncated || last < lines.length
    return {
      outcome: 'ok',
      output: more ? `${text}${note(from, last, lines.length, truncated)}` : text,
      detail: { kind: 'read', path: path.relative, lines: count, truncated },
    }
  }

/** As many whole lines as fit; if the first line alone is too long, its beginning. */
function fitting(lines: string[]): { text: string; count: number } {
  let text = ''
  let count = 0
  for (const line of lines) {
    if (text.length + line.length > readCharsMax) break
    text += line
    count++
  }
  const [first] = lines
  if (count === 0 && first !== undefined) return { text: first.slice(0, readCharsMax), count: 1 }
  return { text, count }
}

function note(from: number, last: number, total: number, truncated: boolean): string {
  const next = last < total ? `; continue with fromLine: ${last + 1}` : ''
  const why = truncated ? `, at most ${readCharsMax} characters at a time` : ''
  return `\n[lines ${from}-${last} of ${total}${why}${next}]`
}
