import { describe, expect, it } from 'vitest'
import { placeOfMatch } from '../../src/renderer/components/conversation/find/find-row.ts'
import { transcriptRows } from '../../src/renderer/components/conversation/rows/transcript-rows.ts'
import { foldEntries } from '../../src/shared/projections/transcript/transcript.ts'
import { emptyTranscript } from '../../src/shared/projections/transcript/transcript-fold.ts'
import type { Entry } from '../../src/shared/records/entries.ts'
import { newTaskId } from '../../src/shared/records/ids.ts'
import { session } from '../fixtures/entries/builder.ts'

const read = (id: string, output: string) => ({
  call: { id, name: 'read_file', input: { path: 'lamp.txt' }, output },
})

describe('where a match is shown', () => {
  const { entries } = session(newTaskId())
    .runStart()
    .prompt('Light the lamp')
    .turn([
      { think: 'Which lamp?' },
      { say: 'A lamp, or the lamp.' },
      read('a', 'lamp'),
      read('b', 'no'),
      read('c', `${'-'.repeat(20_000)}lamp`),
      { say: 'The last lamp.' },
    ])
    .add({ type: 'summary', text: 'Lamps' })
  const rows = transcriptRows(foldEntries(emptyTranscript(), entries).items)
  const calls = rows.flatMap((row) => (row.kind === 'calls' ? row.calls : []))
  const message = entries.findLast(({ type }) => type === 'message')?.seq ?? 0
  const place = (seq: number, kind: 'message' | 'reasoning' | 'output' | 'summary', nth: number) =>
    placeOfMatch(rows, { seq, kind, nth }, /lamp/gi)
  const keyOf = (text: string) =>
    rows.find((row) => 'text' in row && row.text.startsWith(text))?.key

  it('is the row of its text, or the call in its group, with what hides it', () => {
    expect(place(message, 'reasoning', 0)).toMatchObject({
      rowKey: keyOf('Which'),
      nth: 0,
      folds: [keyOf('Which')],
    })
    expect(place(message, 'message', 1)).toMatchObject({
      rowKey: keyOf('A lamp'),
      nth: 1,
      folds: [],
    })
    expect(place(message, 'message', 2)).toMatchObject({
      rowKey: keyOf('The last'),
      nth: 0,
      folds: [],
    })
    const [first, , last] = calls
    const group = rows.find(({ kind }) => kind === 'calls')?.key
    expect(place(first?.resultSeq ?? 0, 'output', 0)).toMatchObject({
      rowKey: group,
      nth: 0,
      folds: [group, first?.callId, `${first?.callId}:output:text`],
    })
    expect(place(last?.resultSeq ?? 0, 'output', 0)?.folds).toContain(
      `${last?.callId}:output:step:1`,
    )
    expect(place(message + 1, 'summary', 0)?.folds).toContain(rows.at(-1)?.key)
    const [retried] = session(newTaskId()).turn([{ say: 'One lamp' }]).entries
    const failed = { ...retried, status: 'superseded' } as Entry
    const [attempt] = transcriptRows(foldEntries(emptyTranscript(), [failed]).items).slice(-1)
    const inside = attempt?.kind === 'attempt' ? attempt.rows[0]?.key : null
    expect(
      placeOfMatch(attempt ? [attempt] : [], { seq: 1, kind: 'message', nth: 0 }, /lamp/g),
    ).toEqual({ rowKey: attempt?.key, partKey: inside, nth: 0, folds: [attempt?.key] })
    expect(placeOfMatch([], { seq: 1, kind: 'prompt', nth: 0 }, /lamp/g)).toBeNull()
  })
})
