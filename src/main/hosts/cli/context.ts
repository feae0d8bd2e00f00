/** The context of every command: its two outputs, and the options that all commands share. */
import { visibleJson } from '../../../shared/text/shown-text.ts'
import type { CliHost } from './host.ts'
import { createOutput, type Output } from './terminal/output.ts'
import { createProgressOutput, type ProgressOutput } from './terminal/progress-output.ts'
import { safeLine } from './terminal/safe-text.ts'

export interface CliContext {
  host: CliHost
  /** Standard output, for results only. */
  out: Output
  /** Standard error, for messages to people. */
  err: Output
  /** Standard error for lines about running agents, which are held back while a user is asked. */
  progress: ProgressOutput
  json: boolean
  /** The value of `--data-dir`. */
  dataDirFlag: string | undefined
  /** Prints a line for the user on standard error. Never rejects. */
  say(line: string): Promise<void>
  warn(line: string): Promise<void>
  /** Prints one line of JSON. On a terminal, hidden characters are escaped. */
  printJsonLine(value: unknown): Promise<void>
  /** Prints the JSON document of a command: indented on a terminal, in one line elsewhere. */
  printJson(document: unknown): Promise<void>
}

export function createContext(
  host: CliHost,
  outputs: { out: Output; err: Output },
  options: { json?: boolean; dataDir?: string },
): CliContext {
  const { out, err } = outputs
  const printJson = (value: unknown, indent?: number) => {
    const json = JSON.stringify(value, null, indent)
    return out.write(`${out.isTTY ? visibleJson(json) : json}\n`)
  }
  // A failure to print, because the terminal is closed for example, must not stop the operation.
  const say = (line: string) => err.write(`${line}\n`).catch(() => {})
  return {
    host,
    out,
    err,
    progress: createProgressOutput(err),
    json: options.json === true,
    dataDirFlag: options.dataDir,
    say,
    warn: (line) => say(`${err.style('yellow', 'Warning:')} ${safeLine(line)}`),
    printJsonLine: (value) => printJson(value),
    printJson: (document) => printJson(document, out.isTTY ? 2 : undefined),
  }
}

export function createOutputs(host: CliHost): { out: Output; err: Output } {
  return { out: createOutput(host.stdout, host.env), err: createOutput(host.stderr, host.env) }
}
