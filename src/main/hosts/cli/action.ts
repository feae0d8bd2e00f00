/** What a command line becomes once it is parsed. */
import type { CliContext } from './context.ts'

/** Options as commander parsed them; each command picks its own. */
export type ParsedOptions = { json?: boolean; dataDir?: string } & Record<string, unknown>

/** Run with a context made from the shared options; returns the exit code. */
export type Action = (context: CliContext) => Promise<number>
