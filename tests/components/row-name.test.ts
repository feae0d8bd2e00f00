import { describe, expect, it } from 'vitest'
import { rowName } from '../../src/renderer/components/conversation/rows/row-name.ts'
import { transcriptRows } from '../../src/renderer/components/conversation/rows/transcript-rows.ts'
import { foldEntries } from '../../src/shared/projections/transcript/transcript.ts'
import { emptyTranscript } from '../../src/shared/projections/transcript/transcript-fold.ts'
import { session } from '../fixtures/entries/builder.ts'
import { taskId } from '../fixtures/entries/ids.ts'

const namesOf = (entries: Parameters<typeof foldEntries>[1]) =>
  transcriptRows(foldEntries(emptyTranscript(), entries).items)
    .filter(({ kind }) => kind !== 'mark')
    .map(rowName)

describe('names of rows for a screen reader', () => {
  it('contain messages, calls and their outcome', () => {
    const { entries } = session(taskId('names'))
      .prompt('Fix the parser')
      .turn([
        { think: 'The grammar first.' },
        { say: 'I read\nthe **grammar**.' },
        {
          call: {
            name: 'bash',
            input: { command: 'node test.js' },
            outcome: 'error',
            detail: { kind: 'bash', exitCode: 1, timedOut: false, omittedBytes: 0 },
          },
        },
      ])
      .runEnd('interrupted', { kind: 'stopped', by: 'person' })
    expect(namesOf(entries)).toEqual([
      'Prompt: Fix the parser',
      'Reasoning: The grammar first.',
      'I read the **grammar**.',
      'Ran node test.js, failed, exit 1',
      expect.stringMatching(/^Run \d was interrupted because you stopped it$/),
    ])
  })

  it('are short and without control characters', () => {
    const { entries } = session(taskId('long')).turn([{ say: `\u001b[31m${'word '.repeat(500)}` }])
    const [name = ''] = namesOf(entries)
    expect(name.length).toBeLessThan(130)
    expect(name).not.toContain('\u001b')
  })
})
