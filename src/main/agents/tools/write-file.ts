import { changeFile } from './change-file.ts'
import { confine } from './confined-path.ts'
import { readBytes } from './text-file.ts'
import type { Tool } from './tool.ts'

/** Makes a file, or replaces all of it. Directories above it are made as needed. */
export const writeFile: Tool<'write_file'> = async (input, context) => {
  const path = await confine(context.workingDir, input.path)
  const before = await readBytes(path)
  return changeFile({ path, before, after: input.content }, context)
}
