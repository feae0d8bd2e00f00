import type { FilesInside } from '../inside/index.ts'
import type { Tool } from '../tool.ts'
import { type FilesOfGit, projectFiles } from './project-files.ts'

/** For a longer list, an agent should narrow the search by a glob or a path. */
const filesListedMax = 1000

/** Lists files, one per line, by their paths relative to the working directory. */
export function createListFiles(inside: FilesInside, filesOfGit: FilesOfGit): Tool<'list_files'> {
  return async ({ path, glob }, { signal, workingDir }) => {
    const found = await projectFiles(inside, workingDir, { path, glob, signal, filesOfGit })
    const files = found.files.slice(0, filesListedMax)
    const truncated = found.truncated || files.length < found.files.length
    const note = truncated
      ? `[the first ${files.length} files; narrow it down with path or glob]`
      : ''
    return {
      outcome: 'ok',
      output: [...files.map((file) => file.path), note].filter(Boolean).join('\n') || '[no files]',
      detail: { kind: 'files', count: files.length, truncated },
    }
  }
}
