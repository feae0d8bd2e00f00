/** Turns what services throw into the contract's typed errors. What is in no row is a bug and stays one. */
import { ORPCError } from '@orpc/server'
import { assertNever } from '../../shared/assert-never.ts'
import { base, type ContractErrorCode } from '../../shared/contract/base.ts'
import { diskErrors } from '../../shared/disk-errors.ts'
import { type Failure, FailureError } from '../../shared/failure.ts'
import { GitError, GitMissingError, WorktreeRefusedError } from '../git/index.ts'
import {
  explain,
  JournalClosedError,
  JournalReadError,
  JournalWriteError,
} from '../journal/index.ts'

/** A disk that is full, broken or closed to us: errno codes that a person can do something about. */
const storageCodes = new Set<string>([
  ...diskErrors.map(({ code }) => code),
  'EACCES',
  'EPERM',
  'EMFILE',
  'ENFILE',
  // Something else stands where a file or a folder should.
  'ELOOP',
  'EISDIR',
  'ENOTDIR',
  'NAMED_PIPE',
  'SOCKET',
  'DEVICE',
])

export function toContractError(error: unknown): unknown {
  if (error instanceof FailureError) return fromFailure(error.failure, error.message)
  if (error instanceof JournalWriteError) {
    return contractError('STORAGE', error.message, { code: error.code, path: error.path })
  }
  if (error instanceof JournalReadError) {
    return contractError('STORAGE', error.message, { code: error.code, path: error.path })
  }
  // The call came in while everything was being closed.
  if (error instanceof JournalClosedError)
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

function fromFailure(failure: Failure, message: string): Error {
  switch (failure.kind) {
    case 'not-found':
      return contractError('NOT_FOUND', message, { what: failure.what, id: failure.id })
    case 'ambiguous': {
      const { what, id, candidates } = failure
      return contractError('AMBIGUOUS', message, { what, id, candidates })
    }
    case 'out-of-scope':
      return contractError('OUT_OF_SCOPE', message, { what: failure.what, id: failure.id })
    case 'damaged': {
      const { what, id, file, reason } = failure
      return contractError('DAMAGED', message, { what, id, file, reason })
    }
    case 'invalid':
      return contractError('INVALID', message, { field: failure.field })
    case 'refused':
      return contractError('REFUSED', message, { reason: failure.reason })
    default:
      return assertNever(failure)
  }
}

/** With the contract's own status: ORPC takes an error of another status for one that nobody defined. */
function contractError(code: ContractErrorCode, message: string, data: unknown): Error {
  const { status } = base['~orpc'].errorMap[code]
  return new ORPCError(code, { status, message, data })
}
