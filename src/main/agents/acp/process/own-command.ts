/** Parses the user's own commands of agents: a program with its arguments, run without a shell. */
import type { OwnAgent } from '../../../../shared/agents/agent-checks.ts'
import type { AgentSpec } from '../../../../shared/agents/agent-specs.ts'
import { readShellCommand } from '../../permissions/shell/segments.ts'

/** Throws an Error for anything but a program with its arguments. */
export function commandArguments(command: string): string[] {
  if (command.trim() === '')
    throw new Error('Name the command of the agent, such as "copilot --acp".')
  const { segments, unclear } = readShellCommand(command)
  const [only] = segments
  if (segments.length === 1 && only?.kind === 'command' && only.assignments.length === 0) {
    const words = only.words.flatMap((word) => (word.kind === 'literal' ? [word.value] : []))
    if (unclear.length === 0 && words.length === only.words.length && words.length > 0) return words
  }
  throw new Error(
    `${JSON.stringify(command)} is not a program with its arguments: no shell runs it. Put anything else into a script, and name that.`,
  )
}

/** Throws an Error as `commandArguments` does. */
export function specOfOwn({
  name,
  command,
  mode,
  passes,
  sets,
}: OwnAgent): Extract<AgentSpec, { kind: 'acp' }> {
  return {
    kind: 'acp',
    program: 'acp',
    agent: name,
    command: commandArguments(command),
    ...(mode !== undefined && { mode }),
    own: {
      name,
      ...(passes.length > 0 && { passes }),
      ...(Object.keys(sets).length > 0 && { sets }),
    },
  }
}
