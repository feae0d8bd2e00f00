/**
 * Renames in case only, on a disk that takes both names for the same. They run where the temporary folder is on one: the
 * usual disks of macOS and Windows, or what TMPDIR names.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { appendFile, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { git, openFixture, start, untilQuiet } from '../../harness.ts'

const probe = mkdtempSync(join(tmpdir(), 'shiplog-case-'))
writeFileSync(join(probe, 'a'), '')
const onDiskThatIgnoresCase = it.runIf(existsSync(join(probe, 'A')))
rmSync(probe, { recursive: true })

async function renamed(command: string) {
  const fixture = await openFixture({ files: { 'D/x': 'x\n', 'D/e/y': 'y\n', 'file.txt': 'f\n' } })
  const scenario = `version: 1\nname: renames\nagents:\n  lead:\n    turns:\n      - call: bash\n        with: { command: ${JSON.stringify(command)} }\n`
  const taskId = await start(fixture, scenario)
  await untilQuiet(fixture.shiplog)
  return { ...fixture, apply: () => fixture.shiplog.client.tasks.applyPatch({ taskId }) }
}

onDiskThatIgnoresCase(
  '[W5] an apply refuses the rename of a folder, and deletes nothing',
  async () => {
    const { project, apply } = await renamed('git mv D t && git mv t d')
    await appendFile(join(project.dir, 'D/x'), 'mine\n')
    expect(await apply()).toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('rename the folder first'),
    })
    expect(await readFile(join(project.dir, 'D/x'), 'utf8')).toBe('x\nmine\n')
    expect(await readFile(join(project.dir, 'D/e/y'), 'utf8')).toBe('y\n')
  },
)

onDiskThatIgnoresCase('[W5] an apply renames a file', async () => {
  const { project, apply } = await renamed('git mv file.txt t && git mv t File.txt')
  await apply()
  expect(await readdir(project.dir)).toContain('File.txt')
  expect(git(project.dir, 'status', '--porcelain')).not.toContain('??')
})
