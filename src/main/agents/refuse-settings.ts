import type { ZodError } from 'zod'
import { invalid } from '../../shared/failure.ts'

/** Throws FailureError with the invalid field, so that a form can mark it. `fieldNames` are the names for people. */
export function refuseSettings(
  { issues: [issue] }: ZodError,
  fieldNames: Readonly<Record<string, string>>,
): never {
  const field = String(issue?.path[0] ?? 'name')
  return invalid(field, `${fieldNames[field] ?? 'It'} ${issue?.message ?? 'can’t be used'}.`)
}
