/** [J3] An export leaves the hash of a record in its place. Made here by the grammar of FORMAT.md, without our code. */
import { hash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { openJournal, readJournalPage, verifyJournal } from '../../src/main/journal/index.ts'
import { scratchDirectory } from './scratch.ts'

const sha256 = (text: string) => hash('sha256', text, 'base64url')

function stubOf(line: string): string {
  const { seq, prev, sum } = JSON.parse(line)
  const withheld = sha256(line.slice(0, -85))
  return `{"v":0,"seq":${seq},"withheld":"${withheld}","prev":"${prev}","sum":"${sum}"}`
}

async function journalWithout(
  ...seqs: number[]
): Promise<{ file: string; lines: string[]; write(): Promise<void> }> {
  const file = path.join(await scratchDirectory(), 'chat.jsonl')
  const journal = await openJournal(file)
  for (let n = 1; n <= 5; n++) await journal.append({ type: 'note', text: `note ${n}` })
  await journal.close()
  const all = (await readFile(file, 'utf8')).trimEnd().split('\n')
  const lines = all.map((line, i) => (seqs.includes(i + 1) ? stubOf(line) : line))
  const write = () => writeFile(file, `${lines.join('\n')}\n`)
  await write()
  return { file, lines, write }
}

const verify = (file: string) => verifyJournal(file, undefined, { stubs: true })

it.each([
  [[1], 4],
  [[3], 4],
  [[2, 3], 3],
  [[5], 4],
  [[1, 2, 3, 4, 5], 0],
])('proves all other records when %j are withheld', async (seqs, records) => {
  const { file } = await journalWithout(...seqs)
  const withheld = seqs.length
  expect(await verify(file)).toEqual({ records, withheld, damage: [], tailBytes: 0 })
})

it('notices a change in a record beside a withheld one', async () => {
  const { file, lines, write } = await journalWithout(3)
  lines[3] = lines[3]?.replace('note 4', 'note 9') ?? ''
  await write()
  expect(await verify(file)).toMatchObject({ records: 3, withheld: 1, damage: [{ line: 4 }] })
})

it('notices a stub with another hash, and a removed one', async () => {
  const changed = await journalWithout(3)
  changed.lines[2] = changed.lines[2]?.replace(/"withheld":"./, '"withheld":"!') ?? ''
  await changed.write()
  expect((await verify(changed.file)).damage).toHaveLength(1)

  const shortened = await journalWithout(3)
  shortened.lines.splice(2, 1)
  await shortened.write()
  expect(await verify(shortened.file)).toMatchObject({ damage: [{ line: 3 }] })
})

it('notices a stub of a record that another journal holds', async () => {
  const one = await journalWithout(3)
  const other = await journalWithout(3)
  one.lines[2] = other.lines[2] ?? ''
  await one.write()
  expect((await verify(one.file)).damage).not.toEqual([])
})

it('is damage in a journal of Shiplog, which has no withheld records', async () => {
  const { file } = await journalWithout(3)
  const { records, damage } = await readJournalPage(file, { limit: 9 })
  expect(records.map(({ seq }) => seq)).toEqual([1, 2, 4, 5])
  expect(damage).toMatchObject([{ line: 3 }])
  expect(JSON.stringify(damage)).toContain('withheld')
})
