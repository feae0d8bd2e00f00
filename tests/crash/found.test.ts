/** What reading the traces showed, one test each. */
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createFileChanges } from '../../src/main/runs/changes/file-changes.ts'
import { recordedAttributions } from '../../src/main/runs/changes/recorded-attributions.ts'
import { openSession } from '../../src/main/sessions/session.ts'
import { newEntryId, newTaskId } from '../../src/shared/records/ids.ts'
import { crashState, forgottenAt } from './fault-fs/crash-state.ts'
import { record } from './fault-fs/record.ts'
import { scratch } from './places.ts'

it('[J6] keeps the old content of a file durably, even if a killed process had written it', async () => {
  const dir = join(scratch(), 'session')
  const session = await openSession(newTaskId(), dir, () => undefined)
  const before = Buffer.from('as it was')
  const hash = createHash('sha256').update(before).digest('hex')
  await mkdir(join(dir, 'file-history'))
  const recording = record(dir)
  // By a process that died before the name was durable.
  await writeFile(join(dir, 'file-history', hash), before, { flush: true })
  const changes = createFileChanges({
    session,
    recorded: recordedAttributions([]),
    treeBefore: null,
    readTexts: async () => new Map(),
  })
  await changes.recorder(newEntryId()).keepOriginal(before)
  const { steps } = recording.stop()
  await session.close()
  const { tree } = crashState(recording.trace, forgottenAt(steps.length))
  expect(tree.get(`file-history/${hash}`)).toEqual({ kind: 'file', data: before })
})

it('[J7] closes a session whose preview can’t be removed, and releases its journal', async () => {
  const dir = join(scratch(), 'session')
  const session = await openSession(newTaskId(), dir, () => undefined)
  await session.append({ type: 'title', title: 'A task' })
  const recording = record(dir, {
    inject: ({ path }) => (path === 'partial.json' ? { code: 'EIO' } : null),
  })
  await session.close()
  recording.stop()
  await expect(session.append({ type: 'title', title: 'Too late' })).rejects.toMatchObject({
    kind: 'journal-closed',
  })
})
