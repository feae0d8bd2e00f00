/**
 * Renames in case only, on a disk that takes both names for the same. They run where the temporary folder is on one: the
 * usual disks of macOS and Windows, or what TMPDIR names.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { appendFile, mkdir, readdir, readFile } from 'node:fs/promises'
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
  return { ...fixture, taskId, apply: () => fixture.shiplog.client.tasks.applyPatch({ taskId }) }
}

onDiskThatIgnoresCase('an apply refuses the rename of a folder, and deletes nothing', async () => {
  const { project, apply } = await renamed('git mv D t && git mv t d')
  await appendFile(join(project.dir, 'D/x'), 'mine\n')
  expect(await apply()).toMatchObject({
    kind: 'conflict',
    message: expect.stringContaining('rename the folder first'),
  })
  expect(await readFile(join(project.dir, 'D/x'), 'utf8')).toBe('x\nmine\n')
  expect(await readFile(join(project.dir, 'D/e/y'), 'utf8')).toBe('y\n')
})

const plainRename = (dir: string) => `cd '${dir}' && mv D t && mv t d && mv d/e t && mv t d/E`

onDiskThatIgnoresCase.each(['as the message says', 'by hand'])(
  'an apply of the rename of a folder, with edits in it, works once the folder is renamed %s',
  async (how) => {
    const { project, apply, taskId, shiplog } = await renamed(
      'git mv D t && git mv t d && git mv d/e t && git mv t d/E && echo edited >> d/E/y && echo new > d/new',
    )
    await appendFile(join(project.dir, 'D/x'), 'mine\n')
    await mkdir(join(project.dir, 'D.renaming'))
    const refused = await apply()
    expect(refused).toMatchObject({ kind: 'conflict' })
    const { message = '' } = refused as { message?: string }
    const said = /`(cd .+)`/.exec(message)?.[1] ?? ''
    execFileSync('sh', ['-c', how === 'by hand' ? plainRename(project.dir) : said])
    expect(await apply()).toMatchObject({ kind: 'applied' })
    expect((await readdir(project.dir)).toSorted()).toContain('d')
    expect((await readdir(join(project.dir, 'd'))).toSorted()).toEqual(['E', 'new', 'x'])
    expect(await readFile(join(project.dir, 'd/x'), 'utf8')).toBe('x\nmine\n')
    expect(await readFile(join(project.dir, 'd/E/y'), 'utf8')).toBe('y\nedited\n')
    await shiplog.client.tasks.undoApply({ taskId })
    expect(await readFile(join(project.dir, 'd/x'), 'utf8')).toBe('x\nmine\n')
    expect(await readFile(join(project.dir, 'd/E/y'), 'utf8')).toBe('y\n')
    expect(await readdir(join(project.dir, 'd'))).not.toContain('new')
  },
)

onDiskThatIgnoresCase('an apply renames a file', async () => {
  const { project, apply } = await renamed('git mv file.txt t && git mv t File.txt')
  await apply()
  expect(await readdir(project.dir)).toContain('File.txt')
  expect(git(project.dir, 'status', '--porcelain')).not.toContain('??')
})
