import fs from 'node:fs'
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { syncDirectory } from '../../src/main/journal/files/durable-files.ts'
import {
  makeDirDurable,
  openJournal,
  readJsonFile,
  removeDurable,
  renameDurable,
  writeFileDurable,
} from '../../src/main/journal/index.ts'
import { diskError, shortenNextWrite, spyOnHandles } from './disk-faults.ts'
import { scratchDirectory } from './scratch.ts'

const realOpen = fs.promises.open

afterEach(() => {
  vi.restoreAllMocks()
  fs.promises.open = realOpen
  syncBuiltinESMExports()
})

/** Paths whose handles were fsynced, in order, from here on. */
async function syncedPaths(): Promise<string[]> {
  const paths = new WeakMap<object, string>()
  const synced: string[] = []
  fs.promises.open = async (file, ...rest) => {
    const handle = await realOpen(file, ...rest)
    paths.set(handle, String(file))
    return handle
  }
  syncBuiltinESMExports()
  const probe = await realOpen(import.meta.filename, 'r')
  const realSync = Object.getPrototypeOf(probe).sync
  await probe.close()
  const sync = await spyOnHandles('sync')
  sync.mockImplementation(async function (this: object) {
    synced.push(paths.get(this) ?? '?')
    return realSync.call(this)
  })
  return synced
}

describe('directory entries', () => {
  it('[J6] are durable for a new journal and each folder created for it', async () => {
    const root = await scratchDirectory()
    const synced = await syncedPaths()
    const journal = await openJournal(path.join(root, 'a/b/chat.jsonl'))
    await journal.close()
    expect(synced).toEqual(
      expect.arrayContaining([root, path.join(root, 'a'), path.join(root, 'a/b')]),
    )
    expect(synced.indexOf(path.join(root, 'a'))).toBeGreaterThan(synced.indexOf(root))
  })

  it('[J6] are synced again for one that a killed process left', async () => {
    const root = await scratchDirectory()
    await mkdir(path.join(root, 'a'))
    await writeFile(path.join(root, 'a/chat.jsonl'), '')
    const synced = await syncedPaths()
    await (await openJournal(path.join(root, 'a/chat.jsonl'))).close()
    expect(synced).toEqual(expect.arrayContaining([root, path.join(root, 'a')]))
  })

  it('[J6] are durable on both sides of a rename, the new name first', async () => {
    const root = await scratchDirectory()
    await makeDirDurable(path.join(root, 'from'))
    await makeDirDurable(path.join(root, 'to'))
    await writeFileDurable(path.join(root, 'from/x'), 'content')
    const synced = await syncedPaths()
    await renameDurable(path.join(root, 'from/x'), path.join(root, 'to/y'))
    expect(synced).toEqual([path.join(root, 'to'), path.join(root, 'from')])
    expect(await readFile(path.join(root, 'to/y'), 'utf8')).toBe('content')
  })

  it('[J6] are synced together for all callers that wait for the same folder, even after a failed sync', async () => {
    const [root, other] = [await scratchDirectory(), await scratchDirectory()]
    const synced = await syncedPaths()
    // A caller that asks while the first is under way may have changed something since it began.
    await Promise.all([root, root, root, root, other].map(syncDirectory))
    expect(synced.sort()).toEqual([root, root, other].sort())
    const sync = await spyOnHandles('sync')
    sync.mockRejectedValueOnce(diskError('EIO'))
    const results = await Promise.allSettled([root, root, root].map(syncDirectory))
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  })

  it('[J6] are durable after a removal', async () => {
    const root = await scratchDirectory()
    await makeDirDurable(path.join(root, 'gone/deep'))
    const synced = await syncedPaths()
    await removeDurable(path.join(root, 'gone'))
    expect(synced).toEqual([root])
  })
})

describe('writing whole files', () => {
  it('[J6] syncs the content before its name, and the name after', async () => {
    const root = await scratchDirectory()
    const synced = await syncedPaths()
    await writeFileDurable(path.join(root, 'x.json'), '{}')
    expect(synced).toEqual([expect.stringMatching(/x\.json\..*\.tmp$/), root])
    expect((await stat(path.join(root, 'x.json'))).mode & 0o777).toBe(0o600)
    expect(await readdir(root)).toEqual(['x.json'])
  })

  it('keeps the old content if the disk fails, even in the middle', async () => {
    const root = await scratchDirectory()
    const file = path.join(root, 'x.json')
    await writeFileDurable(file, 'old')
    const write = await shortenNextWrite(2)
    write.mockRejectedValueOnce(diskError('ENOSPC'))
    await expect(writeFileDurable(file, 'new content')).rejects.toMatchObject({ code: 'ENOSPC' })
    expect(await readFile(file, 'utf8')).toBe('old')
    expect(await readdir(root)).toEqual(['x.json'])
  })

  it('applies several writes of one file in their order', async () => {
    const file = path.join(await scratchDirectory(), 'partial.json')
    const writes = Array.from({ length: 20 }, (_, i) => writeFileDurable(file, `content ${i}`))
    await Promise.all(writes)
    expect(await readFile(file, 'utf8')).toBe('content 19')
  })

  it('[A3] does not write through a symbolic link', async () => {
    const root = await scratchDirectory()
    await writeFile(path.join(root, 'outside'), 'untouched')
    await symlink('outside', path.join(root, 'link'))
    await expect(writeFileDurable(path.join(root, 'link'), 'x')).rejects.toMatchObject({
      code: 'ELOOP',
    })
    await expect(openJournal(path.join(root, 'link'))).rejects.toMatchObject({ code: 'ELOOP' })
    expect(await readFile(path.join(root, 'outside'), 'utf8')).toBe('untouched')
  })
})

describe('directories', () => {
  it('are created with mode 0700, and creating them again changes nothing', async () => {
    const root = await scratchDirectory()
    await Promise.all([1, 2, 3].map(() => makeDirDurable(path.join(root, 'a/b/c'))))
    for (const made of ['a', 'a/b', 'a/b/c'])
      expect((await stat(path.join(root, made))).mode & 0o777).toBe(0o700)
  })

  it('[A3] are removed without following symbolic links', async () => {
    const root = await scratchDirectory()
    await makeDirDurable(path.join(root, 'outside'))
    await writeFile(path.join(root, 'outside/kept'), 'kept')
    await makeDirDurable(path.join(root, 'gone/deep'))
    await writeFile(path.join(root, 'gone/deep/file'), 'x')
    await symlink('../outside', path.join(root, 'gone/to-directory'))
    await symlink('nowhere', path.join(root, 'gone/dangling'))
    await removeDurable(path.join(root, 'gone'))
    await removeDurable(path.join(root, 'gone'))
    expect(await readdir(root)).toEqual(['outside'])
    expect(await readFile(path.join(root, 'outside/kept'), 'utf8')).toBe('kept')
    await symlink('outside', path.join(root, 'link'))
    await removeDurable(path.join(root, 'link'))
    expect(await readdir(path.join(root, 'outside'))).toEqual(['kept'])
  })
})

describe('reading JSON files', () => {
  const schema = z.object({ version: z.literal(1) })

  it.each([
    ['{"version":1}', { kind: 'ok', value: { version: 1 } }],
    ['{"version":2}', { kind: 'damaged', reason: expect.stringContaining('another shape') }],
    ['{"versi', { kind: 'damaged', reason: expect.stringContaining('not JSON') }],
    ['', { kind: 'damaged', reason: expect.stringContaining('not JSON') }],
    [null, { kind: 'missing' }],
  ])('[A2] tells missing from damaged: %j', async (content, result) => {
    const file = path.join(await scratchDirectory(), 'index.json')
    if (content !== null) await writeFile(file, content)
    expect(await readJsonFile(file, schema)).toEqual(result)
  })

  it('[A2] [A3] treats anything but a file as damage, and does not follow a link', async () => {
    const directory = await scratchDirectory()
    await writeFile(path.join(directory, 'elsewhere'), '{"version":1}')
    await symlink('elsewhere', path.join(directory, 'link'))
    const damaged = { kind: 'damaged', reason: expect.stringContaining('is not a file') }
    expect(await readJsonFile(directory, schema)).toEqual(damaged)
    expect(await readJsonFile(path.join(directory, 'link'), schema)).toEqual(damaged)
  })

  it('[A2] throws the error of the disk, instead of calling the file missing', async () => {
    const below = path.join(await scratchDirectory(), 'a-file')
    await writeFile(below, '')
    await expect(readJsonFile(path.join(below, 'x'), schema)).rejects.toMatchObject({
      code: 'ENOTDIR',
    })
  })
})
