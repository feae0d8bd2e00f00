import { execFileSync } from 'node:child_process'
import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readFileNow } from '../../src/main/journal/files/data-file.ts'
import {
  describeNoFile,
  openDataFile,
  openJournal,
  readDataFile,
  readJournalPage,
  verifyJournal,
} from '../../src/main/journal/index.ts'
import { scratchDirectory } from './scratch.ts'

const makers: [code: string, kind: string, make: (file: string) => unknown][] = [
  ['NAMED_PIPE', 'named pipe', (file) => execFileSync('mkfifo', [file])],
  ['EISDIR', 'directory', (file) => mkdir(file)],
  [
    'ELOOP',
    'symbolic link',
    (file) => writeFile(`${file}.real`, '').then(() => symlink(`${file}.real`, file)),
  ],
]

describe.each(makers)('not a file: %s', (code, kind, make) => {
  it('[J4] is refused by kind and name, for reading and writing, without waiting', async () => {
    const file = path.join(await scratchDirectory(), 'chat.jsonl')
    await make(file)
    for (const access of ['read', 'read-write', 'append', 'overwrite'] as const)
      await expect(openDataFile(file, access), access).rejects.toMatchObject({ code })
    const error = await openDataFile(file, 'read').catch((reason) => reason)
    expect(describeNoFile(error)).toBe(`${file} is a ${kind} where a file should be`)
    await expect(readJournalPage(file, { last: 1 })).rejects.toMatchObject({ code })
    await expect(verifyJournal(file)).rejects.toMatchObject({ code })
    await expect(openJournal(file)).rejects.toMatchObject({ code })
  })
})

it('a pipe with a reader is refused as well', async () => {
  const file = path.join(await scratchDirectory(), 'chat.jsonl')
  execFileSync('mkfifo', [file])
  const reader = await import('node:fs/promises').then((fs) => fs.open(file, 'r+'))
  await expect(openDataFile(file, 'append')).rejects.toMatchObject({ code: 'NAMED_PIPE' })
  await reader.close()
})

it('a user’s own file may be a link, and what is known before all else is read at once', async () => {
  const dir = await scratchDirectory()
  const file = path.join(dir, 'settings.json')
  await writeFile(path.join(dir, 'dotfiles.json'), '{}')
  await symlink('dotfiles.json', file)
  expect(String(await readDataFile(file, { followLinks: true }))).toBe('{}')
  expect(readFileNow(file)).toBe('{}')
  execFileSync('mkfifo', [path.join(dir, 'pipe')])
  expect(() => readFileNow(path.join(dir, 'pipe'))).toThrow(
    'is a named pipe where a file should be',
  )
})

it('creates a file that only its owner can read', async () => {
  const file = path.join(await scratchDirectory(), 'new')
  const handle = await openDataFile(file, 'append')
  await handle.write('a')
  await handle.close()
  expect([(await stat(file)).mode & 0o777, await readFile(file, 'utf8')]).toEqual([0o600, 'a'])
})
