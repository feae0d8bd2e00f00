/** Maps expected failures to the contract's typed errors. Pure, because the tests' fake host uses it as well. */
import { ORPCError } from '@orpc/server'
import { assertNever } from '../../shared/assert-never.ts'
import { base, type ContractErrorCode } from '../../shared/contract/base.ts'
import type { FailureError } from '../../shared/failure.ts'

export function answerToFailure({ failure, message }: FailureError): Error {
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

/** Uses the status that the contract defines: ORPC treats an error with another status as undefined. */
export function contractError(code: ContractErrorCode, message: string, data: unknown): Error {
  const { status } = base['~orpc'].errorMap[code]
  return new ORPCError(code, { status, message, data })
}
