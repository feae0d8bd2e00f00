/** An agent may write names into Git's index that Git checks out nowhere: nothing else is lost, and the person is told. */
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { git, openFixture, start, taskOf, untilQuiet, writeFiles } from '../../harness.ts'

const scenario = `
version: 1
name: works
agents:
  lead:
    turns:
      - call: bash
        with: { command: "echo new > new.txt && echo changed > a.txt && echo rows > x.log" }
      - report: { title: Done, markdown: Done. }
`

it('[R3][R6] restores all but the entries of an index that Git refuses, and tells of those', async () => {
  const fixture = await openFixture({ files: { 'a.txt': 'a\n', '.gitignore': '*.log\n' } })
  const id = await start(fixture, scenario)
  await untilQuiet(fixture.shiplog)
  const path = (await taskOf(fixture.shiplog, id)).workspace?.path ?? ''
  await writeFiles(path, { 'zzzz/hooks/x': 'one\n', 'yy/x': 'two\n' })
  git(path, 'add', 'zzzz', 'yy')
  const index = git(path, 'rev-parse', '--path-format=absolute', '--git-path', 'index').trim()
  const entries = (await readFile(index)).subarray(0, -20).toString('latin1').split('TREE')[0] ?? ''
  const names = entries.replace('zzzz/hooks/x', '.git/hooks/x').replace('yy/x', '../x')
  const forged = Buffer.from(names, 'latin1')
  await writeFile(index, Buffer.concat([forged, createHash('sha1').update(forged).digest()]))

  const { app, workspace } = fixture.shiplog.client
  await workspace.remove({ workspaceId: id })
  const told = (await app.info()).notices.map(({ text }) => text)
  expect(told).toEqual([expect.stringMatching(/names Git does not check out.*: .*\.git\/hooks\/x/)])
  expect(told[0]).toContain('../x')
  await workspace.restore({ workspaceId: id })
  const restored = ['a.txt', 'new.txt', 'x.log', 'zzzz/hooks/x', 'yy/x'].map((name) =>
    readFile(join(path, name), 'utf8'),
  )
  expect(await Promise.all(restored)).toEqual(['changed\n', 'new\n', 'rows\n', 'one\n', 'two\n'])
})
