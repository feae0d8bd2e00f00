/** The exit codes, and the code of each failure. */
import { ORPCError } from '@orpc/client'
import type { ContractErrorCode } from '../../../shared/contract/base.ts'
import { messageOf } from '../../../shared/error-message.ts'
import { FailureError, type Failure as NamedFailure } from '../../../shared/failure.ts'

export const exitCodes = {
  done: 0,
  /** The agent or task failed, or any failure without a code of its own. */
  failed: 1,
  usage: 2,
  notFound: 3,
  ambiguous: 4,
  refused: 5,
  /** Another process holds the data directory and can't be reached. */
  held: 6,
  damage: 7,
  /** Ctrl-C (128 + SIGINT), as in shells. */
  interrupted: 130,
  /** Ended by a signal (128 + SIGTERM). */
  terminated: 143,
} as const
type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** The typed errors of the contract. */
const exitCodeByContractError: Record<ContractErrorCode, ExitCode> = {
  NOT_FOUND: exitCodes.notFound,
  AMBIGUOUS: exitCodes.ambiguous,
  OUT_OF_SCOPE: exitCodes.refused,
  DAMAGED: exitCodes.damage,
  INVALID: exitCodes.usage,
  REFUSED: exitCodes.refused,
  STORAGE: exitCodes.failed,
}

/** Errors found before the contract can be called, such as unreadable settings. */
const exitCodeByFailure: Record<NamedFailure['kind'], ExitCode> = {
  'not-found': exitCodes.notFound,
  ambiguous: exitCodes.ambiguous,
  'out-of-scope': exitCodes.refused,
  damaged: exitCodes.damage,
  invalid: exitCodes.usage,
  refused: exitCodes.refused,
}

/** Errors that start-up throws, by their `kind`. */
const exitCodeByKind: Record<string, ExitCode> = {
  'lease-held': exitCodes.held,
  'lease-lost': exitCodes.held,
  'runs-elsewhere': exitCodes.held,
  'holder-not-listening': exitCodes.held,
  'holder-refused': exitCodes.held,
  'holder-of-another-directory': exitCodes.held,
  'holder-other-version': exitCodes.held,
  'holder-lost': exitCodes.held,
  'data-dir': exitCodes.usage,
  'port-in-use': exitCodes.usage,
  'port-not-permitted': exitCodes.usage,
  'address-not-available': exitCodes.usage,
  'not-built': exitCodes.failed,
}

/** A failure of the command line itself. */
export class CliError extends Error {
  readonly exitCode: ExitCode
  /** Lines below the message. */
  readonly details: string[]

  constructor(exitCode: ExitCode, message: string, details: string[] = []) {
    super(message)
    this.name = 'CliError'
    this.exitCode = exitCode
    this.details = details
  }
}

export const usageError = (message: string, details?: string[]): CliError =>
  new CliError(exitCodes.usage, message, details)

interface Failure {
  exitCode: ExitCode
  message: string
  details: string[]
}

/** Returns the message and the exit code for any error. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CliError) return error
  if (error instanceof ORPCError) return contractFailure(error)
  const message = messageOf(error)
  if (error instanceof FailureError) {
    return { exitCode: exitCodeByFailure[error.failure.kind], message, details: [] }
  }
  const kind = error instanceof Error && 'kind' in error ? String(error.kind) : ''
  return { exitCode: exitCodeByKind[kind] ?? exitCodes.failed, message, details: [] }
}

function contractFailure(error: ORPCError<string, unknown>): Failure {
  const { code, message } = error
  if (error.defined && Object.hasOwn(exitCodeByContractError, code)) {
    const exitCode = exitCodeByContractError[code as ContractErrorCode]
    return { exitCode, message, details: code === 'AMBIGUOUS' ? candidatesOf(error) : [] }
  }
  // The contract refused the input before any service saw it.
  if (code === 'BAD_REQUEST') {
    return { exitCode: exitCodes.usage, message, details: issuesOf(error.data) }
  }
  return { exitCode: exitCodes.failed, message, details: [] }
}

/** Returns the candidates, one per line; none if the message already lists them. */
function candidatesOf({ message, data }: ORPCError<string, unknown>): string[] {
  const { candidates } = data as { candidates: string[] }
  if (candidates.every((id) => message.includes(id))) return []
  return ['Candidates:', ...candidates.map((id) => `  ${id}`)]
}

function issuesOf(data: unknown): string[] {
  const { issues = [] } = (data ?? {}) as { issues?: { message: string; path?: unknown[] }[] }
  return issues.map(({ message, path = [] }) => `  ${path.map(String).join('.')}: ${message}`)
}
