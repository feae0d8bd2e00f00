/** The agents that an agent may start. */
import type { OfferedAgent } from './tool-definitions.ts'

/** One that is defined comes before an installed agent of the same name. */
export const withOthers = (
  defined: readonly OfferedAgent[],
  installed: readonly OfferedAgent[],
): OfferedAgent[] => [
  ...defined,
  ...installed.filter(({ name }) => defined.every((one) => one.name !== name)),
]
