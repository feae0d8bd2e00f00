import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { layoutOf } from '../../../src/main/sessions/session-files.ts'
import { openFixture, start, taskOf, until } from '../../harness.ts'

it('[R3] moves an unknown file in a session directory to the trash when its workspace is removed', async () => {
  const fixture = await openFixture()
  const root = await start(
    fixture,
    `
version: 1
name: family
agents:
  lead:
    turns:
      - call: task
        with: { agent: child, title: Child, prompt: Go }
      - report: { title: Lead, markdown: Done. }
  child:
    turns:
      - report: { title: Child, markdown: Done. }
`,
    { keep: true },
  )
  await until(fixture.shiplog, (tasks) =>
    tasks.some(({ id, status }) => id === root && status === 'completed'),
  )
  const child = await taskOf(fixture.shiplog, 'Child')
  const layout = layoutOf(fixture.dataDir)
  const own = layout.sessionDir(child.id)
  await writeFile(join(own, 'notes.txt'), 'by hand')
  await mkdir(join(own, 'subagent-transcripts'), { recursive: true })
  await writeFile(join(own, 'subagent-transcripts', 'notes.txt'), 'by hand too')
  await fixture.shiplog.client.workspace.remove({ workspaceId: child.id })
  const kept = join(layout.trash, `session-${child.id}`)
  expect(await readFile(join(kept, 'notes.txt'), 'utf8')).toBe('by hand')
  expect(await readFile(join(kept, 'subagent-transcripts', 'notes.txt'), 'utf8')).toBe(
    'by hand too',
  )
})
