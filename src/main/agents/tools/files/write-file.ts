import type { FilesInside } from '../inside/index.ts'
import type { Tool } from '../tool.ts'
import { changeFile } from './change-file.ts'
import { readBytes } from './text-file.ts'

/** Creates or replaces a file. Creates missing parent directories. */
export const createWriteFile =
  (inside: FilesInside): Tool<'write_file'> =>
  async (input, context) => {
    const path = await inside.confine(context.workingDir, input.path)
    const before = await readBytes(inside, path)
    return changeFile(inside, { path, before, after: input.content }, context)
  }
