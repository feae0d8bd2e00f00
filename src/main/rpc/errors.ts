/** Maps errors of the services to the contract's typed errors. An unmapped error is a bug and passes unchanged. */

import { FailureError } from '../../shared/failure.ts'
import { diskErrors } from '../../shared/records/disk-errors.ts'
import { GitEndedError, GitError, GitMissingError, WorktreeRefusedError } from '../git/index.ts'
import {
  explain,
  JournalClosedError,
  JournalReadError,
  JournalWriteError,
} from '../journal/index.ts'
import { answerToFailure, contractError } from './failure-answers.ts'

/** Disk errors that a user can fix: full, broken or inaccessible. */
const storageCodes = new Set<string>([
  ...diskErrors.map(({ code }) => code),
  'EACCES',
  'EPERM',
  'EMFILE',
  'ENFILE',
  // The path is a link, a folder or a file where another kind is expected.
  'ELOOP',
  'EISDIR',
  'ENOTDIR',
  'NAMED_PIPE',
  'SOCKET',
  'DEVICE',
])

export function toContractError(error: unknown): unknown {
  if (error instanceof FailureError) return answerToFailure(error)
  if (error instanceof JournalWriteError) {
    return contractError('STORAGE', error.message, { code: error.code, path: error.path })
  }
  if (error instanceof JournalReadError) {
    return contractError('STORAGE', error.message, { code: error.code, path: error.path })
  }
  // The call arrived during shutdown.
  if (error instanceof JournalClosedError || error instanceof GitEndedError)
    return contractError('REFUSED', 'Shiplog is ending; try again.', { reason: 'closing' })
  if (error instanceof GitError && error.code !== null)
    return contractError('STORAGE', error.message, { code: error.code, path: '' })
  if (
    error instanceof GitMissingError ||
    error instanceof GitError ||
    error instanceof WorktreeRefusedError
  ) {
    return contractError('REFUSED', error.message, { reason: error.kind })
  }
  const { code, path } = (error ?? {}) as NodeJS.ErrnoException
  if (code && storageCodes.has(code)) {
    const what = path ? `${path} can't be used` : 'A file can’t be used'
    const message = `${what}: ${explain(code)}. Nothing that was saved is lost.`
    return contractError('STORAGE', message, { code, path: path ?? '' })
  }
  return error
}
