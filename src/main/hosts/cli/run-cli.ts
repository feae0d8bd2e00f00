/** Runs one call of the command line. */
import { CommanderError } from 'commander'
import type { Action, ParsedOptions } from './action.ts'
import { type CliContext, createContext, createOutputs } from './context.ts'
import { exitCodes, failureOf } from './exit-codes.ts'
import type { CliHost } from './host.ts'
import { createProgram } from './program/program.ts'
import type { Output } from './terminal/output.ts'
import { safeText } from './terminal/safe-text.ts'

/** Longer lines of help are hard to read. */
const helpColumnsMax = 100
const helpColumnsDefault = 80

/**
 * Runs `argv`, without the executable and the script, and resolves with the exit code (CLI.md). Never rejects: errors are
 * printed on standard error.
 */
export async function runCli(argv: string[], host: CliHost): Promise<number> {
  const outputs = createOutputs(host)
  const written: Promise<void>[] = []
  const commands: { shared: ParsedOptions; action: Action }[] = []
  const program = createProgram({
    version: host.version,
    columns: Math.min(helpColumnsMax, outputs.out.columns ?? helpColumnsDefault),
    writeOut: (text) => written.push(outputs.out.write(text)),
    writeErr: (text) => written.push(outputs.err.write(text)),
    onCommand: (shared, action) => commands.push({ shared, action }),
  })
  try {
    program.parse(argv, { from: 'user' })
  } catch (error) {
    await Promise.all(written)
    if (!(error instanceof CommanderError)) throw error
    // Commander's exit code for a usage error is 1, which here means that an agent failed.
    return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  }
  const [command] = commands
  if (!command) return exitCodes.usage
  const context = createContext(host, outputs, command.shared)
  try {
    return await command.action(context)
  } catch (error) {
    return reportFailure(context, error)
  }
}

async function reportFailure(context: CliContext, error: unknown): Promise<number> {
  const { exitCode, message, details } = failureOf(error)
  await context.say(`${context.err.style('red', 'Error:')} ${safeText(message)}`)
  for (const line of details) await context.say(safeText(line))
  if (exitCode === exitCodes.failed && context.host.env.SHIPLOG_DEBUG && error instanceof Error) {
    await context.say(stackOf(context.err, error))
  }
  return exitCode
}

const stackOf = (err: Output, error: Error): string => err.style('dim', error.stack ?? '')
