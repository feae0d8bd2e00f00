import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { openJournal, readJournalPage } from '../../src/main/journal/index.ts'
import { scratchDirectory } from './scratch.ts'

const sha256 = (text: string) => hash('sha256', text, 'base64url')

const workedExample = async () => {
  const format = await readFile('src/main/journal/FORMAT.md', 'utf8')
  return format.match(/```jsonl\n([^`]*)```/)?.[1] ?? ''
}

it('[J1] [J2] [J3] writes the bytes of the worked example in FORMAT.md', async () => {
  const file = path.join(await scratchDirectory(), 'chat.jsonl')
  const journal = await openJournal(file, {
    clock: () => 1767225600000,
    newSalt: () => 'a-salt-of-22-character',
  })
  await journal.append({ type: 'title', title: 'Mend the sails' })
  await journal.append({ type: 'note', text: 'Fair wind, 12 kn' })
  await journal.close()
  expect(await readFile(file, 'utf8')).toBe(await workedExample())
  expect((await readJournalPage(file, { limit: 9 })).records).toEqual([
    { v: 1, seq: 1, at: 1767225600000, type: 'title', title: 'Mend the sails' },
    { v: 1, seq: 2, at: 1767225600000, type: 'note', text: 'Fair wind, 12 kn' },
  ])
})

it('[J3] chains the worked example as the grammar defines, computed without the journal’s code', async () => {
  const lines = (await workedExample()).trimEnd().split('\n')
  expect(lines).toHaveLength(2)
  let previous = 'shiplog.journal.begins'
  for (const line of lines) {
    const { salt, prev, sum } = JSON.parse(line)
    expect(prev).toBe(previous)
    expect(sum).toBe(sha256(prev + sha256(line.slice(0, -85))))
    expect(line.slice(-117)).toBe(`,"salt":"${salt}","prev":"${prev}","sum":"${sum}"}`)
    previous = sum.slice(0, 22)
  }
})

it('[J3] salts each record, so that a short one can’t be guessed from its hash', async () => {
  const file = path.join(await scratchDirectory(), 'chat.jsonl')
  const journal = await openJournal(file, { clock: () => 1 })
  await journal.appendAll(Array.from({ length: 600 }, () => ({ type: 'note', text: 'the same' })))
  await journal.close()
  const salts = (await readFile(file, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).salt)
  expect(new Set(salts).size).toBe(600)
  for (const salt of salts) expect(salt).toMatch(/^[\w-]{22}$/)
})
