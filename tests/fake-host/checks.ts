/** What agents checked, as it is given: there are no files to compare. */
import type { Implementer } from './implementer.ts'
import type { Memory } from './memory.ts'

export const checkAnswers = (os: Implementer, { given, find }: Memory) => ({
  list: os.checks.list.handler(
    ({ input }) =>
      given.checks?.[find(input.taskId).id] ?? {
        checks: [],
        more: 0,
        cited: [],
        citedMore: 0,
        neverRan: [],
      },
  ),
})
