/** A parsed command line. */
import type { CliContext } from './context.ts'

/** Options as commander parsed them; each command picks its own. */
export type ParsedOptions = { json?: boolean; dataDir?: string } & Record<string, unknown>

/** Runs a command. Resolves with the exit code. */
export type Action = (context: CliContext) => Promise<number>
