/** The commands as a shell runs them, with a `gh` that writes down what it was called with. */
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { commitCommands } from '../../src/renderer/components/review/commit-commands.ts'
import { git, gitProject, temporaryDir } from '../harness.ts'

const gh = `#!/bin/sh
[ "$1 $2" = "pr create" ] || { echo "unknown command" >&2; exit 1; }
for word in "$@"; do printf '%s\\0' "$word"; done > "$CALLED"
`

it('commit, push and open a pull request, with texts that are no part of the shell', async () => {
  const dir = await temporaryDir()
  const worktree = await gitProject(join(dir, "it's here"))
  const origin = join(dir, 'origin.git')
  git(dir, 'init', '-q', '--bare', origin)
  git(worktree, 'remote', 'add', 'origin', origin)
  git(worktree, 'switch', '-q', '-c', 'agent/fix')
  await writeFile(join(worktree, 'new.txt'), 'new\n')
  const bin = join(dir, 'bin')
  await mkdir(bin)
  await writeFile(join(bin, 'gh'), gh)
  await chmod(join(bin, 'gh'), 0o755)
  const called = join(dir, 'called')

  const subject = `Fix 'quotes' and $(touch ${join(dir, 'ran')})`
  const body = 'One\n\n\ttwo `id` \\ "three"\u001B[2J\u0003'
  const commands = commitCommands({
    ...{ worktree, branch: 'agent/fix', base: 'main', subject, body, pullRequest: true },
  })
  expect(commands).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/)
  const identity = { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'a@localhost' }
  const committer = { GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'a@localhost' }
  execFileSync('sh', ['-c', commands], {
    env: {
      ...{ ...process.env, ...identity, ...committer },
      ...{ PATH: `${bin}:${process.env.PATH}`, CALLED: called },
    },
    stdio: 'pipe',
  })

  const message = 'One\n\n    two `id` \\ "three"␛[2J␃'
  expect(git(worktree, 'log', '-1', '--format=%an%n%B').trim()).toBe(
    `Ada\n${subject}\n\n${message}`,
  )
  expect(git(worktree, 'status', '--porcelain')).toBe('')
  expect(git(origin, 'rev-parse', 'agent/fix')).toBe(git(worktree, 'rev-parse', 'HEAD'))
  expect((await readFile(called, 'utf8')).split('\0')).toEqual([
    ...['pr', 'create', '--head', 'agent/fix', '--base', 'main'],
    ...['--title', subject, '--body', message, ''],
  ])
  await expect(readFile(join(dir, 'ran'))).rejects.toThrow('ENOENT')
})

it('only commit unless a pull request is wanted, and leave out what is not known', () => {
  const plan = { worktree: '/w', branch: 'b', base: null, subject: ' Fix ', body: '\n' }
  expect(commitCommands({ ...plan, pullRequest: false })).toBe(
    "cd '/w' &&\ngit add --all &&\ngit commit --message='Fix'",
  )
  expect(commitCommands({ ...plan, pullRequest: true })).toContain(
    "git push --set-upstream origin 'b' &&\ngh pr create --head 'b' --title 'Fix' --body ''",
  )
})
