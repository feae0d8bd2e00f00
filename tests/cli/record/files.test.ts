import { expect, it } from 'vitest'
import { runToEnd } from '../fake-process.ts'
import { createFakeShiplog } from '../fake-shiplog.ts'

const text = 'export const a = 1\n'
const notStored = [{ path: 'dump\u001b[31m', why: 'file-bytes' as const, bytes: 40_000_000 }]

function worked() {
  const fake = createFakeShiplog()
  const projectId = fake.addProject('/code/api')
  const id = fake.createTask({ projectId, title: 'Fix the parser' })
  fake.spawn(id)
  fake.say(id, 'Done.')
  fake.given.turnStates = {
    [id]: [
      { seq: 1, notStored, files: { 'README.md': 'old\n', 'src/a.ts': text } },
      { seq: 2, turn: 1, files: { 'README.md': 'new\u001b[31m\n' } },
    ],
  }
  const run = (...argv: string[]) => runToEnd(['files', id, ...argv], { fake })
  return { fake, id, run }
}

it('[V5] prints the names of a folder, and a file byte by byte, as of an entry', async () => {
  const { run } = worked()
  const first = await run('--at', '1')
  expect(first.code).toBe(0)
  expect(first.stderr).toMatch(
    /^As of entry 1\nNot recorded: dump\S* \(new and larger than 32 MiB\)\n$/,
  )
  expect(first.stdout).toMatch(/^src\/ .*folder\nREADME\.md .*4 B\n$/m)
  expect((await run('src/', '--at', '1')).stdout).toMatch(/^a\.ts /m)
  expect(await run('src/a.ts', '--at', '1')).toMatchObject({ code: 0, stdout: text })
  const last = await run('README.md')
  expect(last).toMatchObject({ stdout: 'new\u001b[31m\n', stderr: 'As of entry 2, turn 1\n' })
})

it('answers --json with one document', async () => {
  const { run } = worked()
  const { stdout } = await run('README.md', '--at', '1', '--json')
  expect(JSON.parse(stdout)).toMatchObject({
    kind: 'file',
    stated: { seq: 1 },
    bytes: 4,
    truncated: false,
    content: { kind: 'bytes', base64: btoa('old\n') },
  })
  expect(JSON.parse((await run('--json')).stdout)).toMatchObject({ kind: 'folder' })
})

it('exits with 3 if there is no such file, or no files of that moment', async () => {
  const { run, fake } = worked()
  expect(await run('src/a.ts')).toEqual({
    code: 3,
    stdout: '',
    stderr: 'Error: There is no file "src/a.ts"\n',
  })
  // A path is no id, and may be shorter than one.
  expect((await run('a')).stderr).toBe('Error: There is no file "a"\n')
  fake.given.turnStates = {}
  const none = await run()
  expect(none).toMatchObject({ code: 3, stdout: '' })
  expect(none.stderr).toContain('No files were recorded')
})
