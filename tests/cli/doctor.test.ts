/** What `shiplog doctor` prints and ends with. What it finds is in tests/doctor. */
import { expect, it } from 'vitest'
import type { Problem } from '../../src/shared/contract/doctor.ts'
import { runToEnd } from './fake-process.ts'
import { createFakeShiplog } from './fake-shiplog.ts'

const problem = (fields: Partial<Problem>): Problem => ({
  path: 'sessions/a/chat.jsonl',
  kind: 'journal-damaged',
  detail: 'line 3, 120 bytes: bad checksum',
  repairable: false,
  repaired: false,
  ...fields,
})

it('says that everything is in order, and where the log is: exit 0', async () => {
  const fake = createFakeShiplog()
  expect(await runToEnd(['doctor'], { fake })).toEqual({
    code: 0,
    stdout: '',
    stderr:
      'Everything is in order: 12 things checked.\nShiplog’s own log: /data/logs/shiplog.log\n',
  })
  expect(fake.asked('doctor.check')).toEqual([{ repair: false }])
})

it('lists problems and gives advice: exit 7', async () => {
  const fake = createFakeShiplog()
  const mode = { kind: 'file-mode', path: 'ledger.jsonl', detail: 'its mode is 0644' } as const
  const problems = [problem({}), problem({ ...mode, repairable: true })]
  const notes = [{ kind: 'stray-ref' as const, path: 'refs/shiplog/a', detail: 'keeps a commit' }]
  fake.given.examination = { ok: false, checked: 40, problems, notes }
  const { code, stdout, stderr } = await runToEnd(['doctor'], { fake })
  expect(code).toBe(7)
  expect(stdout.split('\n')).toEqual([
    'STATE  PROBLEM  WHERE  DETAIL',
    '✕ kept as is  journal-damaged  sessions/a/chat.jsonl  line 3, 120 bytes: bad checksum',
    '○ repairable  file-mode  ledger.jsonl  its mode is 0644',
    '',
  ])
  expect(stderr).toContain('Note: refs/shiplog/a keeps a commit\n')
  expect(stderr).toContain(
    '2 problems found, 40 things checked. `shiplog doctor --repair` can repair 1. 1 can',
  )
})

it('--repair: exits with 7 even if all was repaired; --json prints the answer, and where the log is', async () => {
  const fake = createFakeShiplog()
  const found = {
    ok: false,
    checked: 40,
    problems: [problem({ repairable: true, repaired: true })],
    notes: [],
  }
  fake.given.examination = found
  const told = await runToEnd(['doctor', '--repair'], { fake })
  expect(told.stdout).toContain('✓ repaired')
  expect(told.stderr).toContain('1 repaired; originals are kept')
  const { code, stdout } = await runToEnd(['doctor', '--repair', '--json'], { fake })
  expect({ code, found: JSON.parse(stdout) }).toEqual({
    code: 7,
    found: { ...found, logFile: '/data/logs/shiplog.log' },
  })
  expect(fake.asked('doctor.check')).toEqual([{ repair: true }, { repair: true }])
})
