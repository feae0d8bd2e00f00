import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { createFindFiles } from '../../../src/main/workspaces/files/find-files.ts'
import { openFixture, start, temporaryDir, untilQuiet, writeFiles } from '../../harness.ts'

const scenario = `
version: 1
name: writes
agents:
  lead:
    turns:
      - call: write_file
        with: { path: src/new-parser.ts, content: "1" }
      - say: Done.
`

it('finds the files of a worktree, including its agent’s new ones, and of a project, without ignored ones', async () => {
  const fixture = await openFixture({
    files: { '.gitignore': 'dist\n', 'src/parser.ts': '', 'docs/parser.md': '' },
  })
  const { client } = fixture.shiplog
  await writeFiles(fixture.project.dir, { 'dist/parser.js': '', 'parser-notes.txt': '' })
  const taskId = await start(fixture, scenario)
  await untilQuiet(fixture.shiplog)
  const query = 'parser'
  const inWorktree = await client.workspace.findFiles({ workspaceId: taskId, query })
  expect(inWorktree.files.toSorted()).toEqual([
    'docs/parser.md',
    'src/new-parser.ts',
    'src/parser.ts',
  ])
  const inProject = await client.workspace.findFiles({ projectId: fixture.project.id, query })
  expect(inProject.files.toSorted()).toEqual([
    'docs/parser.md',
    'parser-notes.txt',
    'src/parser.ts',
  ])
  const one = await client.workspace.findFiles({ workspaceId: taskId, query, limit: 1 })
  expect(one.files).toEqual(['src/parser.ts'])
})

it('outside Git, skips node_modules and follows no link', async () => {
  const dir = await temporaryDir()
  await writeFiles(dir, { 'a/b.txt': '', 'node_modules/x/b.txt': '', '.git/b.txt': '' })
  await mkdir(join(dir, 'elsewhere'))
  await symlink('/etc', join(dir, 'etc'))
  const find = createFindFiles({ git: { listFiles: async () => null }, clock: Date.now })
  expect(await find(dir, '', 10)).toEqual(['a/b.txt'])
})

it('lists a folder once while somebody types, and again later', async () => {
  let now = 1_000_000
  let lists = 0
  const find = createFindFiles({
    git: {
      listFiles: async () => {
        lists++
        return [`file-${lists}.txt`]
      },
    },
    clock: () => now,
  })
  expect(await find('/a', 'fi', 10)).toEqual(['file-1.txt'])
  expect(await find('/a', 'fil', 10)).toEqual(['file-1.txt'])
  expect(lists).toBe(1)
  // What is some seconds old is used, and read again meanwhile.
  now += 10_000
  expect(await find('/a', 'file', 10)).toEqual(['file-1.txt'])
  expect(lists).toBe(2)
  await vi.waitFor(async () => expect(await find('/a', 'file', 10)).toEqual(['file-2.txt']), 30_000)
  now += 3_600_000
  expect(await find('/a', 'file', 10)).toEqual(['file-3.txt'])
})
