/** A process that is killed while a file tool writes leaves a temporary file: the next start removes it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { entriesOf, openFixture, taskOf } from '../../harness.ts'
import { casesOf } from '../../soak.ts'

const host = join(import.meta.dirname, '../../crash/resume-kills/host.ts')
const hook = join(import.meta.dirname, 'kill-at-rename.ts')

const isTemporary = (name: string) => name.endsWith('.tmp')

const writes = [
  ['write_file', '{ path: src/new/log.txt, content: new }', 'src/new'],
  ['edit_file', '{ path: README.md, oldText: A project, newText: Ours }', '.'],
] as const

it.each(casesOf(writes, ([tool]) => tool === 'write_file'))(
  '[S3] %s, killed before its rename, leaves no file behind',
  async (tool, input, folder) => {
    const fixture = await openFixture()
    await fixture.shiplog.close()
    const scenario = `
version: 1
name: writes
agents:
  lead:
    turns:
      - call: ${tool}
        with: ${input}
`
    const order = {
      dataDir: fixture.dataDir,
      agentsAtOnce: 1,
      work: { kind: 'start', projectDir: fixture.project.dir, scenario },
    }
    const child = spawn(process.execPath, ['--import', hook, host, JSON.stringify(order)], {
      stdio: 'ignore',
    })
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
    const worktrees = join(fixture.dataDir, 'worktrees')
    const before = await readdir(worktrees, { recursive: true })
    expect(before.filter(isTemporary)).toHaveLength(1)

    const shiplog = await fixture.restart()
    const task = await taskOf(
      shiplog,
      (await shiplog.client.tasks.list({ all: true })).tasks[0]?.id ?? '',
    )
    expect(task.status).toBe('interrupted')
    expect(await entriesOf(shiplog, task.id)).toContainEqual(
      expect.objectContaining({ type: 'tool-result', name: tool, outcome: 'unknown' }),
    )
    const workingDir = task.workspace?.path ?? ''
    expect((await readdir(join(workingDir, folder))).filter(isTemporary)).toEqual([])
    expect((await readdir(worktrees, { recursive: true })).filter(isTemporary)).toEqual([])
    expect(await readFile(join(workingDir, 'README.md'), 'utf8')).toBe('# A project\n')
  },
)
