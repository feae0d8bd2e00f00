import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryDir } from '../../harness.ts'
import { runToEnd } from '../fake-process.ts'
import { createFamily } from '../family.ts'

let family: ReturnType<typeof createFamily>
let cwd: string

beforeEach(async () => {
  family = createFamily()
  cwd = await temporaryDir()
})

const run = (...argv: string[]) => runToEnd(['export', ...argv], { fake: family.fake, cwd })

it('writes a file in the format of its extension, and nothing else into its folder', async () => {
  const { code, stdout, stderr } = await run(family.tester, '-o', 'tests.md')
  expect([code, stdout]).toEqual([0, ''])
  expect(stderr).toMatch(/^Wrote .*tests\.md: \d+ entries, .* B\.\n$/)
  expect(await readFile(join(cwd, 'tests.md'), 'utf8')).toMatch(/^# Add tests\n/)
  expect((await stat(join(cwd, 'tests.md'))).mode & 0o777).toBe(0o600)
  expect(await readdir(cwd)).toEqual(['tests.md'])
  expect(family.fake.asked('exports.read')).toMatchObject([
    { format: 'md', children: 'inline', outputs: 'bounded', redact: true, keep: [], files: false },
  ])
})

it('replaces a file only on request, and keeps it if the export fails', async () => {
  await writeFile(join(cwd, 'tests.jsonl'), 'before')
  expect(await run(family.tester, '-o', 'tests.jsonl')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('exists already. `--force` replaces it.'),
  })
  expect(await run('ffffffff', '-o', 'tests.jsonl', '--force')).toMatchObject({ code: 3 })
  expect(await readFile(join(cwd, 'tests.jsonl'), 'utf8')).toBe('before')
  expect(await run(family.tester, '-o', 'tests.jsonl', '--force')).toMatchObject({ code: 0 })
  expect(await readFile(join(cwd, 'tests.jsonl'), 'utf8')).toMatch(/^\{"v":1,/)
  expect(await readdir(cwd)).toEqual(['tests.jsonl'])
  expect(await run(family.tester, '-o', '.')).toMatchObject({ code: 2 })
  expect(await run(family.tester, '-o', 'gone/tests.md')).toMatchObject({
    code: 2,
    stderr: `Error: ${join(cwd, 'gone/tests.md')} can't be written: there is no folder ${join(cwd, 'gone')}\n`,
  })
})

it('prints to standard output unless a file is named, passes all options on, and reports masked values', async () => {
  family.fake.given.exportHits = [
    {
      id: 'a1',
      kind: 'key',
      mark: '[hidden: key]',
      match: 'two',
      kept: false,
      count: 1,
      places: [],
    },
  ]
  const { stdout, stderr } = await run(family.tester)
  expect(stdout).toContain('[hidden: key]')
  expect(stderr).toBe('Masked in 1 place; `--preview` lists what.\n')
  const choices = '--children summary --from 2 --through 5 --outputs whole --files --no-redact'
  await run(family.tester, '--format', 'json', ...choices.split(' '), '--keep', 'a', '--keep', 'b')
  expect(family.fake.asked('exports.read').at(-1)).toMatchObject({
    format: 'json',
    children: 'summary',
    fromSeq: 2,
    throughSeq: 5,
    outputs: 'whole',
    files: true,
    redact: false,
    keep: ['a', 'b'],
  })
})

it('answers --json with one document, for which the export goes to a file', async () => {
  expect(await run(family.tester, '--json')).toMatchObject({ code: 2, stdout: '' })
  const { stdout } = await run(family.tester, '--json', '-o', 'a.json')
  expect(JSON.parse(stdout)).toMatchObject({ file: join(cwd, 'a.json'), format: 'json', tasks: 1 })
  const { stdout: preview } = await run(family.tester, '--json', '--preview')
  expect(JSON.parse(preview)).toMatchObject({ hits: [], fileName: expect.any(String) })
})

it('lists masked values in a preview, with their places and context', async () => {
  family.fake.given.exportHits = [
    {
      id: 'a1b2',
      kind: 'key',
      mark: '[hidden: key]',
      match: 'sk-secret',
      kept: false,
      count: 3,
      places: [{ taskId: family.tester, seq: 4, before: 'export KEY=', after: '\u001b[0m' }],
    },
  ]
  const { code, stdout, stderr } = await run(family.tester, '--preview', '-o', 'kept-out.md')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^a1b2 {2}key {2}3 times {2}sk-secret → \[hidden: key\]\n/)
  expect(stdout).toContain(`${family.tester.slice(0, 8)}:4  export KEY=sk-secret␛[0m`)
  expect(stderr).toContain('`--keep ID` leaves one as it is.')
  expect(await readdir(cwd)).toEqual([])
  expect((await run(family.tester, '--preview', '--keep', 'a1b2')).stdout).toContain(', kept')
})
