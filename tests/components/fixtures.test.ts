import { describe, expect, it } from 'vitest'
import { workspaceDiffSchema } from '../../src/shared/contract/workspace.ts'
import { entrySchema } from '../../src/shared/records/entries.ts'
import { partialMessageSchema } from '../../src/shared/records/entry-types/messages.ts'
import { ledgerRecordSchema } from '../../src/shared/records/ledger.ts'
import { parseEntry } from '../../src/shared/records/parse-entry.ts'
import { taskSchema } from '../../src/shared/records/tasks/tasks.ts'
import {
  broken,
  hostile,
  leadEnded,
  leadLive,
  long,
  testsEnded,
} from '../fixtures/entries/conversations.ts'
import { laterRecords, laterState, liveRecords } from '../fixtures/entries/tasks.ts'
import { workspaceDiff } from '../fixtures/entries/workspaces.ts'

const conversations = {
  leadEnded: leadEnded(),
  leadLive: leadLive().entries,
  testsEnded: testsEnded(),
  broken: broken().entries,
  hostile: hostile(1_000),
  long: long(50),
}

describe('the fixtures are as the app would have written them', () => {
  it.each(Object.entries(conversations))(
    '%s: every entry is valid and in its place',
    (_, entries) => {
      for (const [index, entry] of entries.entries()) {
        expect(entrySchema.safeParse(entry).error?.issues ?? []).toEqual([])
        expect(entry.seq).toBe(index + 1)
        expect(entry.parentUuid).toBe(entries[index - 1]?.uuid ?? null)
      }
    },
  )

  it('parses each entry as itself', () => {
    for (const entry of conversations.leadEnded) expect(parseEntry({ ...entry })).toEqual(entry)
  })

  it('holds a valid message in progress', () => {
    expect(partialMessageSchema.parse(leadLive().partial).parts.length).toBeGreaterThan(0)
  })

  it('folds valid ledger records into valid tasks', () => {
    for (const record of [...liveRecords, ...laterRecords]) ledgerRecordSchema.parse(record)
    for (const task of laterState.tasks.values()) taskSchema.parse(task)
    expect(laterState.tasks.size).toBe(7)
  })

  it('holds a valid diff', () => {
    workspaceDiffSchema.parse(workspaceDiff)
  })
})
