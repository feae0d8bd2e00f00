import type { FilesInside } from '../inside/index.ts'
import { type Tool, ToolError } from '../tool.ts'
import { changeFile } from './change-file.ts'
import { atLines, explainMismatch } from './edit-mismatch.ts'
import { readText } from './text-file.ts'

/** Replaces a piece of text that occurs exactly once, or every occurrence with `replaceAll`. */
export const createEditFile =
  (inside: FilesInside): Tool<'edit_file'> =>
  async (input, context) => {
    const path = await inside.confine(context.workingDir, input.path)
    const text = await readText(inside, path)
    const { oldText, newText } = input
    if (oldText === newText)
      throw new ToolError('newText: is the same as oldText; nothing to change.')
    const occurrences = text.split(oldText).length - 1
    if (occurrences === 0)
      throw new ToolError(
        explainMismatch({ path: path.relative, text, oldText, newText }, context.mask),
      )
    if (occurrences > 1 && !input.replaceAll)
      throw new ToolError(
        `oldText: occurs ${occurrences} times in ${path.relative}, ${atLines(text, oldText)}. Give more of the text around it, or set replaceAll.`,
      )
    // A function, because a replacement string would expand `$&` and similar patterns.
    const after = text.replaceAll(oldText, () => newText)
    return changeFile(inside, { path, before: Buffer.from(text), after }, context)
  }
