/** Reads contents of files as stored by Git, for comparing text. */
import type { RunGit } from '../command/run-git.ts'

const blobHeader = /^[0-9a-f]+ blob (\d+)$/

/** Limits the total, because all contents are read into memory. */
const textsBytesMax = 16 * 1024 * 1024

/**
 * Returns by name (an id, or `<tree>:./<path>` from `dir`) the bytes of each blob of at most
 * `bytesMax`. Omits missing objects, other types, longer blobs, names with a line break, and
 * everything after `textsBytesMax`.
 */
export async function readTexts(
  git: (...call: Parameters<RunGit>) => ReturnType<RunGit>,
  input: {
    dir: string
    names: readonly string[]
    bytesMax: number
    signal?: AbortSignal | undefined
  },
): Promise<Map<string, Buffer>> {
  const { dir, bytesMax, signal } = input
  const names = [...new Set(input.names)].filter((name) => !name.includes('\n'))
  const run = { cwd: dir, signal }
  const list = (some: readonly string[]) => some.map((name) => `${name}\n`).join('')
  if (names.length === 0) return new Map()
  const checked = await git(['cat-file', '--batch-check'], { ...run, input: list(names) })
  const answers = checked.stdout.toString().split('\n')
  let total = 0
  const wanted = names.flatMap((name, at) => {
    // The line for a missing object begins with its name, which may contain any characters.
    const [, size] = blobHeader.exec(answers[at] ?? '') ?? []
    const bytes = Number(size)
    if (size === undefined || bytes > bytesMax || total + bytes > textsBytesMax) return []
    total += bytes
    return [{ name, bytes }]
  })
  if (wanted.length === 0) return new Map()
  const asked = list(wanted.map(({ name }) => name))
  const { stdout } = await git(['cat-file', '--batch'], { ...run, input: asked })
  const texts = new Map<string, Buffer>()
  let at = 0
  for (const { name, bytes } of wanted) {
    // `<id> blob <length>`, a newline, the bytes, a newline; for an object deleted meanwhile only
    // its name and a word.
    const start = stdout.indexOf('\n', at) + 1
    const [, size] = blobHeader.exec(stdout.toString('latin1', at, Math.max(at, start - 1))) ?? []
    if (start === 0) break
    at = start
    if (size === undefined || Number(size) !== bytes) continue
    texts.set(name, stdout.subarray(start, start + bytes))
    at += bytes + 1
  }
  return texts
}
