/** Options and arguments of several commands. */
import { Argument, Option } from 'commander'
import type { Action, ParsedOptions } from '../action.ts'

/** Returns commander's handler for a command whose action is loaded on demand. */
export type Runs = (
  load: (args: string[], options: ParsedOptions) => Promise<Action>,
) => (...received: unknown[]) => void

export const idArgument = (what: string) =>
  new Argument('<id>', `id of the ${what}, or its first characters (4 or more)`)

export const permissionsOption = (description: string) =>
  new Option('--permissions <mode>', description).choices(['ask', 'edits', 'all'])

export const keyEnvDescription =
  "the environment variable that holds the provider's key, by name; it is kept with the task, its value is not"
