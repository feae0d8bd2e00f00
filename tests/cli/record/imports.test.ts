/** What `shiplog import` prints. */
import { expect, it } from 'vitest'
import type { ImportedSession, ImportSourceFound } from '../../../src/shared/contract/imports.ts'
import { newTaskId } from '../../../src/shared/records/ids.ts'
import { jsonLines, runToEnd } from '../fake-process.ts'
import { createFakeShiplog } from '../fake-shiplog.ts'

const imported: ImportedSession = {
  source: 'codex',
  session: 's1',
  taskId: newTaskId(),
  title: 'Find the auk',
  lines: 3,
  mapped: 3,
  foreign: 0,
  damaged: 0,
  withheld: 0,
  linked: 0,
  unlinked: 0,
  orphaned: 0,
  isNew: true,
  isUpdated: false,
}
const progress = { sessions: 1, sessionsTotal: 2, bytes: 10, bytesTotal: 20 }
const skipped = { source: 'codex', session: 's2', reason: 'It was deleted.' } as const
const fake = createFakeShiplog({
  importEvents: [
    { type: 'progress', ...progress },
    { type: 'session', session: imported },
    { type: 'session', session: { ...imported, isNew: false } },
    { type: 'skipped', skipped },
  ],
})

it('imports what it can, and fails where a session was left out', async () => {
  const { code, stderr } = await runToEnd(['import', 'codex'], { fake })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^Imported \d session/)
  expect(stderr).toContain('s2 was left out: It was deleted.')
})

it('--watch: each session that is imported or left out, and nothing about the others', async () => {
  const { code, stderr } = await runToEnd(['import', 'codex', '--watch'], { fake })
  expect(code).toBe(0)
  expect(stderr.match(/Find the auk/g)).toHaveLength(1)
  expect(stderr).toContain(`Imported  ${imported.taskId.slice(0, 8)}  Find the auk`)
  expect(stderr).toContain('s2 was left out: It was deleted.')
})

it('--watch --json: a line for each', async () => {
  const { stdout } = await runToEnd(['import', 'codex', '--watch', '--json'], { fake })
  expect(jsonLines(stdout)).toMatchObject([
    ...[{ type: 'session' }, { type: 'session' }],
    { type: 'skipped', skipped },
  ])
})

it('recognises a file by its content', async () => {
  const source: ImportSourceFound = {
    ...{ tool: 'codex', path: '/logs/s1.jsonl', sessions: 1, subAgents: 0, bytes: 10 },
    ...{ projects: 1, expiringSoon: 0, keptDays: null, hidden: 0, imported: 0, byProject: [] },
  }
  const { importEvents } = { importEvents: [{ type: 'session' as const, session: imported }] }
  const known = createFakeShiplog({ importEvents, importSources: [source] })
  const { code, stderr } = await runToEnd(['import', 's1.jsonl'], { fake: known })
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Imported 1 session of Codex'),
  })
  const unknown = await runToEnd(['import', 'nowhere.jsonl'])
  expect(unknown.code).toBe(3)
  expect(unknown.stderr).toContain('The tools are claude-code, codex, atif, shiplog.')
  const mistyped = await runToEnd(['import', 'claude', 's1.jsonl'])
  expect(mistyped.code).toBe(2)
  expect(mistyped.stderr).toContain('claude is not one of the tools')
})

it('refuses --watch with --scan', async () => {
  expect((await runToEnd(['import', 'codex', '--watch', '--scan'], { fake })).code).toBe(2)
})
