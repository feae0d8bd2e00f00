import { parsePatch } from 'diff'

/** A patch of many files as one patch a file, by its path after the change. Pure. */
export function splitPatch(patch: string): Map<string, string> {
  const files = new Map<string, string>()
  for (const part of patch.split(/^(?=diff --git )/m)) {
    const path = pathOf(part)
    if (path !== null) files.set(path, part)
  }
  return files
}

/** The new path; the old one of a file that is gone. Null for what is no part of a patch. */
function pathOf(part: string): string | null {
  const [header = ''] = part.split(/^@@ /m, 1)
  const { oldFileName, newFileName } = parsePatch(header)[0] ?? {}
  const name = newFileName === '/dev/null' ? oldFileName : newFileName
  return name?.replace(/^[ab]\//, '') ?? null
}
