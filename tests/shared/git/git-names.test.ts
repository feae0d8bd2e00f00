import { expect, it } from 'vitest'
import { isGitName } from '../../../src/shared/git/git-names.ts'

it.each([
  '.git',
  '.GIT',
  '.Git',
  '.git.',
  '.git ',
  '.git. .',
  'git~1',
  'GIT~1',
  'git~2',
  '.g\u200cit',
  '\ufeff.git',
  '.git\u200f',
  '.gi\u2060t',
  '.git::$INDEX_ALLOCATION',
  '.git:stream',
  '.GIT::$DATA',
  '\uff0egit',
])('[K8] takes %j for .git', (name) => {
  expect(isGitName(name)).toBe(true)
})

it.each(['.gitignore', '.github', 'git', 'a.git', '.gitx', 'git~', 'digit~1', '.gi', '..git'])(
  '[K8] does not take %j for .git',
  (name) => {
    expect(isGitName(name)).toBe(false)
  },
)
