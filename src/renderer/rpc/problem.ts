/** Converts errors for display: what happened, what to do next, and details to copy. */
import { ORPCError } from '@orpc/client'
import type { ContractErrorCode } from '../../shared/contract/base.ts'

export interface Problem {
  code: ContractErrorCode | 'CONNECTION' | 'INTERNAL'
  /** What happened. */
  message: string
  /** What to do next, one sentence; null if `message` includes it. */
  next: string | null
  /** For Copy details: all data about the error, as text. */
  details: string
  /** Why the call was refused; null if it failed otherwise. */
  reason: string | null
  /** The field of a form whose value was refused; null if the error is not about a field. */
  field: string | null
}

/** `doing` is the failed operation, such as 'add the project'; it begins the details. */
export function problemOf(error: unknown, doing: string): Problem {
  if (error instanceof ORPCError) return answered(error, doing)
  return {
    code: 'CONNECTION',
    message: 'Connection to Shiplog lost.',
    next: 'Reconnecting. Try again once connected.',
    details: lines(`While trying to ${doing}`, text(error)),
    reason: null,
    field: null,
  }
}

function answered(error: ORPCError<string, unknown>, doing: string): Problem {
  const data = (error.data ?? {}) as Record<string, unknown>
  const field = typeof data.field === 'string' ? data.field : null
  const known = nextSteps[error.code as ContractErrorCode]
  return {
    code: known === undefined ? 'INTERNAL' : (error.code as ContractErrorCode),
    message: known === undefined ? `Shiplog could not ${doing}.` : error.message,
    next:
      known === undefined
        ? 'This is a bug in Shiplog. Copy the details into a bug report; nothing on disk was lost.'
        : known(data),
    details: lines(
      `While trying to ${doing}`,
      `${error.code}: ${error.message}`,
      Object.keys(data).length > 0 ? JSON.stringify(data, null, 2) : '',
    ),
    reason: typeof data.reason === 'string' ? data.reason : null,
    field,
  }
}

const nextSteps: Record<ContractErrorCode, (data: Record<string, unknown>) => string | null> = {
  NOT_FOUND: () => 'It may have been removed, or the link is from another data directory.',
  AMBIGUOUS: ({ candidates }) =>
    Array.isArray(candidates) ? `Use one of: ${candidates.join(', ')}` : null,
  OUT_OF_SCOPE: () => 'Open it from the agent that started it.',
  DAMAGED: ({ file }) => `The original is kept in ${String(file)}. Everything readable is shown.`,
  INVALID: () => null,
  REFUSED: () => null,
  // The message names the cause by its code, and the remedy.
  STORAGE: () => null,
}

const lines = (...parts: string[]): string => parts.filter((part) => part !== '').join('\n')

const text = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error)
