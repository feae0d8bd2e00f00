/** Who wrote what is reviewed, as it is given: there are no states of files. Every anchor is where it was. */
import type { Implementer } from './implementer.ts'
import type { Memory } from './memory.ts'

export const reviewAnswers = (os: Implementer, { given, find }: Memory) => ({
  authors: os.review.authors.handler(({ input }) => {
    const found = given.authors?.(find(input.workspaceId, 'workspace').id, input.path)
    return {
      ...(found ?? { authors: [], written: [], removed: [] }),
      anchors: input.anchors.map(({ line }) => ({ line, author: null })),
    }
  }),
})
