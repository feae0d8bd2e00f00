import { appendFile, chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createGit } from '../../../src/main/git/index.ts'
import { makeRepository, temporaryDir, testEnv } from '../repository.ts'

/** Which files of a removed worktree the commit of its working tree holds. */
async function savedOf(configuration: string, files: Record<string, string>) {
  const project = await makeRepository()
  const dir = await temporaryDir()
  const own = path.join(dir, 'gitconfig')
  await writeFile(own, configuration)
  const git = createGit({ env: { ...testEnv, GIT_CONFIG_GLOBAL: own } })
  for (const [name, content] of Object.entries(files)) await project.write(name, content)
  await symlink('README.md', path.join(project.dir, 'link'))
  const { commit } = await git.commitSnapshot(project.dir)
  const worktree = path.join(dir, 'removed')
  await mkdir(worktree)
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(worktree, name)), { recursive: true })
    await writeFile(path.join(worktree, name), content)
  }
  await symlink('README.md', path.join(worktree, 'link'))
  const list = async () => {
    const found = await git.filesInCommit({ repoDir: project.dir, dir: worktree, commit })
    return found?.saved.map(String).sort()
  }
  return { worktree, list }
}

const stripping = '[filter "strip"]\n\tclean = sed -e /^OUT/d\n\tsmudge = cat\n'

it('[R3] does not count what a clean filter leaves out as saved', async () => {
  const files = {
    '.gitattributes': '*.nb filter=strip\n',
    'plain.nb': 'cell\n',
    'run.nb': 'cell\nOUT 42\n',
    'odd "name"\nof.nb': 'cell\nOUT 43\n',
    'other.txt': 'OUT is no output here\n',
  }
  const { list, worktree } = await savedOf(stripping, files)
  const saved = ['.gitattributes', 'link', 'other.txt', 'plain.nb']
  expect(await list()).toEqual(saved)
  await appendFile(path.join(worktree, 'other.txt'), 'more\n')
  await chmod(path.join(worktree, 'plain.nb'), 0o755)
  expect(await list()).toEqual(['.gitattributes', 'link'])
})

it('[R3] counts what a filter gives back, and converted line endings, as saved', async () => {
  const filter = '[filter "upper"]\n\tclean = tr a-z A-Z\n\tsmudge = tr A-Z a-z\n'
  const files = {
    '.gitattributes': '*.up filter=upper\n*.txt text\n',
    'a.up': 'lower\n',
    'b.up': 'Mixed\n',
    'lines.txt': `one\r\n${'x'.repeat(70_000)}\r\ntwo\r\n`,
  }
  const { list } = await savedOf(filter, files)
  expect(await list()).toEqual(['.gitattributes', 'a.up', 'lines.txt', 'link'])
})

it('[R3] compares all files if the configuration converts line endings', async () => {
  const files = { 'lines.txt': 'one\r\ntwo\r\n', 'plain.txt': 'one\n' }
  const { list } = await savedOf('[core]\n\tautocrlf = input\n', files)
  expect(await list()).toEqual(['lines.txt', 'link', 'plain.txt'])
})

it('[R3] counts nothing of a filter that fails as saved', async () => {
  const filter = '[filter "gone"]\n\tclean = tr a-z A-Z\n\tsmudge = false\n\trequired = true\n'
  const files = { '.gitattributes': '*.up filter=gone\n', 'a.up': 'lower\n' }
  const { list } = await savedOf(filter, files)
  expect(await list()).toEqual(['.gitattributes', 'link'])
})
