import { chmod, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { claudeCodeAdapter } from '../../src/main/imports/adapters/claude-code/index.ts'
import { sourceFound } from '../../src/main/imports/found-sources.ts'
import { expiringText } from '../../src/shared/text/import-text.ts'
import { temporaryDir } from '../harness.ts'
import { itInSoak } from '../soak.ts'
import { asUnprivilegedUser } from '../unprivileged.ts'
import { claudeLog, writeFiles } from './claude-code-log.ts'
import { expectEveryMutationRead, expectNothingLost } from './mutated-lines.ts'
import { readLog, session } from './read-claude-log.ts'
import { messagesOf as messages, readSessions } from './read-session.ts'

it('takes no export of Shiplog for a session, in whatever form, though its records look like one', async () => {
  const log = claudeLog(session)
  log.prompt('One')
  const dir = await temporaryDir()
  const header = '{"shiplog":"export","version":1}'
  await writeFiles(dir, {
    [`${session}.jsonl`]: `${header}\n${log.text()}`,
    'b.jsonl': `{\n  "shiplog": "export",\n  "records": [\n${log.lines.join(',\n')}]\n}\n`,
    'c.jsonl': log.text(),
  })
  const found = claudeCodeAdapter.discover(dir, AbortSignal.timeout(60_000))
  expect((await Array.fromAsync(found)).map(({ key }) => key)).toEqual(['c'])
})

describe('damage', () => {
  const good = () => {
    const log = claudeLog(session)
    log.prompt('One')
    log.says('m1', 'Two')
    log.prompt('Three')
    return log
  }

  it('[I2] reads glued records, skips NUL blocks, and says where a line is torn', async () => {
    const [one = '', two = '', three = ''] = good().lines
    const text = [`${one}${two}`, '\0\0\0', `${three.slice(0, 60)}${three}`, three.slice(0, -9)]
    const read = await readLog(text.join('\n'))
    expect(messages(read.entriesOf(''))).toEqual(['user: One', 'assistant: Two', 'user: Three'])
    expect(read.damage.map(({ line, reason }) => [line, reason])).toEqual([
      [2, 'only NUL bytes'],
      [3, 'a torn record'],
      [4, 'a torn record'],
    ])
  })

  it('[I2][J10] reads a line of megabytes whole, and skips one that no memory could hold', async () => {
    const log = claudeLog(session)
    log.prompt('One')
    log.calls('m1', 'c1', 'Bash', { command: 'cat big' })
    const output = 'a line of output\n'.repeat(300_000)
    log.returns('c1', output)
    log.raw(`{"type":"user","message":"${'x'.repeat(49 << 20)}"}`)
    log.says('m2', 'Two')
    const { tasks, damage, entriesOf } = await readLog(log.text())
    const result = entriesOf('').find(({ type }) => type === 'tool-result')
    expect(result).toMatchObject({ output })
    expect(damage.map(({ line, reason }) => [line, reason])).toEqual([[4, 'longer than 48 MB']])
    expect(tasks).toMatchObject([{ counts: { lines: 5, mapped: 4, foreign: 0, damaged: 1 } }])
  })

  const file = () => ({
    adapter: claudeCodeAdapter,
    name: `${session}.jsonl`,
    lines: good().lines.map((line, at) => ({
      line,
      says: ['user: One', 'assistant: Two', 'user: Three'][at] ?? null,
    })),
  })

  it('[I2] never throws, and never loses a good line, whatever is done to the others', async () => {
    await expectNothingLost(file(), await temporaryDir(), 40)
  })

  itInSoak('[I2] reads every mutation of a file', async () => {
    await expectEveryMutationRead(file(), await temporaryDir())
  })
})

describe('what is found', () => {
  it('lists a session that may not be read, and the others, so that the import can report it', async () => {
    const log = claudeLog(session)
    log.prompt('One')
    const locked = '1b2c3d4e-0000-4000-8000-0000000000ff'
    const dir = await writeFiles(await temporaryDir(), {
      [`projects/-app/${session}.jsonl`]: log.text(),
      [`projects/-app/${locked}.jsonl`]: log.text(),
    })
    await chmod(join(dir, 'projects/-app', `${locked}.jsonl`), 0)
    asUnprivilegedUser(dir)
    const keys: string[] = []
    for await (const { key } of claudeCodeAdapter.discover(dir, AbortSignal.timeout(60_000)))
      keys.push(key)
    expect(keys.sort()).toEqual([session, locked].sort())
  })

  it('says what Claude Code will delete, and what its own list leaves out', async () => {
    const log = claudeLog(session)
    log.prompt('One')
    const dir = await writeFiles(await temporaryDir(), {
      'settings.json': '{"cleanupPeriodDays": 3}',
      [`projects/-work-app/${session}.jsonl`]: log.text(),
      [`projects/-work-app/${session}/subagents/agent-a1.jsonl`]: log.text(),
      'projects/-work-app/notes.jsonl': '{"a":1}\n',
      'projects/-work-app/sessions-index.json': '{"entries":[{"sessionId":"other"}]}',
    })
    // Its sub-agent's file is newer, which does not keep the session.
    const lastMs = Date.UTC(2026, 0, 2)
    await utimes(join(dir, 'projects/-work-app', `${session}.jsonl`), lastMs / 1000, lastMs / 1000)
    const [one, ...others] = await readSessions(claudeCodeAdapter, dir)
    expect(others).toEqual([])
    expect(one?.found).toMatchObject({ projectDir: '/code/app', isHidden: true })
    expect(one?.found.files).toHaveLength(2)
    expect(one?.found).toMatchObject({ expiresAtMs: lastMs + 3 * 86_400_000, keptDays: 3 })
    const source = sourceFound(
      { tool: 'claude-code', path: dir },
      { found: one ? [one.found] : [], imported: new Set() },
      lastMs,
    )
    expect(expiringText(source)).toBe(
      'Claude Code will delete it within 5 days (cleanupPeriodDays is 3)',
    )
  })
})
