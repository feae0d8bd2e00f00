/** The agents that an agent may start. */
import type { OfferedAgent } from './tool-definitions.ts'

/** Adds installed agents to the defined ones, which take precedence over installed agents of the same name. */
export const withInstalledAgents = (
  defined: readonly OfferedAgent[],
  installed: readonly OfferedAgent[],
): OfferedAgent[] => [
  ...defined,
  ...installed.filter(({ name }) => defined.every((one) => one.name !== name)),
]
