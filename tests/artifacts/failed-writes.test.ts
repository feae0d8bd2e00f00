/** A disk that refuses one call while an artifact is saved: the caller gets the error. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  archiveTranscript,
  savePatch,
  saveReport,
  seriesFile,
} from '../../src/main/artifacts/index.ts'
import { openJournal, writeFileDurable } from '../../src/main/journal/index.ts'
import { newTaskId } from '../../src/shared/records/ids.ts'
import { type Attempt, record } from '../crash/fault-fs/record.ts'
import { scratch } from '../crash/places.ts'

const taskId = newTaskId()
const parentId = newTaskId()
const about = { taskId, ancestorIds: [parentId], title: 'Tests', nowMs: 1000 }

interface Saving {
  /** Made ready on a good disk. */
  prepare?(dir: string): Promise<void>
  save(dir: string): Promise<unknown>
}

const savings: Record<string, Saving> = {
  'a report': {
    save: (dir) =>
      saveReport(dir, { ...about, run: 1, title: 'Tests added', markdown: '# Done\n' }),
  },
  'a transcript': {
    prepare: async (dir) => {
      const journal = await openJournal(join(dir, 'from', 'chat.jsonl'))
      await journal.append({ type: 'note' })
      await journal.close()
    },
    save: (dir) => archiveTranscript(join(dir, 'from'), dir, about),
  },
  'a patch': {
    save: (dir) =>
      savePatch(dir, taskId, async (folder) => {
        await writeFileDurable(join(folder, seriesFile), 'From 1')
        return {
          childTaskId: taskId,
          parentWorkspaceId: parentId,
          ancestorWorkspaceIds: [parentId],
          title: 'Tests',
          createdAtMs: 1,
          updatedAtMs: 1,
          status: 'ready',
          baseCommit: 'a',
          headCommit: 'b',
          finalCommit: 'b',
          paths: ['a.txt'],
        }
      }),
  },
}

/** Saves on a disk that answers EIO to the `nth` call that changes something. Null: there are fewer. */
async function saveWithFault({ prepare, save }: Saving, nth: number) {
  const dir = scratch()
  let changes = 0
  let failed: Attempt | null = null
  try {
    await mkdir(join(dir, 'from'))
    await prepare?.(dir)
    const recording = record(dir, {
      inject: (attempt) => {
        if (!attempt.changes || ++changes !== nth) return null
        failed = attempt
        return { code: 'EIO' }
      },
    })
    const told = await save(dir)
      .then(() => null, String)
      .finally(() => recording.stop())
    if (!failed) return null
    const { call, path } = failed as Attempt
    return { call: `${call} ${path}`, told }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

it.each(Object.keys(savings))('[A6] says so when any call fails that saves %s', async (name) => {
  const saving = savings[name] as Saving
  const unheard: unknown[] = []
  let tried = 0
  for (;;) {
    const outcome = await saveWithFault(saving, tried + 1)
    if (!outcome) break
    tried += 1
    if (outcome.told === null) unheard.push(outcome)
    else expect(outcome.told).toContain('EIO')
  }
  expect(tried).toBeGreaterThan(8)
  expect(unheard).toEqual([])
})
