/** Who wrote the changes of real files, in a real project. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { FileAuthors } from '../../src/shared/contract/changes/review.ts'
import { openFixture, start, taskOf, untilQuiet } from '../harness.ts'

const scenario = `version: 1
name: authors
agents:
  lead:
    turns:
      - call: edit_file
        with: { path: a.txt, oldText: two, newText: zwei }
      - steps:
          - call: bash
            with: { command: "echo four >> a.txt" }
          - call: bash
            with: { command: "sed -i 's/zwei/deux/' a.txt && mv b.txt c.txt && echo end >> c.txt && rm d.txt" }
      - call: task
        with: { agent: helper, title: Help, prompt: Help. }
      - call: task_apply_patch
        with: { task: Help }
      - report: { title: Done, markdown: Done. }
  helper:
    turns:
      - call: bash
        with: { command: "sed -i '1i start' c.txt" }
      - report: { title: Helped, markdown: Done. }
`

it('names the call or the turn that wrote each line, and marks changes outside of them', async () => {
  const files = {
    'a.txt': 'one\ntwo\nthree\n',
    'b.txt': `${'line\n'.repeat(20)}`,
    'd.txt': 'gone\n',
  }
  const fixture = await openFixture({ files })
  const { client } = fixture.shiplog
  const lead = await start(fixture, scenario)
  await untilQuiet(fixture.shiplog)
  const task = await taskOf(fixture.shiplog, 'Help')
  const [root] = (await client.tasks.list({ all: true })).tasks
  const dir = root?.workspace?.path ?? ''

  const of = async (path: string, more = {}) =>
    shown(await client.review.authors({ workspaceId: lead, path, ...more }))
  expect(await of('a.txt')).toEqual({
    written: ['2 by bash in 2', '4 by bash in 2'],
    removed: ['2 by edit_file in 1'],
  })
  expect(await of('c.txt', { oldPath: 'b.txt' })).toEqual({
    written: ['1 by task_apply_patch in 4', '22 by bash in 2'],
    removed: [],
  })
  expect(await of('d.txt')).toEqual({ written: [], removed: ['1 by bash in 2'] })
  const applied = await client.review.authors({
    workspaceId: lead,
    path: 'c.txt',
    oldPath: 'b.txt',
  })
  expect(applied.authors.map((author) => author.applied?.taskId ?? null)).toEqual([null, task.id])
  // Opens at the call.
  const seq = applied.authors[0]?.seq ?? 0
  const page = await client.transcripts.page({ taskId: lead, at: { seq }, limit: 1 })
  expect(page.entries).toMatchObject([{ type: 'tool-call', name: 'bash', turn: 2 }])

  const contentId = async () =>
    (await client.workspace.diff({ workspaceId: lead })).files.find(({ path }) => path === 'a.txt')
      ?.contentId ?? ''
  const anchors = [4, 3, 2].map((line) => ({ line }))
  const before = await contentId()
  await writeFile(join(dir, 'a.txt'), 'zero\none\nTWO\nthree\n')
  const now = await client.review.authors({
    workspaceId: lead,
    path: 'a.txt',
    anchors: [
      ...anchors.map((one) => ({ ...one, contentId: before })),
      { line: 1, contentId: '0' },
    ],
  })
  expect(shown(now)).toEqual({
    written: ['1 by outside in 4', '3 by outside in 4'],
    removed: ['2 by edit_file in 1'],
  })
  const mine = now.authors.findIndex(({ by }) => by === 'outside')
  expect(now.anchors).toEqual([
    { line: null, author: mine },
    { line: 4, author: null },
    { line: 3, author: mine },
    null,
  ])
})

function shown({ authors, written, removed }: FileAuthors) {
  const lines = (runs: FileAuthors['written']) =>
    runs.map(({ start: first, lines: count, author }) => {
      const { by, tool, turn } = authors[author] ?? {}
      const range = count === 1 ? `${first}` : `${first}-${first + count - 1}`
      return `${range} by ${by === 'call' ? tool : by} in ${turn}`
    })
  return { written: lines(written), removed: lines(removed) }
}

it('knows no author where the recorded states are lost, instead of naming somebody outside', async () => {
  const fixture = await openFixture({ files: { 'a.txt': 'one\ntwo\n' } })
  const lead = await start(
    fixture,
    `version: 1
name: lost
agents:
  lead:
    turns:
      - call: edit_file
        with: { path: a.txt, oldText: two, newText: zwei }
      - report: { title: Done, markdown: Done. }
`,
  )
  await untilQuiet(fixture.shiplog)
  const objects = join(fixture.dataDir, 'turn-store', fixture.project.id, 'objects')
  await rm(objects, { recursive: true })
  await mkdir(objects)
  const found = await fixture.shiplog.client.review.authors({ workspaceId: lead, path: 'a.txt' })
  expect(found.authors.map(({ by }) => by)).toEqual(['unknown'])
})
