import fs from 'node:fs'
import { stat } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import {
  createStagedJournal,
  indexFileOf,
  JournalWriteError,
  openJournal,
  verifyJournal,
} from '../../src/main/journal/index.ts'
import { diskError } from './disk-faults.ts'
import { notes, scratchDirectory } from './scratch.ts'

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

const newFile = async () => path.join(await scratchDirectory(), 'chat.jsonl')

it('[J2][J3][J10] writes what a journal reads, long values and the chain included', async () => {
  const file = await newFile()
  const long = 'albatross '.repeat(40_000)
  const staged = createStagedJournal(file)
  await staged.write(notes(3))
  await staged.write([{ type: 'note', text: long, at: 5 }])
  await staged.close()
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await stat(file)).size).toBe(staged.bytes)
  expect(await verifyJournal(file)).toMatchObject({ damage: [] })
  const journal = await openJournal(file)
  await journal.append({ type: 'note', text: 'note 5' })
  const { records } = await journal.page({ limit: 9 })
  expect(records.map(({ seq, text }) => [seq, text])).toEqual([
    [1, 'note 1'],
    [2, 'note 2'],
    [3, 'note 3'],
    [4, long],
    [5, 'note 5'],
  ])
  expect(records[3]?.at).toBe(5)
  await journal.close()
})

it('[J8] stores the offset index of a long one', async () => {
  const file = await newFile()
  const staged = createStagedJournal(file)
  for (let n = 0; n < 8; n++) await staged.write([{ type: 'note', text: 'x'.repeat(200_000) }])
  await staged.close()
  expect((await stat(indexFileOf(file))).size).toBeGreaterThan(0)
  const journal = await openJournal(file)
  expect((await journal.page({ limit: 9 })).records).toHaveLength(8)
  await journal.close()
})

it('[A1] is synced once, when it is closed, and fails if that fails', async () => {
  const file = await newFile()
  const sync = vi.spyOn(fs, 'fdatasync')
  syncBuiltinESMExports()
  const staged = createStagedJournal(file)
  for (let n = 1; n <= 3; n++) await staged.write([{ type: 'note', n }])
  expect(sync).not.toHaveBeenCalled()
  await staged.close()
  expect(sync).toHaveBeenCalledTimes(1)

  sync.mockImplementation((_, callback) => callback(diskError('EIO')))
  const failing = createStagedJournal(path.join(path.dirname(file), 'other.jsonl'))
  await failing.write(notes(1))
  await expect(failing.close()).rejects.toBeInstanceOf(JournalWriteError)
})

it('[J7] reports a write that the disk refuses, and one that it takes in part', async () => {
  const staged = createStagedJournal(await newFile())
  const real = fs.writeSync as (...args: unknown[]) => number
  const write = vi.spyOn(fs, 'writeSync')
  write.mockImplementationOnce((fd, data) => real(fd, data, 0, 10))
  syncBuiltinESMExports()
  await staged.write(notes(1))
  write.mockImplementationOnce(() => 0)
  await expect(staged.write(notes(1))).rejects.toMatchObject({ code: 'ENOSPC' })
  await staged.close()
  expect(() => createStagedJournal('/nowhere/chat.jsonl')).toThrow(JournalWriteError)
})
