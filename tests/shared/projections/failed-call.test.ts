/** Which calls count as failed: everywhere the same ones. */
import { expect, it } from 'vitest'
import { documentsOf } from '../../../src/main/search/documents.ts'
import { timelinePageSchema } from '../../../src/shared/contract/transcripts/timeline.ts'
import {
  emptyTimelineOf,
  stateAtSeq,
  withPage,
} from '../../../src/shared/projections/replay/replay-state.ts'
import { addToTimeline, emptyTimeline } from '../../../src/shared/projections/replay/timeline.ts'
import { createFilterFold } from '../../../src/shared/projections/transcript/filter-transcript.ts'
import { addToOutline, emptyOutline } from '../../../src/shared/projections/transcript/outline.ts'
import { newTaskId } from '../../../src/shared/records/ids.ts'
import { session } from '../../fixtures/entries/builder.ts'

it('a call that was refused, and so never tried, does not count as failed', () => {
  const call = (id: string, kind: 'not-run' | null) => ({
    call: {
      id,
      name: 'write_file',
      input: { path: 'a.ts' },
      outcome: 'error' as const,
      output: 'No.',
      ...(kind && { detail: { kind } }),
    },
  })
  const { entries } = session(newTaskId())
    .runStart()
    .prompt('Do it')
    .turn([call('a', 'not-run'), call('b', null)])
    .runEnd()
  const outline = emptyOutline()
  const filter = createFilterFold({ kind: 'errors', tool: null, file: null })
  const marks = emptyTimeline()
  for (const entry of entries) {
    addToOutline(outline, entry)
    filter.add(entry)
    addToTimeline(marks, entry)
  }
  expect(outline.items.find(({ kind }) => kind === 'turn')).toMatchObject({ failedCalls: 1 })
  expect(filter.answer().counts.kinds.errors).toBe(1)
  const nextSeq = entries.length + 1
  const page = { marks: marks.marks, open: [], nextSeq, total: entries.length }
  const timeline = withPage(emptyTimelineOf(), timelinePageSchema.parse(page))
  expect(stateAtSeq(timeline, nextSeq).failedCalls).toBe(1)
  const errors = entries.flatMap((entry) => documentsOf(entry)).filter(({ isError }) => isError)
  expect(errors).toHaveLength(1)
})
