import { describe, expect, it } from 'vitest'
import { entriesOf, type Row } from '../../src/renderer/components/conversation/rows/row.ts'
import {
  rowIndexOfSeq,
  startsTurn,
} from '../../src/renderer/components/conversation/rows/row-positions.ts'
import { transcriptRows } from '../../src/renderer/components/conversation/rows/transcript-rows.ts'
import { withPartial } from '../../src/shared/projections/transcript/live-items.ts'
import { foldEntries } from '../../src/shared/projections/transcript/transcript.ts'
import { emptyTranscript } from '../../src/shared/projections/transcript/transcript-fold.ts'
import type { Entry } from '../../src/shared/records/entries.ts'
import { runIdOf } from '../../src/shared/records/ids.ts'
import { session } from '../fixtures/entries/builder.ts'
import { broken, leadEnded, leadLive, long } from '../fixtures/entries/conversations.ts'
import { everyEntry } from '../fixtures/entries/every-entry.ts'
import { taskId } from '../fixtures/entries/ids.ts'
import { ids } from '../fixtures/entries/tasks.ts'

const itemsOf = (entries: Entry[]) => foldEntries(emptyTranscript(), entries).items
const kinds = (rows: Row[]) => rows.map((row) => (row.kind === 'item' ? row.item.kind : row.kind))
const look = (name: string, outcome: 'ok' | 'error' = 'ok') => ({
  call: { name, input: { path: 'a', pattern: 'a' }, outcome },
})

describe('transcriptRows', () => {
  it('gives every row a unique key', () => {
    const rows = transcriptRows(itemsOf(leadEnded()))
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length)
  })

  it('folds three or more small calls that follow each other, and no others', () => {
    const entries = session(taskId('small')).turn([
      look('read_file'),
      look('list_files'),
      look('bash'),
      look('read_file'),
      look('read_file'),
      look('search_files'),
      look('read_file', 'error'),
    ]).entries
    expect(kinds(transcriptRows(itemsOf(entries)))).toEqual([
      'mark',
      'call',
      'call',
      'call',
      'calls',
      'call',
    ])
  })

  it('folds the text of a failed attempt under its retry, and shows a retry without text by itself', () => {
    const rows = transcriptRows(itemsOf(everyEntry()))
    const attempts = rows.filter((row) => row.kind === 'attempt')
    expect(attempts.map((row) => [kinds(row.rows), row.retry?.cause.kind])).toEqual([
      [['reasoning', 'text'], 'network'],
      [[], 'refused'],
    ])
    const [first] = attempts
    const seqOfRetry = first?.retry?.seq ?? 0
    expect(rows[rowIndexOfSeq(rows, seqOfRetry)]).toBe(first)
    expect(first && entriesOf(first)).toEqual([seqOfRetry - 1, seqOfRetry])
    expect(transcriptRows(itemsOf(everyEntry()).slice(0, -1))).toContainEqual(first)
  })

  it('shows attempts that failed in a row for the same reason as one, across minutes', () => {
    const failing = session(taskId('failing')).prompt('Try')
    for (const [n, detail] of ['refused', 'refused', 'refused', 'reset'].entries())
      failing.add({
        type: 'retrying',
        runId: runIdOf(taskId('failing'), 1),
        turn: 1,
        cause: { kind: 'network', detail },
        untilMs: n * 60_000,
      })
    const { entries } = failing
    const attempts = transcriptRows(itemsOf(entries)).filter((row) => row.kind === 'attempt')
    expect(attempts.map(({ earlier, retry }) => [earlier.length, retry?.cause])).toEqual([
      [2, { kind: 'network', detail: 'refused' }],
      [0, { kind: 'network', detail: 'reset' }],
    ])
    const [first] = attempts
    expect(first && entriesOf(first)).toEqual(entries.slice(-4, -1).map(({ seq }) => seq))
    // The row stays the same one while attempts are added to it.
    const [before] = transcriptRows(itemsOf(entries.slice(0, -3))).slice(-1)
    expect(before?.key).toBe(first?.key)
  })

  it('states of a failed attempt whether another followed it, or the end of the run', () => {
    const id = taskId('next attempt')
    const run = { runId: runIdOf(id, 1), run: 1 }
    const cause = { kind: 'network', detail: 'reset' } as const
    const failing = () =>
      session(id)
        .prompt('Try')
        .add({ type: 'retrying', ...run, turn: 1, cause, untilMs: null })
    const nextOf = (entries: Entry[]) =>
      transcriptRows(itemsOf(entries)).flatMap((row) =>
        row.kind === 'attempt' ? [row.next?.kind ?? null] : [],
      )
    const end = { type: 'run-end', ...run, status: 'interrupted', cause: null } as const
    expect(nextOf(failing().entries)).toEqual([null])
    expect(nextOf(failing().add(end).entries)).toEqual(['run-end'])
    expect(nextOf(failing().turn([{ say: 'Here.' }]).entries)).toEqual(['attempt'])
  })

  it('names the branch once where the worktree has just been entered', () => {
    const { entries } = session(taskId('entered'), { branch: 'shiplog/fix' })
      .worktree('/w/fix', 'shiplog/fix')
      .prompt('Fix it')
    const branches = transcriptRows(itemsOf(entries)).flatMap((row) =>
      row.kind === 'mark' ? [row.branch] : [],
    )
    expect(branches).toEqual([null])
  })

  it('omits a summary that directly follows its report, and no other', () => {
    const summary = { type: 'summary', text: 'Done' } as const
    const report = (outcome: 'ok' | 'error') =>
      session(taskId(`report ${outcome}`))
        .turn([{ call: { name: 'agent_report', input: { title: 'Done' }, outcome } }])
        .add(summary).entries
    expect(kinds(transcriptRows(itemsOf(report('ok'))))).toEqual(['mark', 'call'])
    expect(kinds(transcriptRows(itemsOf(report('error'))))).toEqual(['mark', 'call', 'summary'])
    const alone = session(taskId('alone'))
      .turn([{ say: 'Done' }])
      .add(summary).entries
    expect(kinds(transcriptRows(itemsOf(alone)))).toEqual(['mark', 'text', 'summary'])
  })

  it('shows a plan once, and also a call that failed to change it', () => {
    const plan = (outcome: 'ok' | 'error') => ({
      call: { name: 'update_plan', input: { items: [] }, outcome },
    })
    const { entries } = session(taskId('plan')).turn([plan('ok'), plan('error')])
    const calls = transcriptRows(itemsOf(entries)).flatMap((row) =>
      row.kind === 'call' ? [row.call.state] : [],
    )
    expect(calls).toEqual(['error'])
  })

  it('makes a table of more than five cards in a row, and no other calls part of it', () => {
    const start = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        call: { name: 'task', input: { title: `Part ${index}` } },
      }))
    const few = session(taskId('few')).turn(start(5)).entries
    expect(kinds(transcriptRows(itemsOf(few)))).toEqual(['mark', ...Array(5).fill('call')])
    const many = session(taskId('many')).turn([...start(6), look('bash'), ...start(2)]).entries
    const rows = transcriptRows(itemsOf(many))
    expect(kinds(rows)).toEqual(['mark', 'cards', 'call', 'call', 'call'])
  })

  it('gives every row its time', () => {
    const rows = transcriptRows(itemsOf(leadEnded()))
    expect(rows.filter(({ at }) => at === null)).toEqual([])
  })

  it('marks time and branch only when they change', () => {
    const entries = session(taskId('marks'))
      .turn([{ say: 'one' }])
      .turn([{ say: 'two' }])
      .branch('feature')
      .turn([{ say: 'three' }])
      .wait(120_000)
      .turn([{ say: 'four' }]).entries
    const rows = transcriptRows(itemsOf(entries))
    expect(kinds(rows)).toEqual(['mark', 'text', 'text', 'mark', 'text', 'mark', 'text'])
    const branches = rows.flatMap((row) => (row.kind === 'mark' ? [row.branch] : []))
    expect(branches).toEqual(['main', 'feature', null])
  })

  it('still has a row for every entry after the previous page is loaded', () => {
    const transcripts = { leadEnded: leadEnded(), broken: broken().entries, long: long(60) }
    for (const [name, entries] of Object.entries(transcripts))
      for (let from = 1; from < entries.length; from += 1) {
        // While its message is not read yet, a turn's rows have no place of their own.
        const rows = transcriptRows(itemsOf(entries.slice(from)), { hasOlder: true })
        for (let before = Math.max(0, from - 20); before < from; before += 7) {
          const more = transcriptRows(itemsOf(entries.slice(before)), { hasOlder: before > 0 })
          const keys = new Set(more.map(({ key }) => key))
          const lost = rows.filter(({ key }) => !keys.has(key)).map(({ key }) => key)
          expect(lost, `${name}: entries from ${from}, then from ${before}`).toEqual([])
        }
      }
  })

  it('returns identical rows for an unchanged item', () => {
    const { entries, partial } = leadLive()
    const fold = foldEntries(emptyTranscript(), entries)
    const before = transcriptRows(withPartial(fold, partial, true))
    const grown = { ...partial, parts: [...partial.parts, { type: 'text' as const, text: 'more' }] }
    const after = transcriptRows(withPartial(fold, grown, true))
    const kept = before.filter((row) => row.kind !== 'mark' && after.includes(row))
    expect(kept.length).toBeGreaterThan(8)
    expect(after.at(-1)).toMatchObject({ kind: 'text', text: 'more', live: true })
  })

  it('[J4] shows damage at its place, and damage before the loaded part once that is loaded', () => {
    const { entries, damage } = broken()
    const rows = transcriptRows(itemsOf(entries), { damage })
    const at = rows.findIndex((row) => row.kind === 'damage')
    expect(rows[at - 1]?.seq).toBeLessThanOrEqual(6)
    expect(rows[at + 1]?.seq).toBeGreaterThanOrEqual(6)
    const tail = itemsOf(entries).slice(-2)
    expect(kinds(transcriptRows(tail, { damage, hasOlder: true }))).not.toContain('damage')
    expect(kinds(transcriptRows(tail, { damage, hasOlder: false }))).toContain('damage')
  })

  it('shows that a turn was interrupted, and that a live one has no text yet', () => {
    const { entries, partial } = leadLive()
    const fold = foldEntries(emptyTranscript(), entries)
    const silent = { ...partial, uuid: entries[0]?.uuid ?? partial.uuid, parts: [] }
    expect(transcriptRows(withPartial(fold, silent, true)).at(-1)).toMatchObject({
      note: 'working',
    })
    expect(transcriptRows(withPartial(fold, partial, false)).at(-1)).toMatchObject({
      note: 'cut-short',
    })
    expect(transcriptRows(withPartial(fold, silent, false)).at(-1)).toMatchObject({
      note: 'cut-before-anything',
    })
  })
})

describe('rowIndexOfSeq', () => {
  const rows = transcriptRows(itemsOf(leadEnded()))

  it('finds the row that shows an entry, for every entry of the transcript', () => {
    for (const { seq } of leadEnded().slice(2)) {
      const row = rows[rowIndexOfSeq(rows, seq)]
      expect(row?.seq).toBeLessThanOrEqual(seq)
    }
  })

  it('finds the text of a message, which may be above calls that were recorded earlier', () => {
    const turn = rows.find((row) => row.kind === 'reasoning') as Row
    const message = leadEnded().find(({ seq, type }) => seq >= turn.seq && type === 'message')
    const row = rows[rowIndexOfSeq(rows, message?.seq ?? 0)]
    expect(row).toMatchObject({ kind: 'text', seq: turn.seq })
    expect(entriesOf(row as Row)).toEqual([message?.seq])
  })

  it('finds the first row of a turn without text', () => {
    const { entries } = session(ids.lead).turn([{ think: 'One.' }, { think: 'Two.' }])
    const thoughts = transcriptRows(itemsOf(entries))
    // Its time stands above it.
    expect(rowIndexOfSeq(thoughts, entries.at(-1)?.seq ?? 0)).toBe(0)
    expect(thoughts.map((_, index) => startsTurn(thoughts, index))).toEqual([false, true, false])
  })

  it('finds the row of a call by its own entry and by its result', () => {
    for (const entry of leadEnded()) {
      if (entry.type !== 'tool-call' && entry.type !== 'tool-result') continue
      const row = rows[rowIndexOfSeq(rows, entry.seq)]
      const calls = row?.kind === 'call' ? [row.call] : row && 'calls' in row ? row.calls : []
      if (row?.kind === 'call' || calls.length > 0)
        expect(calls.map(({ callId }) => callId)).toContain(entry.callId)
    }
  })

  it('finds nothing before the first row', () => {
    expect(rowIndexOfSeq(rows, 0)).toBe(-1)
    expect(rowIndexOfSeq([], 5)).toBe(-1)
  })
})
