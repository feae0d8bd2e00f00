import { writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { openJournal } from '../../src/main/journal/index.ts'
import { journalWith, linesOf, notes } from './scratch.ts'

it('[J3] returns the checksum of a record, and none for an unreadable one', async () => {
  const file = await journalWith(notes(3))
  const lines = await linesOf(file)
  const damaged = Buffer.from(lines[2] ?? [])
  damaged.write('!', 50)
  await writeFile(file, Buffer.concat([...lines.slice(0, 2), damaged]))

  const journal = await openJournal(file)
  const sums = await Promise.all([0, 1, 2, 3, 4].map((seq) => journal.sumAt(seq)))
  const added = await journal.append({ type: 'note', text: 'a fourth' })
  const last = await journal.sumAt(added.seq)
  await journal.close()

  const sumIn = (line: Buffer | undefined) => JSON.parse(String(line)).sum
  expect(sums).toEqual([null, sumIn(lines[0]), sumIn(lines[1]), null, null])
  expect(last).toBe(sumIn((await linesOf(file)).at(-1)))
})
