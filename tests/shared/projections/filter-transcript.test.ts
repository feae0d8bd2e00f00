import { expect, it } from 'vitest'
import { createFilterFold } from '../../../src/shared/projections/transcript/filter-transcript.ts'
import type { TranscriptFilter } from '../../../src/shared/projections/transcript/filter-units.ts'
import { newTaskId } from '../../../src/shared/records/ids.ts'
import { session } from '../../fixtures/entries/builder.ts'

const edit = (id: string, path: string, change: 'created' | 'unchanged') => ({
  call: {
    id,
    name: 'write_file',
    input: { path, content: 'x' },
    output: 'Done.',
    detail: { kind: 'edit' as const, path, change, additions: 1, deletions: 0, patch: null },
  },
})
const bash = (id: string, command: string, exitCode: number) => ({
  call: {
    id,
    name: 'bash',
    input: { command },
    output: '',
    detail: { kind: 'bash' as const, exitCode, timedOut: false, omittedBytes: 0 },
  },
})

/** Entries: 1 run, 2 prompt, 3 and 4 a, 5 and 6 b, 7 and 8 c, 9 message, 10 message, 11 and 12 d, 13 message, 14 end. */
const { entries } = session(newTaskId())
  .runStart()
  .prompt('Light the lamp')
  .turn([
    { think: 'How?' },
    edit('a', 'src/lamp.ts', 'created'),
    bash('b', 'npm test', 1),
    edit('c', 'src/lamp.ts', 'unchanged'),
  ])
  .turn([{ say: 'Lit.' }])
  .turn([bash('d', 'touch out.txt', 0)])
  .runEnd('failed', { kind: 'closed', how: 'close' })

function filtered(filter: Partial<TranscriptFilter>) {
  const fold = createFilterFold({ kind: null, tool: null, file: null, ...filter })
  const tree = (letter: string) => letter.repeat(40)
  for (const entry of entries) {
    // The command that changed files is known by the trees before and after it alone.
    if (entry.type === 'tool-call') fold.add({ ...entry, tree: tree('a') })
    else if (entry.type === 'tool-result')
      fold.add({ ...entry, tree: tree(entry.seq === 12 ? 'b' : 'a') })
    else fold.add(entry)
  }
  return fold.answer()
}

it('selects the entries of a filter, calls with their results, and counts those of the other filters', () => {
  const seqs = (filter: Partial<TranscriptFilter>) => filtered(filter).seqs
  expect(seqs({ kind: 'messages' })).toEqual([2, 10])
  expect(seqs({ kind: 'tools' })).toEqual([3, 4, 5, 6, 7, 8, 11, 12])
  expect(seqs({ kind: 'edits' })).toEqual([3, 4, 7, 8])
  expect(seqs({ kind: 'errors' })).toEqual([5, 6, 14])
  expect(seqs({ kind: 'changes' })).toEqual([3, 4, 11, 12])
  expect(seqs({ tool: 'bash' })).toEqual([5, 6, 11, 12])
  expect(seqs({ file: 'lamp.ts', kind: 'changes' })).toEqual([3, 4])
  expect(filtered({ kind: 'errors', tool: 'bash' })).toMatchObject({
    seqs: [5, 6],
    matches: 1,
    lastSeq: 14,
    counts: {
      kinds: { messages: 2, tools: 4, edits: 2, errors: 2, changes: 2 },
      tools: [
        { name: 'write_file', count: 2 },
        { name: 'bash', count: 2 },
      ],
      files: [{ name: 'src/lamp.ts', count: 2 }],
    },
  })
})

it('selects a call without a result yet', () => {
  const fold = createFilterFold({ kind: 'tools', tool: null, file: null })
  for (const entry of entries.slice(0, 3)) fold.add(entry)
  expect(fold.answer().seqs).toEqual([3])
})

it('lists the working directories, each from the first call of its first turn', () => {
  const fold = createFilterFold({ kind: 'edits', tool: null, file: null })
  for (const entry of entries)
    fold.add(
      entry.type === 'message' && entry.seq > 10 ? { ...entry, cwd: '/home/robin/web' } : entry,
    )
  expect(fold.answer().dirs).toEqual([
    { seq: 2, cwd: '/home/robin/api' },
    { seq: 11, cwd: '/home/robin/web' },
  ])
})
