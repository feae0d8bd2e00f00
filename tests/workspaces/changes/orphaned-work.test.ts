import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openFixture, start, taskOf, untilQuiet } from '../../harness.ts'

it('brings work that its parent never applied into the nearest remaining ancestor', async () => {
  const fixture = await openFixture()
  const root = await start(
    fixture,
    `
version: 1
name: unapplied
agents:
  lead:
    turns:
      - call: task
        with: { agent: middle, title: Middle, prompt: Go }
  middle:
    turns:
      - call: task
        with: { agent: leaf, title: Größe prüfen, prompt: Go }
      - report: { title: Middle, markdown: I left its changes. }
  leaf:
    turns:
      - call: write_file
        with: { path: leaf.txt, content: "leaf\\n" }
      - report: { title: Leaf, markdown: One file. }
`,
  )
  await untilQuiet(fixture.shiplog)
  const leaf = await taskOf(fixture.shiplog, 'Größe prüfen')
  expect(leaf.workspace?.branch).toMatch(/^shiplog\/größe-prüfen-/)
  const { client } = fixture.shiplog
  const path = (await taskOf(fixture.shiplog, root)).workspace?.path ?? ''
  expect((await client.workspace.diff({ workspaceId: leaf.id })).target.path).toBe(path)
  expect((await client.tasks.applyPatch({ taskId: leaf.id })).kind).toBe('applied')
  expect(await readFile(join(path, 'leaf.txt'), 'utf8')).toBe('leaf\n')
  await client.workspace.remove({ workspaceId: root })
  expect((await client.workspace.diff({ workspaceId: leaf.id })).target.path).toBe(
    fixture.project.dir,
  )
})
