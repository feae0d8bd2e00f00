/** Git's words of 2.39, and what is said to the user instead of, or before, them. */
import { open } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { GitError } from '../../../src/main/git/command/errors.ts'
import { createRunGit } from '../../../src/main/git/command/run.ts'
import { makeRepository, testEnv } from '../repository.ts'

it.each([
  {
    what: 'an extension of a newer Git',
    stderr: 'fatal: unknown repository extension found:\n\trefstorage\n',
    said: 'does not know: refstorage. Install a newer Git.',
  },
  {
    what: 'a format of a newer Git',
    stderr: 'fatal: Expected git repo version <= 1, found 9\n',
    said: 'has format 9, which this version of Git does not know. Install a newer Git.',
  },
  {
    what: 'a file in another encoding than its attribute says',
    stderr: "fatal: failed to encode 'a b.txt' from UTF-16LE-BOM to UTF-8\n",
    said: "can't store a b.txt: .gitattributes declares it as UTF-16LE-BOM, but its content is not.",
  },
  {
    what: 'borrowed objects that are gone',
    stderr: `error: unable to normalize alternate object path: /b c/.git/objects\nfatal: unable to read tree ${'1'.repeat(40)}\n`,
    said: 'borrows objects from /b c/.git/objects, which is missing.',
  },
  {
    what: 'a name in a commit that Git writes nowhere',
    stderr:
      "error: invalid path '../escape'\nfatal: Could not reset index file to revision 'HEAD'.\n",
    said: 'A commit contains "../escape", a name that Git writes nowhere',
  },
  {
    what: 'a file that may not be read',
    stderr:
      'error: open("f1"): Permission denied\nfatal: could not open \'/b c/f1\' for reading: Permission denied\n',
    said: 'You may not read f1. Change its permissions',
  },
  {
    what: 'a missing filter program, by dash',
    stderr:
      'git-lfs filter-process: 1: git-lfs: not found\nfatal: the remote end hung up unexpectedly\n',
    said: 'needs the program git-lfs,',
  },
  {
    what: 'a missing filter program, by bash',
    stderr:
      'git-lfs filter-process: line 1: git-lfs: command not found\nfatal: the remote end hung up unexpectedly\n',
    said: 'needs the program git-lfs,',
  },
])('gives advice about $what', ({ stderr, said }) => {
  const { message } = new GitError(['reset', '--hard'], 128, stderr)
  expect(message).toContain(said)
  expect(message).toContain('git reset --hard failed (128): ')
})

it('names a file with quotes in its name', () => {
  const stderr = `error: open("it's"): Permission denied\n`
  expect(new GitError(['add'], 128, stderr).message).toContain("You may not read it's.")
})

it('takes no time for the longest message, such as one of a server', () => {
  const before = performance.now()
  new GitError(['push'], 128, `remote: ${"open('a'".repeat(2_000)}`)
  expect(performance.now() - before).toBeLessThan(5_000)
})

it.each([
  "fatal: sha1 file '/d/pack/tmp_idx_1' write error. Out of diskspace",
  'fatal: sha1 file write error: No space left on device',
])('knows a full disk by %j', (text) => {
  const error = new GitError(['pack-objects'], 128, `${text}\n`)
  expect(error.code).toBe('ENOSPC')
  expect(error.message).toMatch(/^Git could not write: the disk is full/)
})

it.skipIf(process.platform !== 'linux')(
  'names the error of the file that takes the output, which Git does not',
  async () => {
    const { dir } = await makeRepository()
    const full = await open('/dev/full', 'w')
    try {
      const printed = createRunGit({ env: testEnv })(['ls-tree', '-r', 'HEAD'], {
        cwd: dir,
        stdoutFd: full.fd,
      })
      await expect(printed).rejects.toMatchObject({
        code: 'ENOSPC',
        message: 'Git could not write: the disk is full (ENOSPC); free some space and try again.',
      })
    } finally {
      await full.close()
    }
  },
)

it('says that the disk is full where Git does not say why it could not write', () => {
  const stderr = 'error: unable to write file src/a.txt\n'
  const error = new GitError(['read-tree'], 128, stderr, { code: 'ENOSPC' })
  expect(error.code).toBe('ENOSPC')
  expect(error.message).toContain('the disk is full')
  expect(error.message).toContain('unable to write file src/a.txt')
})
