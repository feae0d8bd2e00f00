/** Damages to what was recorded: the ledger's snapshot, transcripts, and the long values, originals and scenarios beside them. */
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { appendFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { openLedger } from '../../../src/main/ledger/ledger.ts'
import { readSnapshot, writeSnapshot } from '../../../src/main/ledger/snapshot.ts'
import { onlyIn, type Patient } from '../patient.ts'
import { type Damage, dropLastLine, flipByte, leafTranscript } from './damage.ts'

export const damagesToRecords: Damage[] = [
  {
    kind: 'snapshot-wrong',
    why: 'a task has another title in it, and its checksum is right',
    harm: async ({ dataDir }) => {
      const ledger = await openLedger(join(dataDir, 'ledger.jsonl'), dataDir, {
        snapshotAfterRecords: 1,
      })
      await ledger.close()
      const snapshot = join(dataDir, 'ledger.snapshot.json')
      const read = await readSnapshot(snapshot, dataDir)
      if (read.kind !== 'ok') throw new Error(`the snapshot is ${read.kind}`)
      const { state, link } = read.snapshot
      for (const task of state.tasks.values())
        state.tasks.set(task.id, { ...task, title: 'Something else' })
      await writeSnapshot(snapshot, { state, link })
    },
    at: /^ledger\.snapshot\.json$/,
    detail: /differs from the records/,
    repairable: true,
    kept: async ({ dataDir }) => {
      const ledger = await openLedger(join(dataDir, 'ledger.jsonl'), dataDir)
      await ledger.close()
      const titles = [...ledger.state.tasks.values()].map(({ title }) => title)
      expect(titles).not.toContain('Something else')
    },
  },
  {
    kind: 'journal-damaged',
    why: 'a byte of a live transcript',
    harm: ({ session }) => flipByte(session('chat.jsonl'), 400),
    at: /^sessions\/[^/]+\/chat\.jsonl$/,
    detail: /^line [12], [1-9]\d+ bytes: bad checksum/,
    repairable: false,
  },
  {
    kind: 'journal-damaged',
    why: 'a byte of an archived transcript',
    harm: (patient) => flipByte(leafTranscript(patient, 'chat.jsonl'), 400),
    at: /subagent-transcripts\/[^/]+\/chat\.jsonl$/,
    detail: /^line [12], [1-9]\d+ bytes: bad checksum/,
    repairable: false,
  },
  {
    kind: 'torn-tail',
    why: 'an archived transcript that ends in half a line',
    harm: (patient) => appendFile(leafTranscript(patient, 'chat.jsonl'), '{"v":1'),
    at: /chat\.jsonl$/,
    detail: /ends in 6 bytes without a newline/,
    repairable: true,
    kept: (patient) => {
      const torn = readdirSync(leafTranscript(patient)).filter((name) => name.includes('.torn-'))
      expect(torn).toHaveLength(1)
    },
  },
  {
    kind: 'transcript-shortened',
    why: 'whole lines cut from an archived transcript',
    harm: (patient) => dropLastLine(leafTranscript(patient, 'chat.jsonl')),
    at: /chat\.jsonl$/,
    detail: /holds \d+ records and held \d+/,
    repairable: false,
  },
  {
    kind: 'transcript-shortened',
    why: 'whole lines cut from a live transcript',
    harm: ({ session }) => dropLastLine(session('chat.jsonl')),
    at: /chat\.jsonl$/,
    detail: /ends before run 1 does/,
    repairable: false,
  },
  {
    kind: 'transcript-missing',
    why: 'a live transcript is gone',
    harm: ({ session }) => rm(session('chat.jsonl')),
    at: /chat\.jsonl$/,
    detail: /the ledger records that its transcript is kept: "Do it"/,
    repairable: false,
  },
  {
    kind: 'transcript-missing',
    why: 'an archived transcript is gone with its folder',
    harm: (patient) => rm(leafTranscript(patient), { recursive: true }),
    at: /transcript\.json$/,
    detail: /"Leaf"/,
    repairable: false,
    also: ['index-names-missing', 'index-names-missing'],
  },
  {
    kind: 'blob-missing',
    why: 'a long value is gone',
    harm: ({ session }) => rm(onlyIn(session('blobs'))),
    at: /blobs\/[0-9a-f]{64}$/,
    detail: /only the beginning of a long value is left; record \d+/,
    repairable: false,
  },
  {
    kind: 'blob-damaged',
    why: 'a long value was changed',
    harm: ({ session }) => flipByte(onlyIn(session('blobs')), 1000),
    at: /blobs\/[0-9a-f]{64}$/,
    detail: /not what its name says/,
    repairable: false,
  },
  {
    kind: 'file-history-missing',
    why: 'the original of a changed file is gone',
    harm: (patient) => rm(originalOfReadme(patient)),
    at: /file-history\/[0-9a-f]{64}$/,
    detail: /is gone; record \d+/,
    repairable: false,
  },
  {
    kind: 'file-history-damaged',
    why: 'the original of a changed file was changed',
    harm: (patient) => flipByte(originalOfReadme(patient), 0),
    at: /file-history\/[0-9a-f]{64}$/,
    detail: /not what its name says/,
    repairable: false,
  },
  {
    kind: 'scenario-missing',
    why: 'the scenario of a tree is gone',
    harm: ({ session }) => rm(onlyIn(session('scenarios'))),
    at: /^sessions\/[^/]+\/scenarios\/[0-9a-f]{64}\.yaml$/,
    detail: /^the scenario of "Do it" \(test\.yaml\) is gone: a run that plays it is refused$/,
    repairable: false,
  },
  {
    kind: 'scenario-missing',
    why: 'the scenario of an archived tree is gone, with its folder',
    harm: async ({ fixture, rootId, dataDir }) => {
      const shiplog = await fixture.restart()
      await shiplog.client.workspace.remove({ workspaceId: rootId })
      await shiplog.close()
      await rm(join(dataDir, 'archive', rootId, 'scenarios'), { recursive: true })
    },
    at: /^archive\/[^/]+\/scenarios\/[0-9a-f]{64}\.yaml$/,
    detail: /^the scenario of "Do it"/,
    repairable: false,
  },
  {
    kind: 'scenario-damaged',
    why: 'a scenario was changed',
    harm: ({ session }) => flipByte(onlyIn(session('scenarios')), 40),
    at: /^sessions\/[^/]+\/scenarios\/[0-9a-f]{64}\.yaml$/,
    detail: /^the scenario of "Do it" \(test\.yaml\) was changed after it was started: /,
    repairable: false,
  },
]

/** README.md as it was before `middle` edited it; what the edit left is kept beside it. */
function originalOfReadme({ session, middleId }: Patient): string {
  const name = createHash('sha256').update('# A project\n').digest('hex')
  return session('subagent-transcripts', middleId, 'file-history', name)
}
