/** A ledger that has lost the record of a workspace: the workspace's files and commits are kept, whatever is asked for. */
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { git, openFixture, start, taskOf, until, untilQuiet } from '../../harness.ts'

const scenario = `
version: 1
name: interrupted
agents:
  lead:
    turns:
      - call: bash
        with: { command: "echo committed > a.txt && git add -A && git commit -qm work && echo precious > b.txt" }
      - call: bash
        with: { command: "touch begun; sleep 600" }
`

it.each([
  [
    'is missing',
    (lines: string[]) => lines.filter((line) => !line.includes('"workspace.created"')),
  ],
  [
    'is damaged',
    (lines: string[]) =>
      lines.map((line) => line.replace('"workspace.created"', '"workspace.creatfd"')),
  ],
  [
    'and all after it are missing',
    (lines: string[]) =>
      lines.slice(
        0,
        lines.findIndex((line) => line.includes('"workspace.created"')),
      ),
  ],
])('[R3] a resume deletes nothing of a worktree whose record %s', async (_, damage) => {
  const fixture = await openFixture()
  const taskId = await start(fixture, scenario)
  const { path = '', branch } = (await taskOf(fixture.shiplog, taskId)).workspace ?? {}
  await until(fixture.shiplog, () => existsSync(join(path, 'begun')))
  await fixture.shiplog.close()
  const ledger = join(fixture.dataDir, 'ledger.jsonl')
  const lines = (await readFile(ledger, 'utf8')).trimEnd().split('\n')
  await writeFile(ledger, `${damage(lines).join('\n')}\n`)
  await fixture.restart()
  const { client } = fixture.shiplog
  await client.tasks.resume({ selector: { by: 'task', taskId } })
  await untilQuiet(fixture.shiplog)
  expect(await readFile(join(path, 'b.txt'), 'utf8')).toBe('precious\n')
  expect(git(fixture.project.dir, 'log', '--format=%s', '-1', branch ?? '')).toBe('work\n')
})
