/** A shell's state as recorded: the changes by each call, and only the names of secrets (K5). */
import type { ShellState } from '../../../shared/agents/driver/tool-result.ts'
import type { ShellChange } from '../../../shared/records/entry-types/tool-calls.ts'
import { isSecret } from '../../secrets/agent-environment.ts'
import type { LearningMasker } from '../../secrets/masker.ts'

/** Returns the change from `before` to `after`. Values that turn out to be secrets are masked from now on. */
export function changeOfShell(
  before: ShellState,
  after: ShellState,
  secrets: LearningMasker,
): ShellChange {
  const env: ShellChange['env'] = {}
  const hidden: string[] = []
  for (const [name, value] of Object.entries(after.env)) {
    if (before.env[name] === value) continue
    const secret = isSecret(name, value)
    if (secret) secrets.learn([{ name, value, isOfProject: true }])
    if (secret || secrets.text(value) !== value) hidden.push(name)
    else env[name] = value
  }
  for (const name of Object.keys(before.env)) if (!Object.hasOwn(after.env, name)) env[name] = null
  return { cwd: after.cwd, env, ...(hidden.length > 0 ? { hidden } : {}) }
}
