/** Deletes the temporary file that a killed `write_file` or `edit_file` call left behind. */
import type { DiscardUnfinished } from '../../../../shared/agents/driver/tool-context.ts'
import { toolInputSchemas } from '../../../../shared/agents/tools.ts'
import { createFilesInside, type FilesInside } from '../inside/index.ts'
import { temporaryNameOf } from '../inside/temporary-file.ts'
import { ToolError } from '../tool.ts'

export function createDiscardUnfinished(
  inside: FilesInside = createFilesInside(),
): DiscardUnfinished {
  return async ({ name, input, workingDir, ...call }) => {
    if (name !== 'write_file' && name !== 'edit_file') return
    const parsed = toolInputSchemas[name].safeParse(input)
    // The tool runner refuses such an input before the tool runs.
    if (!parsed.success) return
    try {
      const path = await inside.confine(workingDir, parsed.data.path)
      await inside.removeTemporary(path, temporaryNameOf(call))
    } catch (error) {
      // The directory is missing, or the path leads out of it, so it contains no file of this call.
      if (!(error instanceof ToolError)) throw error
    }
  }
}
