import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { openJournal, readJournalPage } from '../../src/main/journal/index.ts'
import { scratchDirectory } from './scratch.ts'

const workedExample = async () => {
  const format = await readFile('src/main/journal/FORMAT.md', 'utf8')
  return format.match(/```jsonl\n([^`]*)```/)?.[1] ?? ''
}

it('[J1] [J2] [J3] writes the bytes of the worked example in FORMAT.md', async () => {
  const file = path.join(await scratchDirectory(), 'chat.jsonl')
  const journal = await openJournal(file, { clock: () => 1767225600000 })
  await journal.append({ type: 'title', title: 'Mend the sails' })
  await journal.append({ type: 'note', text: 'Fair wind, 12 kn' })
  await journal.close()
  expect(await readFile(file, 'utf8')).toBe(await workedExample())
  expect((await readJournalPage(file, { limit: 9 })).records).toEqual([
    { v: 1, seq: 1, at: 1767225600000, type: 'title', title: 'Mend the sails' },
    { v: 1, seq: 2, at: 1767225600000, type: 'note', text: 'Fair wind, 12 kn' },
  ])
})

it('[J3] chains the worked example as the grammar says, computed without our code', async () => {
  const lines = (await workedExample()).trimEnd().split('\n')
  expect(lines).toHaveLength(2)
  let link = 'shiplog.journal.begins'
  for (const line of lines) {
    const { prev, sum } = JSON.parse(line)
    expect(prev).toBe(link)
    expect(sum).toBe(createHash('sha256').update(line.slice(0, -53)).digest('base64url'))
    expect(line.slice(-53)).toBe(`,"sum":"${sum}"}`)
    link = sum.slice(0, 22)
  }
})
