import { rename } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { git, openFixture, start, taskOf, until, untilQuiet } from '../../harness.ts'

it('does not call the changes of a follow-up applied if only those of the previous run were', async () => {
  const fixture = await openFixture()
  const root = await start(
    fixture,
    `
version: 1
name: two
agents:
  lead:
    turns:
      - call: bash
        with: { command: "date +%N >> times.txt" }
`,
  )
  await untilQuiet(fixture.shiplog)
  const { client } = fixture.shiplog
  await client.tasks.applyPatch({ taskId: root })
  expect((await taskOf(fixture.shiplog, root)).patch).toBe('applied')
  await client.tasks.prompt({ taskId: root, prompt: 'Again' })
  await until(fixture.shiplog, (tasks) =>
    tasks.some((task) => task.runs.length === 2 && task.status === 'completed'),
  )
  expect((await taskOf(fixture.shiplog, root)).patch).not.toBe('applied')
  expect(git(fixture.project.dir, 'status', '--porcelain')).toContain('times.txt')
})

it.each([false, true])(
  'names the remedy if the project was moved, after a removal: %s',
  async (removed) => {
    const fixture = await openFixture()
    const id = await start(
      fixture,
      `
version: 1
name: one
agents:
  lead:
    turns:
      - call: write_file
        with: { path: new.txt, content: "new" }
`,
    )
    await untilQuiet(fixture.shiplog)
    const { client } = fixture.shiplog
    if (removed) await client.workspace.remove({ workspaceId: id })
    const { dir } = fixture.project
    await rename(dir, `${dir}-elsewhere`)
    const gone = `The project's folder ${dir} is missing.`
    await expect(client.tasks.applyPatch({ taskId: id })).rejects.toThrow(gone)
    if (!removed) await expect(client.workspace.diff({ workspaceId: id })).rejects.toThrow(gone)
    await rename(`${dir}-elsewhere`, dir)
    expect((await client.tasks.applyPatch({ taskId: id })).kind).toBe('applied')
  },
)
