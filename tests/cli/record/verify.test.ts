import { hash } from 'node:crypto'
import { copyFile, mkdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { openJournal } from '../../../src/main/journal/index.ts'
import { temporaryDir } from '../../harness.ts'
import { runToEnd } from '../fake-process.ts'

async function journalFile(): Promise<string> {
  const file = path.join(await temporaryDir(), 'chat.jsonl')
  const journal = await openJournal(file)
  for (let n = 1; n <= 4; n++) await journal.append({ type: 'note', text: `note ${n}` })
  await journal.close()
  return file
}

const verified = (file: string) => runToEnd(['verify', file])

it('[J3] proves a whole file, a link to it too, and opens no data directory', async () => {
  const file = await journalFile()
  await symlink(file, `${file}.link`)
  for (const named of [file, `${file}.link`]) {
    const { code, stderr } = await verified(named)
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^In order: 4 records, in one unbroken chain\. /),
    ])
  }
  const { stdout } = await runToEnd(['verify', file, '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, records: 4, withheld: 0, damage: [] })
})

async function withholdSecond(file: string): Promise<void> {
  const lines = (await readFile(file, 'utf8')).split('\n')
  const line = lines[1] ?? ''
  const { seq, prev, sum } = JSON.parse(line)
  const withheld = hash('sha256', line.slice(0, -85), 'base64url')
  lines[1] = `{"v":0,"seq":${seq},"withheld":"${withheld}","prev":"${prev}","sum":"${sum}"}`
  await writeFile(file, lines.join('\n'))
}

it('[J3] proves the rest of a file in which records were withheld, and counts them', async () => {
  const file = await journalFile()
  await withholdSecond(file)
  const { code, stderr } = await verified(file)
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining('In order: 3 records, 1 withheld, in one'),
  ])
})

it('[J3] calls it damage in a journal of a data directory, and accepts an export beside it', async () => {
  const file = await journalFile()
  await withholdSecond(file)
  const dataDir = await temporaryDir()
  const own = path.join(dataDir, 'sessions/one/chat.jsonl')
  await mkdir(path.dirname(own), { recursive: true })
  for (const name of ['ledger.jsonl', 'lease.lock']) await writeFile(path.join(dataDir, name), '')
  for (const copy of [own, path.join(dataDir, 'export.jsonl')]) await copyFile(file, copy)
  const { code, stdout, stderr } = await verified(own)
  expect([code, stdout]).toEqual([7, expect.stringMatching(/^line 2: /)])
  expect(stderr).toContain(
    `of the data directory ${dataDir}, where 1 record must have been taken out`,
  )
  expect(await verified(path.join(dataDir, 'export.jsonl'))).toMatchObject({ code: 0 })
})

it('[J3] names the line that was changed, and ends with 7', async () => {
  const file = await journalFile()
  await writeFile(file, (await readFile(file, 'utf8')).replace('note 3', 'note 9'))
  const { code, stdout, stderr } = await verified(file)
  expect(code).toBe(7)
  expect(stdout).toMatch(/^line 3: bad checksum.*; 1\d\d bytes can't be read\n$/)
  expect(stderr).toMatch(/^Damaged: 3 records in order\. /)
})

it('[J1] does not treat an unfinished last line as a record', async () => {
  const file = await journalFile()
  await truncate(file, (await readFile(file)).length - 1)
  const { code, stdout } = await verified(file)
  expect([code, stdout]).toEqual([7, expect.stringContaining('no newline')])
})

it('gives advice about a file that is no journal, a folder, or missing', async () => {
  const dir = await temporaryDir()
  await writeFile(path.join(dir, 'notes.txt'), 'hello\n')
  expect(await verified(path.join(dir, 'notes.txt'))).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('No record was found.'),
  })
  expect(await verified(dir)).toMatchObject({ code: 2, stderr: expect.stringContaining('folder') })
  expect(await verified(path.join(dir, 'no'))).toMatchObject({ code: 3 })
})
