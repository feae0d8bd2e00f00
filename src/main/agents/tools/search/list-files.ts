import type { FilesInside } from '../inside/index.ts'
import type { Tool } from '../tool.ts'
import { type FilesOfGit, projectFiles } from './project-files.ts'

/** A longer list is of no use to an agent; a glob or a path narrows it down. */
const filesListedMax = 1000

/** Lists files, one a line, by their paths from the working directory. */
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
