/** Rules that Git would match for years: the call ends, and names the rule. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { endlessRuleIn } from '../../../src/main/git/command/endless-rules.ts'
import { git, makeRepository, temporaryDir } from '../repository.ts'

/** So that a call that never ends fails, and leaves no process. */
const limit = () => AbortSignal.timeout(20_000)

const deep = Array(100).fill('a').join('/')
const endless = `${Array(25).fill('**/a').join('/')}/b`

it('ends a call that would match an ignore rule for years, and names the rule', async () => {
  const project = await makeRepository()
  await project.write(`${deep}/c`, 'c\n')
  await project.write('sub/.gitignore', 'x\n')
  await project.write('.gitignore', `*.log\n${endless}\n`)
  const file = path.join(project.dir, '.gitignore')
  await expect(git.snapshot(project.dir, { signal: limit() })).rejects.toThrow(
    `line 2 of ${file} has so many ** that Git might match it for years`,
  )
  await project.write('.gitignore', '*.log\n')
  await expect(git.snapshot(project.dir, { signal: limit() })).resolves.toMatchObject({
    dirty: true,
  })
})

it('ends one for an attribute, also in .git', async () => {
  const project = await makeRepository()
  await project.write(`${deep}/c`, 'c\n')
  await project.write('.git/info/attributes', `${endless} -text\n`)
  await expect(git.snapshot(project.dir, { signal: limit() })).rejects.toThrow('line 1 of')
})

it('knows how many tries a rule costs where folders are deep', async () => {
  const dir = await temporaryDir()
  const file = path.join(dir, '.gitignore')
  const lineOf = async (rule: string, depth: number, afterMs = 1_000) => {
    await writeFile(file, `plain\n${rule}\n`)
    return endlessRuleIn(file, { depth, afterMs })
  }
  expect(await lineOf('**/a/**/b/**/c/**', 30)).toBeNull()
  expect(await lineOf('**/a/**/b/**/c', 1_000)).toBe(2)
  // In a large tree an honest call takes seconds; a path of the index may be deeper than all on the disk.
  expect(await lineOf('**/a/**/b/**/c/**/d', 10)).toBeNull()
  expect(await lineOf('**/a/**/b/**/c/**/d', 10, 61_000)).toBe(2)
  expect(await lineOf('**/a/**/b/**/c/**/d', 1_000)).toBe(2)
  expect(await lineOf('**/a/**', 4_000)).toBeNull()
})
