/** Parsers of option values. Each throws InvalidArgumentError that says which values are valid. */
import { InvalidArgumentError } from 'commander'

export function positiveInteger(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < 1 || !Number.isSafeInteger(value)) {
    throw new InvalidArgumentError('Must be a whole number, 1 or more.')
  }
  return value
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Must be a whole number, 0 or more.')
  return Number(text)
}

export function variableName(text: string, before: string[] = []): string[] {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) {
    throw new InvalidArgumentError('Must be the name of a variable, without its value.')
  }
  return [...before, text]
}

export function amount(text: string): number {
  const value = Number(text)
  if (!/^\d{1,6}(\.\d+)?$/.test(text) || value <= 0)
    throw new InvalidArgumentError('It must be a number above 0.')
  return value
}

export function agentCount(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < 1 || value > agentsAtOnceMax) {
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${agentsAtOnceMax}.`)
  }
  return value
}

/** The contract's limit (shared/tasks.ts), repeated because loading the contract would slow down `--help`. */
const agentsAtOnceMax = 16

/** Returns 'never' instead of null, which commander does not accept as a value. */
export function transcriptTtlDays(text: string): number | 'never' {
  if (text === 'never') return text
  if (!/^\d{1,5}$/.test(text) || Number(text) > retentionDaysMax) {
    throw new InvalidArgumentError(
      `It must be a whole number from 0 to ${retentionDaysMax}, or "never".`,
    )
  }
  return Number(text)
}

/** The contract's limit (shared/contract/retention.ts). */
const retentionDaysMax = 36_500

export function portNumber(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value > 65535) {
    throw new InvalidArgumentError('Must be a whole number from 0 to 65535.')
  }
  return value
}

/** Requires a whole id: what an agent may read must not change because a task with the same prefix is created. */
export function wholeId(text: string): string {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole id, such as `tasks list --json` prints.')
  }
  return text
}
