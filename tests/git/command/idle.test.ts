/** Calls of Git in which nothing happens. */
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createRunGit } from '../../../src/main/git/command/run.ts'
import { runApproved } from '../../../src/main/git/publish/publish.ts'
import { makeRepository, temporaryDir, testEnv } from '../repository.ts'

/** So that a call that waits fails, and leaves no process. */
const limit = () => AbortSignal.timeout(20_000)
const isLinux = process.platform === 'linux'

it.skipIf(!isLinux)('ends a call that waits for a pipe in a place that is not known', async () => {
  const project = await makeRepository({ 'a.txt': 'a\n' })
  const pipe = path.join(await temporaryDir(), 'pipe')
  execFileSync('mkfifo', [pipe])
  const run = createRunGit({ env: testEnv, idleMsMax: 600 })
  const options = { cwd: project.dir, signal: limit() }
  // Git itself waits, and a Git that it has started.
  for (const more of [[], ['-c', 'alias.x=!git', 'x']])
    await expect(run([...more, 'config', '--file', pipe, '--list'], options)).rejects.toThrow(
      'without doing anything',
    )
})

it.skipIf(!isLinux)('lets another program take its time, which Git waits for', async () => {
  const project = await makeRepository({ 'a.txt': 'a\n', '.gitattributes': '*.txt filter=slow\n' })
  const personal = path.join(await temporaryDir(), 'gitconfig')
  await writeFile(personal, '[filter "slow"]\nclean = sleep 2 && cat\n')
  await project.write('a.txt', 'b\n')
  const env = { ...testEnv, GIT_CONFIG_GLOBAL: personal }
  const run = createRunGit({ env, idleMsMax: 600 })
  const options = { cwd: project.dir, signal: limit() }
  const { stdout } = await run(['diff', '--name-only'], options)
  expect(String(stdout)).toBe('a.txt\n')
})

it.skipIf(!isLinux)(
  'ends a push to a server that never answers, and waits for a slow one',
  async () => {
    const project = await makeRepository({ 'a.txt': 'a\n' })
    const bin = path.join(await temporaryDir(), 'bin')
    await mkdir(bin)
    const env = { ...testEnv, PATH: `${bin}:${process.env.PATH}` }
    const push = async (ssh: string) => {
      await writeFile(path.join(bin, 'ssh'), `#!/bin/sh\n${ssh}\n`)
      await chmod(path.join(bin, 'ssh'), 0o755)
      const args = ['push', 'ssh://host/repository', 'main']
      const options = { cwd: project.dir, usesNetwork: true, signal: limit() }
      return runApproved(createRunGit({ env, idleMsMax: 100 }), args, options)
    }
    await expect(push('exec sleep 15')).rejects.toThrow('did not answer')
    await expect(push('sleep 1; echo late >&2; exit 1')).rejects.toMatchObject({
      stderr: expect.stringContaining('late'),
    })
  },
)
