/** Reads one file from many trees of a store with two Git processes, regardless of the number of trees. */
import type { RunGit } from '../command/run-git.ts'
import { readTexts } from '../repository/texts.ts'

/** Longer contents are not written by hand, and are omitted. */
const textBytesMax = 1_000_000

export interface FileContents {
  /** By tree, in the order of the request: null where it has no such file. */
  found: ({ path: string; id: string } | null)[]
  /** By id; without those that are too long or lost. */
  texts: Map<string, string>
}

/** Reads from each tree the first of `paths` that is a file in it. Every tree must exist. */
export async function readContents(
  git: RunGit,
  { dir, trees, paths }: { dir: string; trees: readonly string[]; paths: readonly string[] },
): Promise<FileContents> {
  const named = paths.filter((path) => !path.includes('\n'))
  const different = [...new Set(trees)]
  const names = different.flatMap((tree) => named.map((path) => `${tree}:${path}\n`))
  if (names.length === 0) return { found: trees.map(() => null), texts: new Map() }
  const { stdout } = await git(['cat-file', '--batch-check'], { cwd: dir, input: names.join('') })
  const answers = stdout.toString().split('\n')
  const byTree = new Map(
    different.map((tree, at) => {
      const ids = named.map((_, of) => blob.exec(answers[at * named.length + of] ?? '')?.[1])
      const first = ids.findIndex((id) => id !== undefined)
      return [tree, first < 0 ? null : { path: named[first] ?? '', id: ids[first] ?? '' }]
    }),
  )
  const found = trees.map((tree) => byTree.get(tree) ?? null)
  const ids = [...new Set(found.flatMap((one) => one?.id ?? []))]
  const contents = await readTexts(git, { dir, names: ids, bytesMax: textBytesMax })
  return { found, texts: new Map([...contents].map(([id, bytes]) => [id, bytes.toString()])) }
}

const blob = /^([0-9a-f]+) blob \d+$/
