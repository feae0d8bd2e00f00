import { describe, expect, it } from 'vitest'
import {
  createOutlineStore,
  outlineIndexOf,
} from '../../../../src/renderer/store/transcript/outline-store.ts'
import type { OutlineItem } from '../../../../src/shared/contract/transcripts/transcripts.ts'
import type { TaskId } from '../../../../src/shared/records/ids.ts'
import { until } from '../../until.ts'

const prompt = (seq: number): OutlineItem => ({ kind: 'prompt', seq, at: seq, text: 'Go' })
const turn = (
  seq: number,
  number: number,
  status: 'complete' | 'interrupted' = 'complete',
): OutlineItem => ({
  kind: 'turn',
  seq,
  at: seq,
  turn: number,
  calls: 1,
  failedCalls: 0,
  status,
  text: status === 'complete' ? 'Done' : '',
})

describe('outline of a transcript', () => {
  it('is read page by page, and read again only where it can still change', async () => {
    const asked: number[] = []
    let pages: Record<number, { items: OutlineItem[]; nextSeq: number | null }> = {
      1: { items: [prompt(2), turn(5, 1)], nextSeq: 6 },
      6: { items: [turn(8, 2), turn(9, 3, 'interrupted')], nextSeq: null },
    }
    const outline = createOutlineStore({
      client: {
        transcripts: {
          outline: async ({ fromSeq = 1 }) => {
            asked.push(fromSeq)
            return pages[fromSeq] ?? { items: [], nextSeq: null }
          },
        },
      } as never,
      taskId: 'task' as TaskId,
    })
    outline.follow(10)
    await until(outline.store, ({ items, busy }) => items.length === 4 && !busy)
    expect(asked).toEqual([1, 6])
    // The last turn had no message yet.
    pages = { 9: { items: [turn(12, 3), prompt(13)], nextSeq: null } }
    outline.follow(10)
    outline.follow(13)
    const { items } = await until(outline.store, ({ items, busy }) => items.length === 5 && !busy)
    expect(items.map(({ seq }) => seq)).toEqual([2, 5, 8, 12, 13])
    expect(asked).toEqual([1, 6, 9])
    outline.close()
  })

  it('finds the item of an entry', () => {
    const items = [prompt(2), turn(6, 1), turn(9, 2), prompt(11), turn(20, 3)]
    const at = (seq: number) => outlineIndexOf(items, seq)
    expect([1, 2, 3, 6, 7, 9, 10, 11, 12, 20, 21].map(at)).toEqual([
      -1, 0, 1, 1, 2, 2, 2, 3, 4, 4, 4,
    ])
  })
})
