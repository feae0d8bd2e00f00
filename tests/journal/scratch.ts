import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { type JournalRecord, openJournal, type RecordBody } from '../../src/main/journal/index.ts'

/** A directory of its own for one test, removed after it. */
export async function scratchDirectory(): Promise<string> {
  const parent = await realpath(os.tmpdir())
  const directory = await mkdtemp(path.join(parent, 'shiplog-journal-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** A journal file with these bodies, closed; its clock stands at 1 so that the bytes are the same each time. */
export async function journalWith(bodies: RecordBody[]): Promise<string> {
  const file = path.join(await scratchDirectory(), 'chat.jsonl')
  const journal = await openJournal(file, {
    clock: () => 1,
    newSalt: () => 'one-salt-for-all-tests',
  })
  await journal.appendAll(bodies)
  await journal.close()
  return file
}

export function notes(count: number): RecordBody[] {
  return Array.from({ length: count }, (_, i) => ({ type: 'note', text: `note ${i + 1}` }))
}

/** Lines with their newlines. */
export async function linesOf(file: string): Promise<Buffer[]> {
  return splitLines(await readFile(file))
}

export function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, start)
    const end = newline === -1 ? bytes.length : newline + 1
    lines.push(bytes.subarray(start, end))
    start = end
  }
  return lines
}

export async function rewrite(file: string, lines: (Buffer | string)[]): Promise<void> {
  await writeFile(file, Buffer.concat(lines.map((line) => Buffer.from(line))))
}

export async function collect(records: AsyncIterable<JournalRecord>): Promise<JournalRecord[]> {
  const all: JournalRecord[] = []
  for await (const record of records) all.push(record)
  return all
}

export function seqsOf(records: JournalRecord[]): number[] {
  return records.map(({ seq }) => seq)
}
