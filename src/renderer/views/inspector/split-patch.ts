import { parsePatch } from 'diff'

/** Splits a patch into one patch per file, by its path after the change. */
export function splitPatch(patch: string): Map<string, string> {
  const files = new Map<string, string>()
  for (const part of patch.split(/^(?=diff --git )/m)) {
    const path = pathOf(part)
    if (path !== null) files.set(path, part)
  }
  return files
}

/** The new path, or the old path of a deleted file. Null if `part` is not a patch of a file. */
function pathOf(part: string): string | null {
  const [header = ''] = part.split(/^@@ /m, 1)
  const { oldFileName, newFileName } = parsePatch(header)[0] ?? {}
  const name = newFileName === '/dev/null' ? oldFileName : newFileName
  return name?.replace(/^[ab]\//, '') ?? null
}
