/** What a call answers when the disk refuses: the cause by its code, and what to do about that one. */
import { ORPCError } from '@orpc/server'
import { describe, expect, it } from 'vitest'
import { GitError } from '../../src/main/git/index.ts'
import { toContractError } from '../../src/main/rpc/errors.ts'

const systemError = (code: string, path: string) =>
  Object.assign(new Error(`${code}: the system’s words, open '${path}'`), { code, path })

function answerTo(error: unknown) {
  const answer = toContractError(error)
  if (!(answer instanceof ORPCError)) throw answer
  return { code: answer.code, message: answer.message, data: answer.data }
}

describe('a disk that refuses', () => {
  it.each([
    ['EACCES', 'check who owns the file and its folder'],
    ['EROFS', 'the file system is read-only'],
    ['ENOTDIR', 'a file is in place of a directory'],
  ])('is worded by its code: %s is not about space', (code, words) => {
    const { message, data } = answerTo(systemError(code, '/p/src/a.ts'))
    expect(message).toContain(`/p/src/a.ts can't be used`)
    expect(message).toContain(words)
    expect(message).not.toContain('space')
    expect(data).toEqual({ code, path: '/p/src/a.ts' })
  })

  it('asks for space if it is full', () => {
    expect(answerTo(systemError('ENOSPC', '/p/a')).message).toContain('free some space')
  })

  it('is reported first if Git met it, followed by Git’s message', () => {
    const stderr =
      'error: unable to write file .git/objects/1: No space left on device\nfatal: no\n'
    const answer = answerTo(new GitError(['write-tree'], 128, stderr))
    expect(answer).toMatchObject({ code: 'STORAGE', data: { code: 'ENOSPC' } })
    expect(answer.message).toMatch(/^Git could not write: the disk is full .*free some space/)
    expect(answer.message).toContain('unable to write file')
  })

  it('is not recognized in other messages of Git', () => {
    const stderr = 'fatal: path "No space left on device" does not exist\n'
    expect(answerTo(new GitError(['show'], 128, stderr))).toMatchObject({ code: 'REFUSED' })
  })
})
