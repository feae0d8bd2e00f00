/** A disk that takes no more is the same cause for Shiplog, by a code, and for Git, by its output. */
import { describe, expect, it } from 'vitest'
import { GitError } from '../../src/main/git/index.ts'
import { causeOf } from '../../src/main/runs/interruption.ts'
import { diskErrors } from '../../src/shared/records/disk-errors.ts'

it('knows which errors say that a disk is full, and which that it failed', () => {
  expect(diskErrors.map(({ code, cause }) => [code, cause])).toEqual([
    ['ENOSPC', 'disk-full'],
    ['EDQUOT', 'disk-full'],
    ['EROFS', 'disk-failed'],
    ['EIO', 'disk-failed'],
  ])
})

describe.each(diskErrors)('$code', ({ code, cause, message }) => {
  it('is the cause of a run that met it', () => {
    const error = Object.assign(new Error('write failed'), { code })
    expect(causeOf(error)).toEqual({ kind: cause, code, detail: 'write failed' })
  })

  it('is found in what Git printed, at the end of a line', () => {
    const printed = new GitError(['add'], 128, `fatal: unable to write 'a': ${message}\nhint: no\n`)
    expect(printed.code).toBe(code)
    expect(causeOf(printed)).toMatchObject({ kind: cause, code })
    const quoted = new GitError(['add'], 128, `fatal: '${message}' did not match any files\n`)
    expect(quoted.code).toBeNull()
    expect(causeOf(quoted)).toMatchObject({ kind: 'error' })
  })
})
