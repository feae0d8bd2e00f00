import fs from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { createStagedFiles } from '../../src/main/journal/index.ts'
import { diskError } from './disk-faults.ts'
import { scratchDirectory } from './scratch.ts'

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

it('writes private files in private folders, and replaces none', async () => {
  const root = await scratchDirectory()
  const files = createStagedFiles(root)
  await files.add('a/b/one.json', '{"ä":1}')
  await files.add('two.json', 'two')
  files.addFolder('a/c')
  await files.sync()
  expect(await readFile(path.join(root, 'a/b/one.json'), 'utf8')).toBe('{"ä":1}')
  expect((await stat(path.join(root, 'a/b/one.json'))).mode & 0o777).toBe(0o600)
  expect((await stat(path.join(root, 'a/c'))).mode & 0o777).toBe(0o700)
  expect((await readdir(root)).toSorted()).toEqual(['a', 'two.json'])
  await expect(files.add('two.json', 'other')).rejects.toMatchObject({ code: 'EEXIST' })
  expect(await readFile(path.join(root, 'two.json'), 'utf8')).toBe('two')
})

it('[A1] syncs each file and each folder once, however many', async () => {
  const root = await scratchDirectory()
  const sync = vi.spyOn(fs, 'fsync')
  const close = vi.spyOn(fs, 'closeSync')
  syncBuiltinESMExports()
  const files = createStagedFiles(root)
  for (let n = 0; n < 150; n++) await files.add(`${n % 3}/${n}`, 'x')
  await files.sync()
  // 150 files, three folders and the folder of all.
  expect(sync).toHaveBeenCalledTimes(154)
  expect(close).toHaveBeenCalledTimes(154)
})

it('[A6] reports a full disk, and leaves no file open', async () => {
  const files = createStagedFiles(await scratchDirectory())
  await files.add('one', '1')
  const close = vi.spyOn(fs, 'closeSync')
  vi.spyOn(fs, 'writeSync').mockReturnValueOnce(0)
  syncBuiltinESMExports()
  await expect(files.add('two', '2')).rejects.toMatchObject({ code: 'ENOSPC' })
  expect(close).toHaveBeenCalledTimes(2)
})

it('[A6] reports a failed sync, and leaves no file open', async () => {
  const root = await scratchDirectory()
  const files = createStagedFiles(root)
  await files.add('one', '1')
  await files.add('two', '2')
  const close = vi.spyOn(fs, 'closeSync')
  vi.spyOn(fs, 'fsync').mockImplementationOnce((_, callback) => callback(diskError('EIO')))
  syncBuiltinESMExports()
  await expect(files.sync()).rejects.toMatchObject({ code: 'EIO' })
  // Both files, and their folder, whose sync does not wait for theirs.
  expect(close).toHaveBeenCalledTimes(3)
})
