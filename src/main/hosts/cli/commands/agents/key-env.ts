import { keyVariableSchema } from '../../../../../shared/agents/model-refs.ts'
import type { CliContext } from '../../context.ts'
import { usageError } from '../../exit-codes.ts'

/**
 * Validates `--key-env`, the name of a variable of this environment. The messages do not repeat it, because it may be the
 * key itself by mistake.
 */
export function keyEnvOf(name: string | undefined, { host }: CliContext): string | undefined {
  if (name === undefined) return undefined
  if (!keyVariableSchema.safeParse(name).success)
    throw usageError(
      '--key-env takes the name of an environment variable, such as OPENAI_API_KEY, never a key.',
    )
  if (!host.env[name]?.trim())
    throw usageError(
      'What --key-env names is not set here: give the name of an environment variable that holds the key.',
    )
  return name
}
