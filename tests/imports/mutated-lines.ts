/** Breaks files of other tools in many ways: reading them never throws, and never loses a line that is whole (I2). */
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ImportAdapter } from '../../src/main/imports/adapters/adapter.ts'
import fc from '../random.ts'
import { writeFiles } from './claude-code-log.ts'
import { messagesOf, readSessions } from './read-session.ts'

interface LogFile {
  adapter: ImportAdapter
  /** Its path in the folder that is read. */
  name: string
  /** Whole, with what each of them says, by `messagesOf`; null: nothing. */
  lines: { line: string; says: string | null }[]
}

async function messagesIn({ adapter, name }: LogFile, dir: string, bytes: string | Buffer) {
  await writeFiles(dir, { [name]: bytes })
  const sessions = await readSessions(adapter, dir)
  return sessions.flatMap(({ tasks, entriesOf }) =>
    tasks.flatMap(({ key }) => messagesOf(entriesOf(key))),
  )
}

/** Puts broken lines between the whole ones, and in front of them on the same line. */
export async function expectNothingLost(file: LogFile, dir: string, runs: number): Promise<void> {
  const { lines } = file
  let nth = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.json(), fc.string(), fc.constant('{"type":"user","uuid":1}')), {
        maxLength: 4,
      }),
      fc.nat({ max: lines.length - 1 }),
      fc.nat({ max: 300 }),
      async (others, at, cut) => {
        const broken = others.map((text) => text.replaceAll('\n', ' '))
        const whole = lines.map(({ line }) => line)
        const torn = whole[at]?.slice(0, Math.min(cut, (whole[at]?.length ?? 1) - 1)) ?? ''
        const text = [...whole.slice(0, at), ...broken, torn, ...whole.slice(at)].join('\n')
        const found = await messagesIn(file, join(dir, String(nth++)), text)
        for (const { says } of lines) if (says !== null) expect(found).toContain(says)
      },
    ),
    { numRuns: runs },
  )
}

/** Cuts the file after each line and in the middle of it, glues each line to the next, and flips bits all over it. */
export async function expectEveryMutationRead(file: LogFile, dir: string): Promise<void> {
  const { lines } = file
  const whole = lines.map(({ line }) => line)
  let nth = 0
  const read = (bytes: string | Buffer) => messagesIn(file, join(dir, String(nth++)), bytes)
  for (let at = 1; at <= whole.length; at++) {
    const kept = lines.slice(0, at).flatMap(({ says }) => says ?? [])
    const half = whole[at]?.slice(0, (whole[at]?.length ?? 0) / 2) ?? ''
    const cut = await read([...whole.slice(0, at), half].join('\n'))
    for (const says of kept) expect(cut, `cut in line ${at + 1}`).toContain(says)
    const glued = [
      ...whole.slice(0, at - 1),
      whole.slice(at - 1, at + 1).join(''),
      ...whole.slice(at + 1),
    ]
    const all = await read(glued.join('\n'))
    for (const { says } of lines)
      if (says !== null) expect(all, `lines ${at} and ${at + 1} glued`).toContain(says)
  }
  const bytes = Buffer.from(whole.join('\n'))
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: bytes.length - 1 }), fc.nat({ max: 7 }), async (place, bit) => {
      const broken = Buffer.from(bytes)
      broken[place] = (broken[place] ?? 0) ^ (1 << bit)
      await read(broken)
    }),
    { numRuns: 300 },
  )
}
